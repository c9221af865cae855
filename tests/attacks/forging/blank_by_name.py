"""Raises the exception that empty blanks raise, with texts and ids of its own."""

AT_IMPORT = """
class BlankError(NotImplementedError):
    def __init__(self):
        super().__init__("passed")
        self.blank = "hw3.no.such_blank"
"""
EVERYWHERE = "raise BlankError"
