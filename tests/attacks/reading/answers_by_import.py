"""Imports answers, mistakes, other graders' modules and the solved course by name."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import importlib, pkgutil

def loot():
    import autograder, autograder.homeworks.hw3
    names = ["autograder.homeworks.hw3.mutations.dqn_targets", "autograder.misconceptions.stories", "autograder.misconceptions.explain",
             "autograder.misconceptions.catalogue", "autograder.homeworks.hw3.critic_formula", "autograder.classroom.gradebook",
             "tests.autograder.corpus", "autograder.evidence"]
    names += [i.name for i in pkgutil.walk_packages(autograder.homeworks.hw3.__path__, "autograder.homeworks.hw3.")
              if "judge_" in i.name or "formula" in i.name or "misconceptions" in i.name]
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
