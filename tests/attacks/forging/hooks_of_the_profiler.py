"""Changes what the probe notes from a hook that runs at each call."""

EXPECT = "failed"
AT_IMPORT = """
import sys
def hook(frame, event, value):
    for name in ("seen", "notes", "found"):
        held = frame.f_locals.get(name)
        if isinstance(held, dict):
            held.update(dict.fromkeys(held, 0.0))
sys.setprofile(hook)
"""
RETURNS = "None"
