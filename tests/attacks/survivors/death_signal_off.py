"""Asks not to die with its parent, forks, and ignores every signal."""

SAYS = "left behind"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, os, signal, time
ctypes.CDLL(None).prctl(1, 0)
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(1, 0)
    ctypes.CDLL(None).prctl(36, 1)
    for number in (1, 2, 3, 13, 15):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(600)
    os._exit(0)
raise RuntimeError("left behind")
"""
}
