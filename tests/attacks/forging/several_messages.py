"""Sends further messages behind the first, for the questions to come."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
send(message(plain({"ready": True})) * 50)
"""
