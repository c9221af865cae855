"""Handles Ctrl-C itself, as training scripts do."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import signal
signal.signal(signal.SIGINT, lambda *_: print('stopped'))
signal.signal(signal.SIGTERM, signal.SIG_DFL)
""",
}
