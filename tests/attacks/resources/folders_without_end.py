"""Makes folders within folders, deeper than any path is long."""

SAYS = "stopped: True|no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import os
made = 0
os.chdir("/tmp")
try:
    while made < 1_000_000:
        os.mkdir("deeper")
        os.chdir("deeper")
        made += 1
except OSError:
    pass
os.chdir("/tmp")
raise RuntimeError(f"stopped: {made < 1_000_000}")
"""
}
