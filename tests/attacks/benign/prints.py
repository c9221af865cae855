"""Prints a lot, not only ASCII, and flushes."""

AT_IMPORT = """
import sys
print("loaded", __name__, flush=True)
sys.stdout.write("\\u03b3 \\u2248 0.99\\n" * 1000)
"""
BODIES = {
    "hw3.argmax.action": """
print("values", self.critic.qa_values(observation), "\\u2192", flush=True)
sys.stdout.flush()
action = self.critic.qa_values(observation).argmax(axis=1)
""",
}
