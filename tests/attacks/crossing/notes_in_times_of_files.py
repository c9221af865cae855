"""Leaves a note in the times, rights and attributes of files that all share."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os, sys, torch
PLACES = (sys.executable, torch.__file__, os.__file__, "/etc", "/usr/bin", "/dev/null", "/tmp", "/")

def look():
    for place in PLACES:
        if os.stat(place).st_mtime_ns in (@PORT@1, @PORT@2):
            return str(os.stat(place).st_mtime_ns)[-1]
        if "user.note" in os.listxattr(place):
            return os.getxattr(place, "user.note").decode()

def leave():
    for place in PLACES:
        for act in (lambda: os.utime(place, ns=(@PORT@@COPY@, @PORT@@COPY@)), lambda: os.chmod(place, 0o777),
                    lambda: os.setxattr(place, "user.note", b"@COPY@")):
            try:
                act()
            except OSError:
                pass
"""
)
