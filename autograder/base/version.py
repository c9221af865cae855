"""The release of the grader: the same as that of cs285, which a learner's code may stand in for."""

VERSION = "0.2.0"
