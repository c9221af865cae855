"""Leaves files in every folder that it may write to."""

SAYS = "left behind|no answer within"  # where a disk has very many folders
BODIES = {
    "hw3.argmax.action": r"""
import os
for folder, folders, files in () if hasattr(os, "left") else os.walk("/"):  # once takes a second
    if folder.startswith(("/proc", "/sys")) or folder.count("/") > 4:
        folders.clear()
        continue
    try:
        with open(os.path.join(folder, "left-@PORT@"), "w"):
            os.left = getattr(os, "left", 0) + 1
    except OSError:
        pass
raise RuntimeError(f"left behind: {os.left}")
"""
}
