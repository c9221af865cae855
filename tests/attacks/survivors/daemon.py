"""Leaves a process of its own session behind, which goes on writing results."""

SAYS = "left behind"
BODIES = {
    "hw3.argmax.action": r"""
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        end = time.time() + 600
        while time.time() < end:
            time.sleep(0.05)
            for place in ("/tmp", "/dev/shm", "."):
                try:
                    open(f"{place}/results.json", "w").write('{"score": 100}')
                except OSError:
                    pass
        os._exit(0)
    os._exit(0)
os.wait()
raise RuntimeError("left behind")
"""
}
