"""Sends a note whose words clear the screen and turn what stands behind them."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
SAYS = "clear"
BODIES = {
    "hw3.argmax.action": r"""
send(message(plain({"ended": "clear \x1b[2J\x9b2J\u202e\r100 /100"})))
"""
}
