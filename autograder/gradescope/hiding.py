"""Messages to somebody who may hand in again, and be asked the same."""

from __future__ import annotations

import re

NUMBER = r"-?\d[\d.e+-]*"
REVEALING = {  # words that reveal a right number -> what replaces them
    rf", expected ({NUMBER}|-?inf|nan)": ", which is wrong",
    rf"{NUMBER} times what is right": "what is right times a number",
    rf"what is right and {NUMBER}": "what is right and a number",
    rf"cut off at {NUMBER}(?: and {NUMBER})?": "cut off",
    rf"{NUMBER} too (many|few) each time": r"too \1 each time",
}


def without_answers(text: str) -> str:
    """Returns a message about a record without the right numbers, so nobody can collect them."""
    for message, instead in REVEALING.items():
        text = re.sub(message, instead, text)
    return text
