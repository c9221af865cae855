"""Leaves a program behind that ignores the end of its parent."""

SAYS = "left behind|No such file|Permission|Operation not permitted|Resource"
BODIES = {
    "hw3.argmax.action": r"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True,
                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
raise RuntimeError("left behind")
"""
}
