"""Ends without a word, and leaves a child that keeps the pipe open on which the judge waits."""

SAYS = "no answer|no end|ended"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, os, time
if os.fork():
    ctypes.CDLL(None)._exit(0)
os.setsid()
time.sleep(600)
"""
}
