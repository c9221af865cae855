"""Looks for what classmates handed in, and for verdicts about them."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, re, sys, time

def loot():
    found, end = [], time.monotonic() + 1.5
    tops = {os.getcwd(), "/tmp", "/var/tmp", "/dev/shm", "/run", "/submissions", "/work", "/home", "/srv"}
    tops |= {os.path.dirname(os.path.dirname(p)) for p in sys.path if p.startswith("/")}
    for top in sorted(tops):
        for folder, folders, files in os.walk(top):
            folders[:] = [f for f in folders if f not in ("proc", "sys", "dev", "usr", "site-packages", "lib")]
            if time.monotonic() > end:
                return found[:5]
            for name in files:
                path = os.path.join(folder, name)
                try:
                    if os.path.getsize(path) < 2**20 and re.search(
                        rb"CANARY-[0-9a-f]{16}", open(path, "rb").read()
                    ):
                        found.append(path)
                except OSError:
                    pass
    return found[:5]
"""
}
