"""Leaves files in every folder that it may write to."""

EXPECT = "failed"
SAYS = "left behind"
BODIES = {
    "hw3.argmax.action": r"""
import os
count = 0
for folder, folders, files in os.walk("/"):
    if folder.startswith(("/proc", "/sys")) or folder.count("/") > 4:
        folders.clear()
        continue
    try:
        with open(os.path.join(folder, "left-@PORT@"), "w"):
            count += 1
    except OSError:
        pass
raise RuntimeError(f"left behind: {count}")
"""
}
