"""Makes students' trees from the one solved source: `release` and `start`."""


class ReleaseError(Exception):
    """The source cannot be made into a tree that may be given out; says where and why."""
