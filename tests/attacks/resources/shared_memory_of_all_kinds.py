"""Asks for shared memory by each of its names: files, segments, mappings, secrets."""

SAYS = "within bounds: True|memory|ended|no answer"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, mmap, os
libc, kept, total, piece = ctypes.CDLL(None, use_errno=True), [], 0, 2**28
for number in range(16):
    for make in (lambda: libc.memfd_create(b"note", 0), lambda: libc.syscall(447, 0),
                 lambda: os.open(f"/dev/shm/part-@PORT@-{number}", os.O_CREAT | os.O_RDWR)):
        try:
            fd = make()
            if fd >= 0:
                os.truncate(fd, piece)
                kept.append(mmap.mmap(fd, piece))
                kept[-1][::4096] = bytes(piece // 4096)
                total += piece
        except (OSError, ValueError):
            pass
    if libc.shmget(0x285 + number, piece, 0o1666) >= 0:
        total += piece
raise RuntimeError(f"within bounds: {total <= 2**30}")
"""
}
