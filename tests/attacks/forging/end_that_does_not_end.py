"""Makes every end and every kill harmless, so that its process goes on as the worker."""

SAYS = "not ended|no answer|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os, signal, sys
nothing = lambda *args: (0, 0)
os._exit = os.kill = os.killpg = os.waitpid = os.close = os.setsid = nothing
sys.exit = nothing
raise RuntimeError("not ended")
"""
}
