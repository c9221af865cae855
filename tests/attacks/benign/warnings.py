"""Warns, on standard error too, at import and in every call."""

AT_IMPORT = """
import sys, warnings
warnings.warn("this is old", DeprecationWarning)
print("careful", file=sys.stderr)
warnings.simplefilter("always")
"""
BODIES = {
    "hw3.argmax.action": """
warnings.warn("greedy")
action = self.critic.qa_values(observation).argmax(axis=1)
""",
}
