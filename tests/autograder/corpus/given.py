"""Mistakes in, and right changes of, the given schedules and the given replay buffer."""

from __future__ import annotations

from collections.abc import Callable

from tests.autograder.corpus import Entry, right, wrong

Maker = Callable[..., Entry]


def changed(path: str, check: str, prefix: str) -> tuple[Maker, Maker]:
    """Returns makers of wrong and right entries for one file and check."""

    def bad(source: str, misconceptions: str, *changes: tuple[str, str]) -> Entry:
        ids = [f"{prefix}.{misconception}" for misconception in misconceptions.split()]
        return wrong(source, path, ids, *changes, check=f"hw3.given.{check}")

    def good(source: str, *changes: tuple[str, str]) -> Entry:
        return right(source, path, *changes, check=f"hw3.given.{check}")

    return bad, good


INFRA = "infrastructure"
schedule, good_schedule = changed(f"{INFRA}/base/schedules.py", "schedules", "schedule")
replay, good_replay = changed(f"{INFRA}/replay/replay_buffer.py", "replay", "replay")

LINE = "return v0 + (t - t0) / (t1 - t0) * (v1 - v0)"
END = "return self.values[-1]"
START = "right = bisect_right(self.times, t)"
SCHEDULES = [
    schedule("X01", "reversed", (LINE, "return v0 + (t1 - t) / (t1 - t0) * (v1 - v0)")),
    schedule("X01", "reversed", (LINE, "a = (t1 - t) / (t1 - t0)\n        return v0 + a * (v1 - v0)")),
    schedule("", "reversed", (LINE, "return v1 + (t - t0) / (t1 - t0) * (v0 - v1)")),
    schedule("X02", "at_breakpoint", (START, f"{START}\n        if t in self.times:\n            {END}")),
    schedule("X02", "at_breakpoint", (START, f"{START}\n        if t == self.times[0]:\n            {END}")),
    schedule("X02", "after_end", (END, "return 0.0")),
    schedule("", "after_end", (END, "return self.values[0]")),
    schedule("", "after_end", (END, "return None")),
    schedule("", "runs_on", ("if right == len(self.times):\n            return self.values[-1]",
             "right = min(right, len(self.times) - 1)")),
    schedule("X04", "grows", (LINE, "return v0 - (t - t0) / (t1 - t0) * (v1 - v0)")),
    schedule("X04", "grows", (START, f"return max(self.values[-1], 0.3 / 0.99 ** t)\n        {START}")),
    schedule("X05", "constant", (START, f"return self.values[0]\n        {START}")),
    schedule("X05", "constant", (START, f"return 0.1\n        {START}")),
    schedule("X06", "too_fast", (START, f"t = t * 2\n        {START}")),
    schedule("X06", "too_fast", (START, f"t = 100 * t\n        {START}")),
    schedule("X06", "too_slow", (START, f"t = t // 4\n        {START}")),
    schedule("X06", "counts_calls", ("self.times = [", "self.calls = 0\n        self.times = ["),
             (START, f"t = self.calls = self.calls + 1\n        {START}")),
    schedule("", "counts_calls", (START, f"self.values[0] *= 0.99\n        {START}")),
    schedule("", "steps", (LINE, "return v0")),
    schedule("", "steps", (LINE, "return v0 + (t - t0) // (t1 - t0) * (v1 - v0)")),
    schedule("", "steps", (LINE, "return v1")),
    schedule("", "segment_length", (LINE, "return v0 + t / t1 * (v1 - v0)")),
    schedule("", "segment_length", (LINE, "return v0 + (t - t0) / t1 * (v1 - v0)")),
    schedule("", "curved", (LINE, "return v0 * (v1 / v0) ** ((t - t0) / (t1 - t0))")),
    schedule("", "middle_ignored", ("self.times = [time for time, _ in endpoints]",
             "endpoints = [endpoints[0], endpoints[-1]] if endpoints else []\n"
             "        self.times = [time for time, _ in endpoints]")),
    schedule("", "before_start", ("return self.values[0]", END)),
    schedule("", "parse", ("(float(time), float(value)) for", "(float(value), float(time)) for"),
             ("return cls(endpoints)", "return cls([(t, v / 2) for v, t in endpoints])")),
    schedule("", "reversed after_end", (LINE, "return v0 + (t1 - t) / (t1 - t0) * (v1 - v0)"),
             (END, "return 0.0")),
    good_schedule("", ("import math", "import math  # what I changed: nothing")),
    good_schedule("", (LINE, "return (v0 * (t1 - t) + v1 * (t - t0)) / (t1 - t0)")),
    good_schedule("", ("import math", "import math\n\nimport numpy as np"),
                  (START, f"return np.interp(t, self.times, self.values)\n        {START}")),
    good_schedule("", (START, "right = sum(time < t for time in self.times)")),
    good_schedule("", (START, f"print('epsilon at', t)\n        {START}")),
    good_schedule("", ("class PiecewiseSchedule", "class LinearSchedule"),
                  ("-> PiecewiseSchedule", "-> LinearSchedule")),
    good_schedule("", ("class PiecewiseSchedule:", "class PiecewiseSchedule")),
]  # fmt: skip

STORE = "idx = self.frames.next\n        self.frames.append(frame)"
RING = "self.ring[self.next % len(self.ring)] = frame"
DONE, HAS = "self.done[slot] = done", "self.has_effect[slot] = True"
DRAW = "idx_n = self._draw(batch_size)\n"
BLANK_N = "blank_n = self.frame_history_len - 1 - self.history[(idx_n - extra) % self.slots]"
NEVER = "blank_n = np.zeros(len(idx_n), int)"
ADVANCE = "idx_n = self.rng.integers(oldest, self.frames.next - 1, batch_size)"
AGAIN = "idx_n[~valid] = self.rng.integers(oldest, self.frames.next - 1, int((~valid).sum()))"
VALID = "while not (valid := self.has_effect.take(idx_n % self.slots)).all():"
STACK = "self._squeeze(windows[:, :-1]),"
BY_LIST = """
class ListFrames:
    def __init__(self, size, shape, dtype):
        self.frames, self.size = [], size

    @property
    def next(self):
        return len(self.frames)

    @property
    def first(self):
        return max(0, self.next - self.size)

    def append(self, frame):
        self.frames.append(frame)

    def windows(self, idx_n, length):
        return np.stack([
            np.stack([self.frames[max(0, i - length + 1 + k)] for k in range(length)])
            for i in idx_n.tolist()])


class MemoryOptimizedReplayBuffer(Stateful):
"""
LISTED = ("class MemoryOptimizedReplayBuffer(Stateful):", BY_LIST)
USE_LIST = (("CompressedFrames(capacity, frame_shape)", "ListFrames(capacity, frame_shape, np.uint8)"),
            ("else RawFrames(capacity", "else ListFrames(capacity"))  # fmt: skip
REPLAY = [
    replay("B01", "done_lost", (DONE, "pass")),
    replay("B01", "done_shifted", (DONE, "self.done[(slot + 1) % self.slots] = done")),
    replay("", "done_inverted", ("self.done[slot_n].astype(np.float32)", "1.0 - self.done[slot_n]")),
    replay("", "cut_is_done", ("self.store_frame(last_frame)\n",
           "self.done[(self.frames.next - 1) % self.slots] = True\n"
           "        self.store_frame(last_frame)\n")),
    replay("B02", "newest_sampled", (ADVANCE, ADVANCE.replace(" - 1, b", ", b")),
           (AGAIN, AGAIN.replace(" - 1, int", ", int"))),
    replay("B02", "newest_sampled cut_frame_sampled", (ADVANCE, ADVANCE.replace(" - 1, b", ", b")),
           (AGAIN, AGAIN.replace(" - 1, int", ", int")),
           ("self.has_effect[slot] = False", "self.has_effect[slot] = not self.path_ended")),
    replay("B04", "stack_crosses_head", ("oldest += self.frame_history_len - 1", "pass"),
           ("if oldest > 0:", "if False:"),
           ("capacity = size + frame_history_len + 1", "capacity = size")),
    replay("B05", "reference", LISTED, *USE_LIST),
    replay("B06", "unwritten",
           (ADVANCE, ADVANCE.replace("self.frames.next - 1", "max(self.next_idx - 1, self.size)")),
           ("self.has_effect = np.zeros", "self.has_effect = np.ones")),
    replay("B06", "cut_frame_sampled", (VALID, "while False:")),
    replay("B07", "glued", ("slot_n = idx_n % self.slots",
                            "slot_n = self._draw(batch_size) % self.slots")),
    replay("B07", "glued", ("self.reward[slot_n],",
                            "self.reward[self._draw(batch_size) % self.slots],")),
    replay("B07", "glued", ("self.action[slot_n],", "np.roll(self.action[slot_n], 1),")),
    replay("B07", "glued", (STACK, "self._squeeze(windows[::-1, :-1]),")),
    replay("B07", "glued", ("self.done[slot_n].astype", "self.done[slot_n][::-1].astype")),
    replay("", "effect_shifted done_shifted", ("slot = idx % self.slots\n        self.action",
           "slot = (idx + 1) % self.slots\n        self.action"),
           (HAS, "self.has_effect[idx % self.slots] = True")),
    replay("B08", "fractions_lost", ("RawFrames(capacity, frame_shape, np.dtype(frame_dtype))",
                                     "RawFrames(capacity, frame_shape, np.dtype(np.uint8))")),
    replay("B08", "fractions_lost", ("self.frames.append(frame)\n",
                                     "self.frames.append(np.asarray(frame).astype(np.int64))\n")),
    replay("B09", "reward_fractions_lost", ("self.reward = np.zeros(self.slots, np.float32)",
                                            "self.reward = np.zeros(self.slots, np.int32)")),
    replay("B09", "reward_fractions_lost", ("self.reward[slot] = reward",
                                            "self.reward[slot] = round(reward)")),
    replay("", "reward_clipped", ("self.reward[slot] = reward", "self.reward[slot] = np.sign(reward)")),
    replay("", "reward_clipped", ("self.reward[slot] = reward",
                                  "self.reward[slot] = np.clip(reward, -1, 1)")),
    replay("", "reward_lost", ("self.reward[slot] = reward", "pass")),
    replay("B10", "same_batch", (DRAW, f"self.rng = np.random.default_rng(0)\n        {DRAW}")),
    replay("B10", "same_batch", (DRAW, f"np.random.seed(1)\n        {DRAW}"),
           (ADVANCE, ADVANCE.replace("self.rng.integers", "np.random.randint")),
           (AGAIN, AGAIN.replace("self.rng.integers", "np.random.randint"))),
    replay("W02", "stack_crosses_episodes", (BLANK_N, NEVER)),
    replay("W02", "stack_crosses_cut", ("self.store_frame(last_frame)\n        self.path_ended = True",
                                        "self.store_frame(last_frame)")),
    replay("", "cut_frame_lost", ("self.store_frame(last_frame)\n        ", "")),
    replay("", "next_is_present", ("self._squeeze(windows[:, 1:])", "self._squeeze(windows[:, :-1])")),
    replay("", "next_blank", ("windows[self.done[slot_n], -1] = 0", "windows[:, -1] = 0")),
    replay("", "next_blank", ("windows[self.done[slot_n], -1] = 0",
                              "windows[~self.done[slot_n], -1] = 0")),
    replay("", "stack_reversed", ("recent: np.ndarray = self._squeeze(", "recent: np.ndarray = self._squeeze("),
           ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
            "return stacks[:, 0] if self.frame_history_len == 1 else stacks[:, ::-1]")),
    replay("", "stack_axis", ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
           "return stacks[:, 0] if self.frame_history_len == 1 else np.moveaxis(stacks, 1, -1)")),
    replay("", "stack_short", ("min(earlier, self.frame_history_len - 1)",
                               "min(earlier, max(0, self.frame_history_len - 2))")),
    replay("", "recent_stale", ("idx_n = np.array([self.frames.next - 1])",
                                "idx_n = np.array([max(0, self.frames.next - 2)])")),
    replay("W01", "pixels_scaled", ("return stacks[:, 0] if self.frame_history_len == 1 else stacks",
           "stacks = stacks / 255.0 if stacks.dtype == np.uint8 else stacks\n"
           "        return stacks[:, 0] if self.frame_history_len == 1 else stacks")),
    replay("", "forgets_too_soon", ("capacity = size + frame_history_len + 1",
                                    "capacity = size // 2 + frame_history_len + 1")),
    replay("", "not_uniform", (DRAW, "idx_n = np.maximum(self._draw(batch_size), self._draw(batch_size))\n")),
    replay("", "ends_never_drawn", (VALID, "while not (valid := self.has_effect.take(idx_n % self.slots)"
                                           " & ~self.done[idx_n % self.slots]).all():")),
    replay("", "can_sample", ("return batch_size + 1 <= self.num_in_buffer", "return True")),
    replay("", "can_sample", ("return batch_size + 1 <= self.num_in_buffer",
                              "return self.num_in_buffer >= self.size")),
    replay("", "reward_clipped done_lost", (DONE, "pass"),
           ("self.reward[slot] = reward", "self.reward[slot] = np.clip(reward, -1, 1)")),
    good_replay("", ("KEY_SAMPLES = 15", "KEY_SAMPLES = 3  # a comment")),
    good_replay("", ("CHUNK_FRAMES = 128", "CHUNK_FRAMES = 32")),
    good_replay("V53", ("self.done[slot_n].astype(np.float32)", "self.done[slot_n].astype(np.int64)")),
    good_replay("V53", ("self.reward[slot_n],", "self.reward[slot_n][:, None],")),
    good_replay("", (ADVANCE, ADVANCE.replace("self.rng.integers", "np.random.randint")),
                (AGAIN, AGAIN.replace("self.rng.integers", "np.random.randint"))),
    good_replay("", ("np.zeros(self.slots, np.float32)", "np.zeros(self.slots, np.float64)")),
    good_replay("", ("windows[self.done[slot_n], -1] = 0", "pass")),
    good_replay("", LISTED, *USE_LIST, ("self.frames.append(frame)\n\n    def windows(self, idx_n, length)",
                "self.frames.append(np.array(frame))\n\n    def windows(self, idx_n, length)")),
    good_replay("", ("frame_dtype: Any,\n        seed: int,\n", "frame_dtype: Any,\n        seed: int = 0,\n        lander: bool = False,\n")),
    good_replay("", ("frame_shape: tuple[int, ...],\n        frame_dtype: Any,\n        seed: int,\n", "lander: bool = False,\n")),
]  # fmt: skip
ENTRIES = [*SCHEDULES, *REPLAY]
