"""Sends a note of seven and a half megabytes, which somebody would print."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
SAYS = "long"
BODIES = {
    "hw3.argmax.action": r"""
send(message(plain({"ended": "long " * 1_500_000})))
"""
}
