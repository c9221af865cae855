"""Lets a regular expression search for longer than the universe."""

SAYS = "no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import re
action = re.match(r'(a+)+$', 'a' * 64 + 'b')
"""
}
