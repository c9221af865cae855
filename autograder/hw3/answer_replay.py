"""Answers about the given replay buffer: every row that is drawn must be one true transition."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from autograder.hw3.answer_networks import foreign
from autograder.hw3.probe_replay import BATCH, SETTINGS, Setting, tell_story
from autograder.hw3.replay_table import Table, read_frames
from autograder.judge import Judgement, close, difference, judge_crash
from autograder.probing import Observation

Arrays = Mapping[str, np.ndarray]
SIGMAS = 6.0  # a right buffer falls outside once in 10^9 runs
MISSING = 0.2  # share of transitions that chance alone may leave undrawn; in fact far fewer
FEW, ENOUGH = 8, 20  # frames with which 16 transitions cannot, and can, be drawn
GLUED, SHIFTED = "replay.glued", "replay.effect_shifted"
Reading = tuple[Callable[[np.ndarray], np.ndarray], str]
REWARD_READINGS: list[Reading] = [
    (np.trunc, "replay.reward_fractions_lost"),
    (np.round, "replay.reward_fractions_lost"),
    (np.floor, "replay.reward_fractions_lost"),
    (lambda r: np.clip(r, -1, 1), "replay.reward_clipped"),
    (np.sign, "replay.reward_clipped"),
    (np.zeros_like, "replay.reward_lost"),
]


def judge_replay(seen: Observation, seed: int) -> Judgement:
    """Judges what was shown and drawn of every setting."""
    verdict = Judgement()
    if "vectors" not in seen:
        return verdict  # not there, or with another interface
    crashes = [trial.crash for trial in seen.values() if trial.crash]
    for crash in crashes:
        if not foreign(crash):
            judge_crash(crash, None, verdict)
    verdict.unknown[:] = dict.fromkeys(verdict.unknown)
    if crashes:
        return verdict
    _judge_references(seen, verdict)
    for name, setting in SETTINGS.items():
        if verdict.unknown or "replay.reference" in verdict.mistakes:
            break
        _Rows(seen[name].arrays, setting, seed, verdict).judge()
    ready = seen["readiness"].arrays["ready"]
    if ready[:FEW].any() or not ready[ENOUGH:].all():
        verdict.name("replay.can_sample")
    return verdict


def _judge_references(seen: Observation, verdict: Judgement) -> None:
    """Frames stay what they were when the array that they came in is written over."""
    for key, name in (("vector", "vectors"), ("image", "image_stacks")):
        setting = SETTINGS[name]
        drawn, usual = seen["reused"].arrays[key], seen[name].arrays["ob"]
        if drawn.shape[-len(setting.shape) :] != setting.shape:
            continue
        many = len(np.unique(read_frames(usual, setting)[0]))
        if len(np.unique(read_frames(drawn, setting)[0])) <= 2 < many:
            verdict.name("replay.reference")


class _Rows:
    """What one setting's buffer showed and gave, judged row by row."""

    def __init__(self, arrays: Arrays, setting: Setting, seed: int, verdict: Judgement) -> None:
        self.arrays, self.setting, self.verdict = arrays, setting, verdict
        self.table = Table.of(tell_story(setting, seed))

    def judge(self) -> None:
        """Names what is wrong with shapes, frames, stacks and facts."""
        read = {name: self._read(name) for name in ("recent", "ob", "next_ob")}
        recent, ob, next_ob = read["recent"], read["ob"], read["next_ob"]
        if recent is None or ob is None or next_ob is None or not self._facts_are_vectors(len(ob)):
            return
        self._judge_repeats()
        number = ob[:, -1]
        if (number == 0).any():
            self.verdict.name("replay.unwritten")
            return
        if (number == self.table.newest).any():
            self.verdict.name("replay.newest_sampled")
        acted = self.table.acted[number]
        if (~acted & (number > 0)).any():
            self.verdict.name("replay.cut_frame_sampled")
        real = acted & (number != self.table.newest)
        self._judge_facts(number[real], real)
        self._judge_stacks(ob[real], number[real])
        going = real & ~self.table.done[number] & ~(self.arrays["done"].reshape(-1) > 0)
        if self._judge_successors(next_ob[going, -1], number[going]):
            self._judge_stacks(next_ob[going], number[going] + 1)
        self._judge_recent(recent)
        if not (self.setting.image or "replay.same_batch" in self.verdict.mistakes):
            self._judge_spread(number[real])

    def _read(self, name: str) -> np.ndarray | None:
        """Returns the numbers of stacks of frames, newest last. Shape (n, history)."""
        frames, setting = self.arrays[name], self.setting
        shape, history = setting.shape, setting.history
        stacked = shape if history == 1 else (history, *shape)
        if history > 1 and frames.shape[1:] == (*shape, history):
            self.verdict.name("replay.stack_axis")
            frames = np.moveaxis(frames, -1, 1)
        elif frames.shape[1:] not in (stacked, (history, *shape)):
            self.verdict.unknown.append(f"{name}: shape {frames.shape[1:]}, expected {stacked}")
            return None
        if setting.image and frames.dtype.kind == "f" and 0 < frames.max() <= 1:
            self.verdict.name("replay.pixels_scaled")
            frames = np.round(frames * 255)
        numbers, exact = read_frames(frames.reshape(-1, history, *shape), setting)
        if not exact.all():
            changed = frames.reshape(-1, history, *shape)[~exact]
            whole = not setting.image and np.all(changed == np.round(changed))
            self.verdict.name("replay.fractions_lost" if whole else "replay.frames_changed")
        return self._in_order(numbers)

    def _in_order(self, numbers: np.ndarray) -> np.ndarray:
        """Turns stacks round that have the newest frame first."""
        rises, falls = np.diff(numbers) > 0, (np.diff(numbers) < 0) & (numbers[:, 1:] > 0)
        if falls.sum() > rises.sum():
            self.verdict.name("replay.stack_reversed")
            return numbers[:, ::-1]
        return numbers

    def _facts_are_vectors(self, rows: int) -> bool:
        """Says which of the facts has not one number a row."""
        for name in ("action", "reward", "done"):
            if self.arrays[name].size != rows:
                self.verdict.unknown.append(difference(name, self.arrays[name], np.zeros(rows)))
                return False
        return True

    def _judge_repeats(self) -> None:
        """Two draws differ."""
        pairs = [(self.arrays[n][:BATCH], self.arrays[n][BATCH : 2 * BATCH]) for n in self.arrays]
        drawn = [pair for n, pair in zip(self.arrays, pairs, strict=True) if n != "recent"]
        if all(np.array_equal(a, b) for a, b in drawn):
            self.verdict.name("replay.same_batch")

    def _judge_facts(self, number: np.ndarray, real: np.ndarray) -> None:
        """Names what explains actions, rewards and ends of the frames in `number`."""
        action, reward, done = (
            self.arrays[name].reshape(-1)[real] for name in ("action", "reward", "done")
        )
        table = self.table
        found = [self._shift_of(action, table.action, number),
                 self._shift_of(reward, table.reward, number)]  # fmt: skip
        if found[1] is None:
            for reading, mistake in REWARD_READINGS:
                if close(reward, reading(table.reward[number].astype(np.float32))):
                    self.verdict.name(mistake)
                    found[1] = 0
                    break
        if None in found or found[0] != found[1]:
            self.verdict.name(GLUED)
        elif found[0] != 0:
            self.verdict.name(SHIFTED)
        self._judge_done(done > 0, number)

    def _shift_of(self, seen: np.ndarray, column: np.ndarray, number: np.ndarray) -> int | None:
        """Returns by how many frames a fact is off; None if it is no such thing."""
        for shift in (0, -1, 1):
            moved = np.clip(number + shift, 0, self.table.newest)
            agrees = np.isclose(seen.astype(np.float64), column[moved], 1e-3, 1e-5)
            # Where a shift leads to a frame that nothing was done at, anything may stand.
            if (agrees | (~self.table.acted[moved] & (shift != 0))).all():
                return shift
        return None

    def _judge_done(self, done: np.ndarray, number: np.ndarray) -> None:
        """Names what explains the stored ends of episodes."""
        table = self.table
        readings = (
            (table.done[number], None),
            (table.last[number], "replay.cut_is_done"),
            (np.zeros(len(number), bool), "replay.done_lost"),
            (~table.done[number], "replay.done_inverted"),
            (table.done[number - 1], "replay.done_shifted"),
            (table.done[number + 1], "replay.done_shifted"),
        )
        for reading, mistake in readings:
            if np.array_equal(done, reading):
                self.verdict.name(*([mistake] if mistake else []))
                return
        if not {GLUED, SHIFTED} & set(self.verdict.mistakes):
            self.verdict.name(GLUED)

    def _judge_successors(self, follows: np.ndarray, number: np.ndarray) -> bool:
        """The next observation ends with the next frame; returns whether it does."""
        wrong = follows != number + 1
        if not wrong.any():
            return True
        cut = self.table.last[number]
        if not wrong[~cut].any():
            self.verdict.name("replay.cut_frame_lost")
        elif (follows[wrong] == number[wrong]).all():
            self.verdict.name("replay.next_is_present")
        elif (follows[wrong] == 0).all():
            self.verdict.name("replay.next_blank")
        else:
            self.verdict.name(GLUED)
        return False

    def _judge_stacks(self, stacks: np.ndarray, number: np.ndarray) -> None:
        """Each stack holds the frames before its newest one, of the same episode."""
        history, table = self.setting.history, self.table
        right = table.stacks(number, history)
        first = np.maximum(number - table.age[number], 1)[:, None]
        # Blank places may show the episode's first frame instead; and of the oldest frames that
        # are kept, what came before may have been forgotten.
        old = (number <= table.newest - self.setting.size + history)[:, None]
        fine = (stacks == right) | ((right == 0) & (stacks == first)) | (old & (stacks == 0))
        if fine.all():
            return
        wrong = ~fine
        if (stacks > number[:, None])[wrong].any():
            self.verdict.name("replay.stack_crosses_head")
        crossing = wrong & (stacks == table.stacks(number, history, crossing=True))
        if crossing.any():
            only_cuts = table.after_cut[number[crossing.any(axis=1)]].all()
            before = "cut" if only_cuts else "episodes"
            self.verdict.name(f"replay.stack_crosses_{before}")
        rest = wrong & ~crossing & (stacks <= number[:, None])
        if (rest & (stacks == 0)).any():
            self.verdict.name("replay.stack_short")
        elif rest.any():
            self.verdict.name("replay.stack_mixed")

    def _judge_recent(self, recent: np.ndarray) -> None:
        """What the policy is shown ends with the newest frame."""
        acted = np.flatnonzero(self.table.acted)
        if len(recent) != len(acted):
            return
        if not np.array_equal(recent[:, -1], acted):
            self.verdict.name("replay.recent_stale")
            return
        self._judge_stacks(recent, acted)

    def _judge_spread(self, number: np.ndarray) -> None:
        """All of the newest transitions are drawn, the older as often as the newer."""
        table, size = self.table, self.setting.size
        oldest = max(1, table.newest - size + self.setting.history)
        kept = np.arange(oldest, table.newest)
        kept = kept[table.acted[kept]]
        drawn = np.isin(kept, number)
        if table.done[kept].any() and not drawn[table.done[kept]].any():
            self.verdict.name("replay.ends_never_drawn")
            return
        needed = ~(table.last[kept] & ~table.done[kept])  # cut ones may be left out
        if np.mean(~drawn[needed]) > MISSING:
            self.verdict.name("replay.forgets_too_soon")
            return
        old = drawn & (np.arange(len(kept)) < len(kept) // 2)
        counts = [int(np.isin(number, kept[old]).sum()), int(np.isin(number, kept[drawn]).sum())]
        share = old.sum() / max(1, drawn.sum())
        if abs(counts[0] - share * counts[1]) > SIGMAS * np.sqrt(counts[1] * share * (1 - share)):
            self.verdict.name("replay.not_uniform")
