"""Says good bye when the interpreter ends."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import atexit
atexit.register(lambda: print('good bye'))
""",
}
