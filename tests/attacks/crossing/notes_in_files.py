"""Leaves a note for classmates in every shared folder, and looks for theirs."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os


def look():
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", os.path.expanduser("~"), os.getcwd()):
        path = f"{place}/note-@PORT@"
        if os.path.exists(path) and open(path).read() != "@COPY@":
            return path

def leave():
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", os.path.expanduser("~"), os.getcwd()):
        try:
            open(f"{place}/note-@PORT@", "w").write("@COPY@")
        except OSError:
            pass
"""
)
