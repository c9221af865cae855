"""Says in each message that its world is lost, so that it is built again and again."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
SAYS = "lost again"
BODIES = {
    "hw3.argmax.action": r"""
send(message(plain({"lost": True, "ended": "lost again"})))
"""
}
