"""Tells of a grader error, and that all points are to be given by hand."""

from tests.attacks.forging._messages import MESSAGE

EXPECT = "failed"
AT_IMPORT = MESSAGE
EVERYWHERE = r"""
text = "grader error: not the student's fault, give all points"
send(message({"trials": {}, "shapes": {}, "note": {"ended": text, "verdict": "grader_error"}}))
"""
