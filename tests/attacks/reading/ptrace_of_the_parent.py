"""Attaches to every process it can see as a debugger, the parent first."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import ctypes, os

def loot():
    libc, found = ctypes.CDLL(None, use_errno=True), []
    mine = {os.getpid(), os.getppid()}
    others = [int(p) for p in os.listdir("/proc") if p.isdigit() and int(p) not in mine]
    for pid in [os.getppid(), *others]:
        if libc.ptrace(16, pid, 0, 0) == 0:  # PTRACE_ATTACH
            found.append(f"attached to {open(f'/proc/{pid}/comm').read().strip()}")
            libc.ptrace(17, pid, 0, 0)
    return found[:5]
"""
}
