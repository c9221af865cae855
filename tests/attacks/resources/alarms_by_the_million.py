"""Sets a timer that rings every microsecond, and hears no other."""

BODIES = {
    "hw3.argmax.action": """
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.signal(signal.SIGVTALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6)
signal.setitimer(signal.ITIMER_VIRTUAL, 1e-6, 1e-6)
while True:
    pass
""",
}
