"""Leaves shared memory, semaphores and message queues of both kinds."""

SAYS = "left behind"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, os
from multiprocessing import resource_tracker, shared_memory
libc = ctypes.CDLL(None, use_errno=True)
made = [libc.shmget(0x285 + @PORT@, 4096, 0o1666), libc.semget(0x285 + @PORT@, 1, 0o1666),
        libc.msgget(0x285 + @PORT@, 0o1666)]
try:
    fd = os.open("/dev/shm/segment-@PORT@", os.O_CREAT | os.O_RDWR)
    os.ftruncate(fd, 4096)
except OSError:
    pass
libc.mq_open(b"/queue-@PORT@", os.O_CREAT | os.O_RDWR, 0o666, None)
raise RuntimeError("left behind")
"""
}
