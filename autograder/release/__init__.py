"""What students are given, made from the one solved source: `python -m autograder release`."""


class ReleaseError(Exception):
    """The source cannot be made into a tree that may be given out; says where and why."""
