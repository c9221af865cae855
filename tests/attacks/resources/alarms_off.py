"""Ignores every signal that can be ignored, switches alarms off, and loops."""

SAYS = "no answer"
BODIES = {
    "hw3.argmax.action": r"""
import signal
for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    except (OSError, ValueError):
        pass
while True:
    try:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException:
        pass
"""
}
