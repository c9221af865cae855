"""Changes the record when the experiment that made it is thrown away."""

EXPECT = "failed"
AT_IMPORT = """
import gc, weakref
class Bait:
    pass
def late():
    for thing in gc.get_objects():
        if type(thing).__name__ == "Trial":
            try:
                thing.arrays.clear()
                thing.crash = None
            except AttributeError:
                pass
def bait():
    thing = Bait()
    thing.itself = thing
    weakref.finalize(thing, late)
"""
EVERYWHERE = """
bait()
raise RuntimeError("never seen")
"""
