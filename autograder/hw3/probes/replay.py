"""Probe of the given replay buffer, from outside: frames that encode their number go in."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.hw3.probes.schedules import made
from autograder.probing import Student

NUM_ACTIONS = 7
LENGTHS = (5, 3, 11, 2, 7, 13, 1)  # of episodes, over and over
CUT = (False, True, False, False, True, True, False)  # whether a time limit ends them
IMAGE, VECTOR = (3, 5), (3,)
BATCH, BATCHES = 64, 20
FEW, ENOUGH = 8, 20  # frames with which 16 transitions cannot, and can, be drawn
MOST_UNTRUE = 40  # observations that are noted
SIGMAS = 6.0  # a right buffer falls outside once in 10^9 runs
Seen = dict[str, Any]
Story = Any  # an np.recarray of these:
NAMES = ("age", "acted", "last", "done", "action", "reward")


@dataclass(frozen=True)
class Setting:
    """A buffer and how many frames go in.

    `pending`: the newest frame has no effect yet. `endless`: all is one episode, so that the
    oldest frames that are kept had frames before them.
    """

    history: int
    shape: tuple[int, ...]  # of a frame
    size: int
    frames: int
    pending: bool = False
    endless: bool = False

    @property
    def image(self) -> bool:
        """Whether a frame is an image."""
        return self.shape == IMAGE


SETTINGS = {
    "vectors": Setting(1, VECTOR, 37, 29),
    "vectors_full": Setting(1, VECTOR, 37, 211),
    "vectors_pending": Setting(1, VECTOR, 37, 30, pending=True),
    "vector_stacks": Setting(4, VECTOR, 53, 47),
    "vector_stacks_full": Setting(4, VECTOR, 53, 223),
    "vector_stacks_endless": Setting(4, VECTOR, 53, 211, endless=True),
    "images": Setting(1, IMAGE, 61, 47),
    "image_stacks": Setting(4, IMAGE, 61, 59),
    "image_stacks_full": Setting(4, IMAGE, 61, 701),
}


def tell_story(setting: Setting, seed: int) -> Story:
    """Returns what is true of the frames of a run, by their numbers; number 0 is a blank place.

    The newest is in the middle of an episode. `age`: frames of its episode before it; `acted`: not
    so the last frame of a cut episode; `last`: its step ends the episode, or is cut there.
    """
    rng, newest = np.random.default_rng([285, 35, seed]), setting.frames
    actions = rng.integers(0, NUM_ACTIONS, newest + 40)
    rewards = np.round(rng.uniform(0.3, 3.7, newest + 40), 2) + 0.037
    rewards *= rng.choice([-1, 1], newest + 40)
    story = [(0, False, False, False, 0, 0.0)]
    episode = int(rng.integers(0, 3))
    while len(story) <= newest + 20:
        length, cut = LENGTHS[episode % 7], CUT[episode % 7]
        if setting.endless:
            length, cut = newest + 20, False
        for age in range(length + cut):
            n, last = len(story), age == length - 1
            story.append((age, age < length, last, last and not cut, actions[n], rewards[n]))
        episode += 1
    kinds: Any = {"names": NAMES, "formats": ["i8", "?", "?", "?", "i8", "f8"]}
    frames: Story = np.array(story, kinds).view(np.recarray)
    while not (frames[newest].acted and not frames[newest].last):
        newest += 1
    return frames[: newest + 1]


def picture(number: int, setting: Setting) -> np.ndarray:
    """Returns the frame that is known by `number`: bytes, or floats that are not whole."""
    if setting.image:
        row = [number % 251, number // 251 + 1, 7 * number % 253, 11, 13 * number % 256]
        return np.array([row, row[::-1], row], np.uint8)
    return np.array([number + 0.25, -number - 0.5, 1 / (number + 1)], np.float32)


def make_buffer(student: Student, setting: Setting, seed: int) -> Any:
    """Builds the student's buffer; None where it has another interface."""
    make = student.module("infrastructure.replay_buffer").MemoryOptimizedReplayBuffer
    dtype = np.dtype(np.uint8 if setting.image else np.float32)
    return made(make, setting.size, setting.history, setting.shape, dtype, seed)


def fill(buffer: Any, story: Story, setting: Setting, numbers: Iterable[int], reuse: bool) -> Any:
    """Lives through frames of a story; returns what was recent after each that was acted on.

    `reuse` keeps writing over one array, as environments may.
    """
    array = np.zeros(setting.shape, np.uint8 if setting.image else np.float32)
    recent = []
    for number in numbers:
        frame = story[number]
        array[...] = picture(number, setting)
        shown = array if reuse else array.copy()
        if not frame.acted:
            buffer.end_path(shown)
            continue
        index = buffer.store_frame(shown)
        recent.append(np.array(buffer.encode_recent_observation()))
        if not (setting.pending and number == len(story) - 1):
            effect = int(frame.action), float(frame.reward), bool(frame.done)
            buffer.store_effect(index, *effect)
    return np.array(recent)


def draw(buffer: Any, batches: int) -> Sequence[tuple[np.ndarray, ...]]:
    """Draws batches; their facts in one axis each, whatever shape they come in."""
    drawn = []
    for _ in range(batches):
        ob, action, reward, next_ob, done = (np.array(array) for array in buffer.sample(BATCH))
        facts = np.stack([fact.reshape(BATCH) for fact in (action, reward, done)], axis=1)
        drawn.append((ob, facts.astype(np.float64), next_ob))
    return drawn


def numbers_in(frames: np.ndarray, setting: Setting, seen: Seen) -> np.ndarray:
    """Returns the numbers of the frames in stacks, newest last. Shape (n, history).

    Notes what else is to be seen of them: how they are changed.
    """
    frames = frames.reshape(len(frames), setting.history, *setting.shape)
    if setting.image and frames.dtype.kind == "f" and 0 < frames.max() <= 1:
        seen["scaled"], frames = True, np.round(frames * 255)
    flat = np.nan_to_num(frames.reshape(len(frames), setting.history, -1).astype(np.float64))
    first = flat[..., 0]
    numbers = first + 251 * (flat[..., 1] - 1) if setting.image else np.floor(first)
    blank = np.all(flat == 0, axis=-1)
    numbers = np.where(blank, 0, np.clip(numbers, 0, setting.frames + 20)).astype(np.int64)
    pictures = [picture(n, setting).ravel() * (n > 0) for n in range(setting.frames + 21)]
    exact = np.isclose(flat, np.array(pictures)[numbers], 1e-3, 1e-5).all(-1)
    if not exact.all():
        seen["changed"] = True
        seen["whole"] = not setting.image and bool(np.all(flat[~exact] == np.round(flat[~exact])))
    return numbers


def truth(story: Story, number: np.ndarray, history: int) -> np.ndarray:
    """Returns the rows that a memory should give for these frames: stack, facts, next stack.

    After the end anything may be the next frame; it is 0 here.
    """
    frames = story[number]
    facts = np.stack([frames.action, frames.reward, frames.done], axis=1)
    back = np.arange(history)[::-1]
    stack = np.where(back > frames.age[:, None], 0, number[:, None] - back)
    follows = np.append(stack[:, 1:], number[:, None] + 1, axis=1)
    follows[frames.done, -1] = 0
    if history > 1:
        follows = np.where(np.append(stack[:, 1:], stack[:, :1] * 0 + 1, axis=1) == 0, 0, follows)
    return np.concatenate([stack, facts, follows], axis=1)


def first_for_blank(rows: np.ndarray, right: np.ndarray, story: Story) -> np.ndarray:
    """Returns rows with 0 where an episode's first frame fills the places before it."""
    age = np.append(story.age, 0)
    first = np.clip(rows - age[np.clip(rows, 0, len(story) - 1).astype(int)], 0, None)
    return np.where((right == 0) & (rows == first), 0, rows)


def live(student: Student, setting: Setting, seed: int, seen: Seen) -> None:
    """Fills a buffer; notes what is untrue of what was recent, and of each transition drawn."""
    buffer, story = make_buffer(student, setting, seed), tell_story(setting, seed)
    newest, history = len(story) - 1, setting.history
    recent = fill(buffer, story, setting, range(1, newest + 1), reuse=False)
    drawn = draw(buffer, BATCHES)
    seen["shape"] = drawn[0][0].shape[1:] or (0,)
    seen["same_batch"] = all(np.array_equal(a, b) for a, b in zip(*drawn[:2], strict=True))
    seen |= {"scaled": False, "changed": False, "whole": False}
    stacked = (history, *setting.shape)
    if seen["shape"] not in (stacked, stacked[history == 1 :]):
        return
    ob, facts, next_ob = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    stack, follows = numbers_in(ob, setting, seen), numbers_in(next_ob, setting, seen)
    follows[facts[:, 2] > 0, -1] = 0
    rows = np.unique(np.concatenate([stack, facts, follows], axis=1).round(5), axis=0)
    seen["glued"] = len(np.unique(rows[:, :history], axis=0)) < len(rows)
    seen["not_uniform"] = not (setting.image or evenly(stack[:, -1]))
    note_untrue(rows, story, setting, seen)
    shown = numbers_in(recent, setting, seen)
    right = truth(story, np.flatnonzero(story.acted), history)[:, :history]
    untrue = first_for_blank(shown, right, story) != right
    seen["recent_untrue"] = shown[untrue.any(axis=1)][:MOST_UNTRUE]


def note_untrue(rows: np.ndarray, story: Story, setting: Setting, seen: Seen) -> None:
    """Notes the rows that are no true transition, and which true ones never came."""
    history, newest = setting.history, len(story) - 1
    number = np.clip(rows[:, history - 1], 0, newest).astype(int)
    right = truth(story, number, history)
    told = first_for_blank(rows, right, story)
    told[:, history : history + 3] = rows[:, history : history + 3]
    old = (number <= newest - setting.size + history)[:, None]
    forgotten = old & (rows == 0) & (np.arange(rows.shape[1]) < history)
    untrue = ~(np.isclose(told, right, 1e-3, 1e-5) | forgotten)
    parts = np.split(untrue, [history, history + 1, history + 2, history + 3], axis=1)
    seen["untrue"] = [bool(part.any()) for part in parts]  # stack, action, reward, done, next stack
    seen["unwritten"] = bool((number == 0).any())
    if not seen["unwritten"]:
        seen["newest_sampled"] = bool((number == newest).any())
        seen["cut_frame_sampled"] = not story.acted[number].all()
        seen["stack_crosses_head"] = bool((rows[:, :history] > number[:, None]).any())
    if not setting.image:  # of images more are kept than draws could show
        seen["untrue_rows"] = rows[untrue.any(axis=1)]
        kept = np.arange(max(1, newest - setting.size + history), newest)
        whole = story.acted & ~(story.last & ~story.done)
        seen["never"] = np.setdiff1d(kept[whole[kept]], number)
        seen["forgets_too_soon"] = seen["never"].size > 0


def evenly(numbers: np.ndarray) -> bool:
    """Tells whether the older half of what is drawn is drawn as often as the newer half."""
    _, counts = np.unique(numbers, return_counts=True)
    half, total = len(counts) // 2, int(counts.sum())
    share = half / max(1, len(counts))
    off = abs(counts[:half].sum() - share * total)
    return bool(off <= SIGMAS * np.sqrt(total * share * (1 - share)))


def reused(student: Student, seed: int, seen: Seen) -> None:
    """Fills buffers from one array that is written over: are the frames drawn all alike?"""
    seen["reference"] = False
    for setting in (SETTINGS["vectors"], SETTINGS["image_stacks"]):
        buffer, story = make_buffer(student, setting, seed), tell_story(setting, seed)
        fill(buffer, story, setting, range(1, len(story)), reuse=True)
        ((ob, _, _),) = draw(buffer, 1)
        newest = ob.reshape(BATCH, -1, *setting.shape)[:, -1].reshape(BATCH, -1)[:, 0]
        expected = setting.shape == ob.shape[-len(setting.shape) :]
        seen["reference"] |= expected and len(np.unique(newest)) <= 2


def readiness(student: Student, seed: int, seen: Seen) -> None:
    """Asks after each frame whether there is enough to draw from."""
    setting = SETTINGS["vectors"]
    buffer, story = make_buffer(student, setting, seed), tell_story(setting, seed)
    ready = [bool(buffer.can_sample(BATCH // 4))]
    for number in range(1, len(story)):
        fill(buffer, story, setting, [number], reuse=False)
        ready.append(bool(buffer.can_sample(BATCH // 4)))
    seen["too_early"], seen["too_late"] = any(ready[:FEW]), not all(ready[ENOUGH:])


def probe(student: Student, seed: int) -> None:
    """Fills buffers of several kinds, and draws from them."""

    def load(seen: Seen) -> None:
        seen["ours"] = make_buffer(student, SETTINGS["vectors"], seed) is not None

    trial = student.try_out("load", load)
    if trial.crash or not trial.arrays["ours"]:
        return
    for name, setting in SETTINGS.items():
        student.try_out(name, functools.partial(live, student, setting, seed))
    student.try_out("reused", functools.partial(reused, student, seed))
    student.try_out("readiness", functools.partial(readiness, student, seed))
