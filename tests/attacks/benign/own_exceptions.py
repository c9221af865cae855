"""Raises and catches exceptions of its own, with traces printed, on the way to the right answer."""

BODIES = {
    "hw3.argmax.action": """
import traceback

class NotYetError(Exception):
    pass

try:
    raise NotYetError("no values")
except NotYetError:
    traceback.print_exc()
    action = self.critic.qa_values(observation).argmax(axis=1)
finally:
    del traceback
""",
}
