"""Makes two million empty files."""

SAYS = "stopped: True|no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import os
made = 0
try:
    for number in range(2_000_000):
        os.close(os.open(f"/tmp/file-@PORT@-{number}", os.O_CREAT))
        made += 1
except OSError:
    pass
raise RuntimeError(f"stopped: {made < 2_000_000} after {made}")
"""
}
