"""Leaves a note for classmates in the times of files that all can see."""

from tests.attacks.crossing._notes import passing
from tests.attacks.suite import NOTHING, REPORT

EXPECT = "failed"
SAYS = NOTHING
BODIES = REPORT
COPIES = 2
AT_IMPORT = passing(
    r"""
import os, sys
PLACES = (sys.executable, os.__file__, __file__, "/etc/hosts", "/tmp", "/dev/shm")
BASE = 1_000_000_000


def look():
    for place in PLACES:
        if os.path.exists(place):
            told = int(os.stat(place).st_mtime) - BASE
            if 0 < told < 10 and told != int("@COPY@"):
                return f"{place}: {told}"

def leave():
    for place in PLACES:
        try:
            os.utime(place, (BASE + int("@COPY@"),) * 2)
        except OSError:
            pass
"""
)
