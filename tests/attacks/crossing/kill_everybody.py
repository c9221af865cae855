"""Sends SIGKILL to every process that it may send one to."""

SAYS = "no answer|ended|no end"
BODIES = {
    "hw3.argmax.action": r"""
import os, signal, time
for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
try:
    os.kill(-1, signal.SIGKILL)
except OSError:
    pass
time.sleep(60)
"""
}
