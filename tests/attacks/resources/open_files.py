"""Opens files until it may open no more."""

SAYS = "stopped: True|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os
opened = 0
try:
    while opened < 1_000_000:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError:
    pass
raise RuntimeError(f"stopped: {opened < 1_000_000}")
"""
}
