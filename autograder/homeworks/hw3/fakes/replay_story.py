"""The story of frames that go into a replay buffer: each of them encodes its number."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

NUM_ACTIONS = 7
LENGTHS = (5, 3, 11, 2, 7, 13, 1)  # of episodes, over and over
CUT = (False, True, False, False, True, True, False)  # whether a time limit ends them
IMAGE, VECTOR = (3, 5), (3,)
LATER = 20  # frames that no story has
Story = Any  # an np.recarray of these:
NAMES = ("age", "acted", "last", "done", "action", "reward")


@dataclass(frozen=True)
class Setting:
    """A buffer, and how many frames go in.

    `pending`: the newest frame has no effect yet. `endless`: all is one episode, so that the
    oldest frames that are kept had frames before them. `reuse`: each frame is written over the one
    before, as environments may.
    """

    history: int
    shape: tuple[int, ...]  # of a frame
    size: int
    frames: int
    seed: int = 0
    pending: bool = False
    endless: bool = False
    reuse: bool = False

    @property
    def image(self) -> bool:
        """Whether a frame is an image."""
        return self.shape == IMAGE

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a frame's numbers."""
        return np.dtype(np.uint8 if self.image else np.float32)


@functools.cache
def play_story(setting: Setting) -> Story:
    """Returns what is true of the frames of a run, by their numbers; number 0 is a blank place.

    The newest is in the middle of an episode. `age`: frames of its episode before it; `acted`: not
    so the last frame of a cut episode; `last`: its step ends the episode, or is cut there.
    """
    rng, newest = np.random.default_rng([285, 35, setting.seed]), setting.frames
    actions = rng.integers(0, NUM_ACTIONS, newest + 2 * LATER)
    rewards = np.round(rng.uniform(0.3, 3.7, newest + 2 * LATER), 2) + 0.037
    rewards *= rng.choice([-1, 1], newest + 2 * LATER)
    story = [(0, False, False, False, 0, 0.0)]
    episode = int(rng.integers(0, 3))
    while len(story) <= newest + LATER:
        length, cut = LENGTHS[episode % 7], CUT[episode % 7]
        if setting.endless:
            length, cut = newest + LATER, False
        for age in range(length + cut):
            n, last = len(story), age == length - 1
            story.append((age, age < length, last, last and not cut, actions[n], rewards[n]))
        episode += 1
    kinds: Any = {"names": NAMES, "formats": ["i8", "?", "?", "?", "i8", "f8"]}
    frames: Story = np.array(story, kinds).view(np.recarray)
    while not (frames[newest].acted and not frames[newest].last):
        newest += 1
    frames.flags.writeable = False  # all who ask with this setting share them
    return frames[: newest + 1]


def picture(number: int, setting: Setting) -> np.ndarray:
    """Returns the frame that is known by `number`: bytes, or floats that are not whole."""
    if setting.image:
        row = [number % 251, number // 251 + 1, 7 * number % 253, 11, 13 * number % 256]
        return np.array([row, row[::-1], row], np.uint8)
    return np.array([number + 0.25, -number - 0.5, 1 / (number + 1)], np.float32)


@functools.cache
def pictures(setting: Setting) -> np.ndarray:
    """Returns all frames that may come, flat, by their numbers; number 0 is a blank place."""
    every = [picture(n, setting).ravel() * (n > 0) for n in range(setting.frames + LATER + 1)]
    return np.array(every)


def numbers_in(frames: np.ndarray, setting: Setting) -> tuple[np.ndarray, bool]:
    """Returns which frames are in stacks, newest last, 0 for a blank; and whether any is changed.

    Numbers have shape (n, history).
    """
    scaled = setting.image and frames.dtype.kind == "f" and 0 < frames.max() <= 1
    frames = np.round(frames * 255) if scaled else frames
    flat = np.nan_to_num(frames.reshape(len(frames), setting.history, -1).astype(np.float64))
    first, most = flat[..., 0], setting.frames + LATER
    number = first + 251 * (flat[..., 1] - 1) if setting.image else np.floor(first)
    number = np.where((flat == 0).all(-1), 0, np.clip(number, 0, most)).astype(np.int64)
    same = np.isclose(flat, pictures(setting)[number], 1e-3, 1e-5).all()
    return number, bool(scaled or not same)


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
