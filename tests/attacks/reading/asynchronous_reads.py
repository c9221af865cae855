"""Asks the kernel for its old queue of asynchronous reads and writes."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import ctypes

def loot():
    context = ctypes.c_ulong(0)
    done = ctypes.CDLL(None, use_errno=True).syscall(206, 8, ctypes.byref(context))
    return ["io_setup"] if done == 0 else []
"""
}
