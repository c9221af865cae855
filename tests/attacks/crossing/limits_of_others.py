"""Takes memory and processes from every process that it can name."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import os, resource
for number in range(2, 5000):
    if number != os.getpid():
        for what in (resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
            try:
                resource.prlimit(number, what, (1, 1))
            except OSError:
                pass
raise RuntimeError("taken from whoever is there")
""",
}
