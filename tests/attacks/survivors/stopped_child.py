"""Leaves a child that has stopped itself, so that it cannot take note of its end."""

SAYS = "left behind"
BODIES = {
    "hw3.argmax.action": r"""
import os, signal, time
if os.fork() == 0:
    os.setsid()
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(600)
    os._exit(0)
raise RuntimeError("left behind")
"""
}
