"""Asks git for its version at import, if there is one."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import subprocess
try:
    VERSION = subprocess.run(['git', 'describe'], capture_output=True, timeout=2).stdout
except (OSError, subprocess.SubprocessError):
    VERSION = b'unknown'
""",
}
