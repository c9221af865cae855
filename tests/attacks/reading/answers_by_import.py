"""Imports answers, mistakes, other graders' modules and the solved course by name."""

from tests.attacks.suite import NOTHING, REPORT

EXPECT = "failed"
SAYS = NOTHING
BODIES = REPORT
AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import importlib, pkgutil

def loot():
    import autograder, autograder.hw3
    names = ["autograder.hw3.answers.dqn_targets", "autograder.hw3.answers.schedules", "autograder.judge",
             "autograder.homework", "autograder.hw3.critic_formula", "autograder.classroom.gradebook",
             "tests.autograder.corpus", "autograder.evidence"]
    names += [i.name for i in pkgutil.walk_packages(autograder.hw3.__path__, "autograder.hw3.")
              if "answer" in i.name or "formula" in i.name or "mistakes" in i.name]
    found = []
    for name in names:
        try:
            importlib.import_module(name)
            found.append(name)
        except ImportError:
            pass
    return found
"""
}
