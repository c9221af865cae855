"""Whether a sandbox can be built on this machine at all."""

from __future__ import annotations

import functools
import shutil
import subprocess

WALLS = ["--unshare-pid", "--unshare-net", "--cap-drop", "ALL", "--ro-bind", "/", "/"]
REASON = "needs bubblewrap, and namespaces within it"


@functools.cache
def box_works() -> bool:
    """Returns whether bubblewrap is installed, and a process within it may enter namespaces."""
    if shutil.which("bwrap") is None:
        return False
    within = ["unshare", "--user", "--pid", "--net", "--mount", "--fork", "true"]
    command = ["bwrap", *WALLS, "--proc", "/proc", *within]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
