"""Rewrites its answers from a thread, after it has returned."""

EXPECT = "failed"
AT_IMPORT = """
import gc, threading, time
import numpy as np
def rewrite():
    while True:
        for thing in gc.get_objects():
            if type(thing) is dict and len(thing) < 50:
                for key, value in list(thing.items()):
                    if isinstance(value, np.ndarray) and value.flags.writeable and value.size:
                        value.fill(1)
        time.sleep(0.01)
threading.Thread(target=rewrite, daemon=True).start()
"""
RETURNS = "None"
