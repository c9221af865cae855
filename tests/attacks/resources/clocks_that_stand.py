"""Makes every clock and alarm of the interpreter stand still, and loops."""

SAYS = "no answer|no end|ended"
BODIES = {
    "hw3.argmax.action": r"""
import signal, time
now = time.monotonic()
time.monotonic = time.time = time.process_time = time.perf_counter = lambda: now
signal.setitimer = signal.alarm = signal.signal = lambda *args: None
while True:
    pass
"""
}
