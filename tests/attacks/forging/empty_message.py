"""Sends the judge a whole message in which nothing was seen and nothing went wrong."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message(plain()))
"""
