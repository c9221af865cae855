"""Registers hooks for the end of the process, and threads that it must wait for."""

SAYS = "hooked"
BODIES = {
    "hw3.argmax.action": r"""
import atexit, os, sys, threading, time
atexit.register(time.sleep, 600)
atexit.register(lambda: open("/tmp/hook-@PORT@", "w").write("x"))
threading.Thread(target=time.sleep, args=(600,), daemon=False).start()
os.register_at_fork(before=lambda: time.sleep(600), after_in_child=lambda: time.sleep(600))
raise RuntimeError("hooked")
"""
}
