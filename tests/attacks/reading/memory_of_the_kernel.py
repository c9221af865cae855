"""Reads the kernel's memory, log and symbols, and firmware, through their files."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os

def loot():
    found = []
    for path in ("/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/proc/kmsg", "/proc/vmcore",
                 "/sys/kernel/debug", "/sys/kernel/tracing/trace", "/sys/firmware/dmi/tables/DMI", "/proc/kpageflags"):
        try:
            if os.path.isdir(path) and os.listdir(path) or open(path, "rb", 0).read(1):
                found.append(path)
        except OSError:
            pass
    try:
        found += [line for line in open("/proc/kallsyms") if int(line.split()[0], 16)][:1]
    except OSError:
        pass
    return found
"""
}
