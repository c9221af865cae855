"""Looks for the grader's seed in the frames above, and tells it as an exception."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import sys
frame, seeds = sys._getframe(), []
while frame:
    seeds += [value for name, value in frame.f_locals.items() if "seed" in name]
    frame = frame.f_back
raise RuntimeError(f"seeds: {len(seeds)}")
""",
}
SAYS = "seeds: "
