"""Sends a note that ends with half a character, which no database takes."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
SAYS = "half"
BODIES = {
    "hw3.argmax.action": r"""
send(message(plain({"ended": "half \ud800"})))
"""
}
