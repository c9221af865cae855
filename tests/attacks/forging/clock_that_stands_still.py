"""Lets all clocks stand still, so that its time is never over."""

EXPECT = "failed"
AT_IMPORT = """
import time
for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    setattr(time, name, lambda: 0.0)
"""
EVERYWHERE = """
while True:
    pass
"""
