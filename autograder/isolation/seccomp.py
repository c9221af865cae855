"""A seccomp filter: system calls that neither a probe nor a student's solution needs are refused.

It lists what is denied, not what is allowed: PyTorch and its libraries use some hundred calls,
which change with every version. Denied is what reaches other processes, the kernel's rarely used
parts, the network, and all places where two submissions could leave notes for each other.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Sequence

from autograder.isolation.kernel import machine, system_call

ARCHITECTURES = (0xC000003E, 0xC00000B7)  # AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64
X32_BIT = 0x40000000  # the other set of numbers that an x86_64 kernel may answer to

# The name -> its numbers on x86_64 and on aarch64; None where there is no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    # Other processes' memory, files and state.
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272), "move_pages": (279, 239), "migrate_pages": (256, 238),
    # Parts of the kernel with a long history of holes.
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "vmsplice": (278, 75), "lookup_dcookie": (212, 18), "modify_ldt": (154, None),
    "uselib": (134, None), "nfsservctl": (180, 42), "_sysctl": (156, None),
    # Views of the system: file systems, namespaces, identities.
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "statmount": (457, 457), "listmount": (458, 458),
    "unshare": (272, 97), "setns": (308, 268), "personality": (135, 92),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149), "setfsuid": (122, 151),
    "setfsgid": (123, 152), "setgroups": (116, 159),
    # The machine itself.
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "reboot": (169, 142),
    "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "syslog": (103, 116), "vhangup": (153, 58), "iopl": (172, None),
    "ioperm": (173, None), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "adjtimex": (159, 171), "clock_adjtime": (305, 266), "sethostname": (170, 161),
    "setdomainname": (171, 162),
    # The network, and sockets with a name.
    "socket": (41, 198), "bind": (49, 200), "connect": (42, 203), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242),
    "setsockopt": (54, 208),  # such as how much waits in a pair of sockets
    # Things that outlive a process, or that strangers see.
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "mq_open": (240, 180), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190),
    "flock": (73, 32), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # Which parts of files are in memory: a note to whoever looks next.
    "mincore": (27, 232), "cachestat": (451, 451),
    # Memory that no limit counts.
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
}  # fmt: skip
CLONE, CLONE3 = (56, 220), (435, 435)
NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID and NET
PRLIMIT = (302, 261)
PREADV2, RWF_NOWAIT = (327, 286), 8  # reads only what is in memory already, which reveals it
SOCKETPAIR, SOCKET_TYPES, SOCK_STREAM = (53, 199), 0xF, 1
FCNTL, LOCK_COMMANDS = (72, 25), (6, 7, 37, 38, 1024, 1026)  # F_*SETLK*, F_SETLEASE, F_NOTIFY
IOCTL, TERMINAL_COMMANDS = (16, 29), (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type for others

LOAD, MASK, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST, SECOND, SIXTH = 0, 4, 16, 24, 56  # places in `struct seccomp_data`
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE, UNKNOWN = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
SECCOMP, SET_MODE_FILTER, ALL_THREADS = (317, 277), 1, 1

Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def deny_system_calls() -> None:
    """Refuses the calls of `DENIED` to this process and all that come of it, for good.

    `no_new_privileges` comes first. A refused call fails with EPERM; `clone3`, whose flags no
    filter can read, fails with ENOSYS, so that the C library falls back to `clone`.

    Raises:
        OSError: If the kernel knows no filters, or this machine's numbers are not known.
    """
    column = machine()
    steps = b"".join(struct.pack("=HBBI", *step) for step in program(column))
    filled = _Program(len(steps) // 8, steps)
    failed = system_call(SECCOMP[column], SET_MODE_FILTER, ALL_THREADS, ctypes.byref(filled))
    if failed:
        raise OSError(errno.EBUSY, "a thread of this process has a filter of its own")


def program(column: int) -> list[Step]:
    """Returns the filter for x86_64 (0) or aarch64 (1), in the kernel's classic BPF.

    A step is (what to do, steps to skip if so, steps to skip if not, a number).
    """
    steps: list[Step] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[column]),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
    ]
    if column == 0:
        steps += [(AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, KILL)]
    for numbers in DENIED.values():
        steps += _on(numbers[column], [(RETURN, 0, 0, REFUSE)])
    steps += _on(CLONE3[column], [(RETURN, 0, 0, UNKNOWN)])
    steps += _on(CLONE[column], [(LOAD, 0, 0, FIRST), *_unless(ANY_BIT, NEW_NAMESPACES)])
    stream = [(LOAD, 0, 0, SECOND), (MASK, 0, 0, SOCKET_TYPES), *_unless_equal(SOCK_STREAM)]
    steps += _on(SOCKETPAIR[column], stream)
    steps += _on(PREADV2[column], [(LOAD, 0, 0, SIXTH), *_unless(ANY_BIT, RWF_NOWAIT)])
    # Limits of its own alone: whoever answers the judge is the same user's process.
    steps += _on(PRLIMIT[column], [(LOAD, 0, 0, FIRST), *_unless_equal(0)])
    for numbers, commands in ((FCNTL, LOCK_COMMANDS), (IOCTL, TERMINAL_COMMANDS)):
        steps += _on(numbers[column], [(LOAD, 0, 0, SECOND), *_unless(EQUAL, *commands)])
    return [*steps, (RETURN, 0, 0, ALLOW)]


def _on(number: int | None, then: Sequence[Step]) -> list[Step]:
    """Takes some steps, which return, if the call is this one."""
    return [] if number is None else [(EQUAL, 0, len(then), number), *then]


def _unless(test: int, *values: int) -> list[Step]:
    """Allows the call unless the argument that was loaded passes a test with one of the values."""
    refusals = [s for value in values for s in ((test, 0, 1, value), (RETURN, 0, 0, REFUSE))]
    return [*refusals, (RETURN, 0, 0, ALLOW)]


def _unless_equal(value: int) -> list[Step]:
    """Allows the call only if the argument that was loaded has this value."""
    return [(EQUAL, 1, 0, value), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
