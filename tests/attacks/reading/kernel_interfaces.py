"""Looks for what the machine outside keeps in files that the kernel makes."""

from tests.attacks.suite import ARGMAX_FILE, NOTHING, REPORT

EXPECT = "failed"
SAYS = NOTHING
BODIES = REPORT
AT_IMPORT = {
    ARGMAX_FILE: r"""
def loot():
    found = []
    for path in ("/dev/kmsg", "/dev/mem", "/proc/kcore", "/proc/1/environ", "/proc/kmsg",
                 "/sys/kernel/debug/sched/debug", "/proc/1/mem", "/proc/sysrq-trigger"):
        try:
            with open(path, "rb", buffering=0) as stream:
                if b"CANA" b"RY-" in (stream.read(4096) or b"") or path.startswith("/dev/"):
                    found.append(path)
        except OSError:
            pass
    return found
"""
}
