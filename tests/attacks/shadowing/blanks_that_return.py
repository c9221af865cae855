"""Replaces the function that raises for an empty blank by one that answers, and fills nothing."""

FILES = {
    "cs285/infrastructure/blanks.py": """
class BlankError(NotImplementedError):
    blank = None


def TODO(blank):
    return 0
"""
}
RETURNS = 'TODO("hw3.argmax.action")'
AT_IMPORT = "from cs285.infrastructure.blanks import TODO"
