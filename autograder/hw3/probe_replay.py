"""Probe of the given replay buffer, from outside: frames that encode their number go in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.hw3.probe_schedules import takes
from autograder.probing import Student

NUM_ACTIONS = 7
LENGTHS = (5, 3, 11, 2, 7, 13, 1)  # of episodes, over and over
CUT = (False, True, False, False, True, True, False)  # whether a time limit ends them
IMAGE, VECTOR = (3, 5), (3,)
BATCH = 64
Seen = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """A buffer and how many frames go in.

    `pending`: the newest frame has no effect yet. `endless`: all is one episode, so that the
    oldest frames that are kept had frames before them.
    """

    history: int
    image: bool
    size: int
    frames: int
    batches: int
    pending: bool = False
    endless: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a frame."""
        return IMAGE if self.image else VECTOR


SETTINGS = {
    "vectors": Setting(1, False, 37, 29, 20),
    "vectors_full": Setting(1, False, 37, 211, 20),
    "vectors_pending": Setting(1, False, 37, 30, 20, pending=True),
    "vector_stacks": Setting(4, False, 53, 47, 20),
    "vector_stacks_full": Setting(4, False, 53, 223, 20),
    "vector_stacks_endless": Setting(4, False, 53, 211, 20, endless=True),
    "images": Setting(1, True, 61, 47, 10),
    "image_stacks": Setting(4, True, 61, 59, 10),
    "image_stacks_full": Setting(4, True, 61, 701, 10),
}


@dataclass(frozen=True)
class Frame:
    """What is true of the frame of one number."""

    number: int  # from 1; 0 is a blank place
    age: int  # frames of its episode before it
    acted: bool  # False for the last frame of a cut episode
    last: bool  # its step ends the episode, or is cut there
    done: bool
    action: int
    reward: float


def tell_story(setting: Setting, seed: int) -> list[Frame]:
    """Returns the frames of a run, in order; the newest is in the middle of an episode."""
    rng, num_frames = np.random.default_rng([285, 35, seed]), setting.frames
    actions = rng.integers(0, NUM_ACTIONS, num_frames + 40)
    rewards = np.round(rng.uniform(0.3, 3.7, num_frames + 40), 2) + 0.037
    signs = rng.choice([-1, 1], num_frames + 40)
    story: list[Frame] = []
    episode = int(rng.integers(0, 3))
    while len(story) < num_frames + 20:
        length, cut = LENGTHS[episode % 7], CUT[episode % 7]
        if setting.endless:
            length, cut = num_frames + 20, False
        for age in range(length + cut):
            n, last = len(story) + 1, age == length - 1
            reward = float(signs[n] * rewards[n])
            frame = Frame(n, age, age < length, last, last and not cut, int(actions[n]), reward)
            story.append(frame)
        episode += 1
    while not (story[num_frames - 1].acted and not story[num_frames - 1].last):
        num_frames += 1
    return story[:num_frames]


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
    args = (setting.size, setting.history, setting.shape, dtype, seed)
    return make(*args) if takes(make, *args) else None


def fill(buffer: Any, story: list[Frame], setting: Setting, reuse: bool = False) -> list[Any]:
    """Lives through a story; returns what was recent after each frame that was acted on.

    `reuse` keeps writing over one array, as environments may.
    """
    shown = np.zeros(setting.shape, np.uint8 if setting.image else np.float32)
    recent = []
    for frame in story:
        shown = shown if reuse else np.empty_like(shown)
        shown[...] = picture(frame.number, setting)
        if not frame.acted:
            buffer.end_path(shown)
            continue
        index = buffer.store_frame(shown)
        recent.append(np.array(buffer.encode_recent_observation()))
        if setting.pending and frame is story[-1]:
            break
        buffer.store_effect(index, frame.action, frame.reward, frame.done)
    return recent


def draw(buffer: Any, seen: Seen, batches: int) -> None:
    """Draws batches, and keeps them as one."""
    drawn: list[list[np.ndarray]] = [[np.array(a) for a in buffer.sample(BATCH)]]
    drawn += [[np.array(a) for a in buffer.sample(BATCH)] for _ in range(batches - 1)]
    for name, parts in zip(
        ("ob", "action", "reward", "next_ob", "done"), zip(*drawn, strict=True), strict=True
    ):
        seen[name] = np.concatenate(parts)


def probe_references_and_readiness(student: Student, seed: int) -> None:
    """Fills buffers from one array that is written over, and asks when there is enough to draw."""

    def reused(seen: Seen) -> None:
        for name, key in (("vectors", "vector"), ("image_stacks", "image")):
            buffer = make_buffer(student, SETTINGS[name], seed)
            fill(buffer, tell_story(SETTINGS[name], seed), SETTINGS[name], reuse=True)
            part: Seen = {}
            draw(buffer, part, 1)
            seen[key] = part["ob"]

    def readiness(seen: Seen) -> None:
        setting = SETTINGS["vectors"]
        buffer = make_buffer(student, setting, seed)
        ready = [bool(buffer.can_sample(BATCH // 4))]
        for frame in tell_story(setting, seed):
            fill(buffer, [frame], setting)
            ready.append(bool(buffer.can_sample(BATCH // 4)))
        seen["ready"] = ready

    student.try_out("reused", reused)
    student.try_out("readiness", readiness)


def probe_replay(student: Student, seed: int) -> None:
    """Fills buffers of several kinds, and draws from them."""

    def load(seen: Seen) -> None:
        seen["ours"] = make_buffer(student, SETTINGS["vectors"], seed) is not None

    trial = student.try_out("load", load)
    if trial.crash or not trial.arrays["ours"]:
        return
    for name, setting in SETTINGS.items():

        def run(seen: Seen, setting: Setting = setting) -> None:
            buffer = make_buffer(student, setting, seed)
            seen["recent"] = fill(buffer, tell_story(setting, seed), setting)
            draw(buffer, seen, setting.batches)

        student.try_out(name, run)
    probe_references_and_readiness(student, seed)
