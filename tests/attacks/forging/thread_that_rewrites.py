"""Leaves a thread that rewrites all that was seen, until the message is sent."""

BODIES = {
    "hw3.argmax.action": r"""
import gc, sys, threading
import numpy as np
sys.setswitchinterval(1e-6)

def rewrite():
    while True:
        for thing in gc.get_objects():
            if type(thing).__name__ == "Seen":
                thing.crashes = {}
                thing.arrays = {"usual/action": np.full(13, 3.0), "usual/other_state": np.array(False)}

threading.Thread(target=rewrite, daemon=True).start()
raise RuntimeError
"""
}
