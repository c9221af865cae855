"""Fills the given replay buffer with frames that encode their number, and draws from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes.given_code import takes
from autograder.homeworks.hw3.fakes.replay_story import (
    IMAGE,
    VECTOR,
    Setting,
    Story,
    first_for_blank,
    numbers_in,
    picture,
    play_story,
    truth,
)
from autograder.running.draws import share_is
from autograder.running.probing import Student

BATCH, BATCHES = 64, 20
FEW, ENOUGH = 8, 20  # frames with which 16 transitions cannot, and can, be drawn
MOST_UNTRUE = 40  # observations that are noted
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
    "reused": Setting(1, VECTOR, 37, 29, reuse=True),
    "reused_stacks": Setting(4, IMAGE, 61, 59, reuse=True),
}


def cases(seed: int) -> Mapping[str, Setting]:
    """Returns buffers of several kinds."""
    return {name: replace(setting, seed=seed) for name, setting in SETTINGS.items()}


def observe(student: Student, case: Setting) -> dict[str, Any]:
    """Lives through a story, and draws; a buffer with another interface is not asked.

    Frames that are all alike are kept by reference: nothing else shows of them then.
    """
    make: Any = student.module("infrastructure.replay.replay_buffer").MemoryOptimizedReplayBuffer
    arguments = case.size, case.history, case.shape, case.dtype, case.seed
    if not takes(make, *arguments):
        return {"has_another_interface": True}
    buffer, story = make(*arguments), play_story(case)
    recent, ready = fill(buffer, story, case)
    drawn = [draw(buffer) for _ in range(BATCHES)]
    shape, stacked = drawn[0][0].shape[1:], (case.history, *case.shape)
    expected = shape in (stacked, stacked[case.history == 1 :])
    newest = drawn[0][0].reshape(BATCH, -1)[:, -math.prod(case.shape) :]
    record = {
        "shape": shape or (0,),
        "same_batch": all(map(np.array_equal, *drawn[:2])),
        "reference": expected and len(np.unique(newest, axis=0)) <= 2,
        "too_early": any(ready[:FEW]),
        "too_late": not all(ready[ENOUGH:]),
    }
    if record["reference"] or not expected:
        return record
    return record | rows(drawn, story, case, recent)


def fill(buffer: Any, story: Story, setting: Setting) -> tuple[np.ndarray, list[bool]]:
    """Lives through a story.

    Returns:
        What was recent after each frame that was acted on; and before all frames, and after each,
        whether there was enough to draw from.
    """
    array, recent = np.zeros(setting.shape, setting.dtype), []
    ready = [bool(buffer.can_sample(BATCH // 4))]
    columns = (story[name].tolist() for name in ("action", "reward", "done"))  # plain numbers
    effects = list(zip(*columns, strict=True))
    for number, acted in enumerate(story.acted.tolist()[1:], 1):
        array[...] = picture(number, setting)
        shown = array if setting.reuse else array.copy()
        if acted:
            index = buffer.store_frame(shown)
            recent.append(np.array(buffer.encode_recent_observation()))
            if not (setting.pending and number == len(story) - 1):
                buffer.store_effect(index, *effects[number])
        else:
            buffer.end_path(shown)
        ready.append(bool(buffer.can_sample(BATCH // 4)))
    return np.array(recent), ready


def draw(buffer: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws a batch; its facts in one axis, whatever shape they come in."""
    ob, action, reward, next_ob, done = (np.array(array) for array in buffer.sample(BATCH))
    facts = np.stack([fact.reshape(BATCH) for fact in (action, reward, done)], axis=1)
    return ob, facts.astype(np.float64), next_ob


def rows(
    drawn: Sequence[tuple[np.ndarray, ...]], story: Story, setting: Setting, recent: np.ndarray
) -> dict[str, Any]:
    """Returns what is untrue of what was recent, and of each transition that is drawn."""
    history = setting.history
    ob, facts, next_ob = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    looks = [numbers_in(frames, setting) for frames in (ob, next_ob, recent)]
    (stack, follows, shown), changed = zip(*looks, strict=True)
    follows[facts[:, 2] > 0, -1] = 0
    transitions = np.concatenate([stack, facts, follows], axis=1).round(5)
    different = np.unique(transitions, axis=0)
    right = truth(story, np.flatnonzero(story.acted), history)[:, :history]
    untrue = first_for_blank(shown, right, story) != right
    return untrue_rows(different, story, setting) | {
        "changed": any(changed),
        "glued": len(np.unique(different[:, :history], axis=0)) < len(different),
        "not_uniform": not (setting.image or evenly(stack[:, -1])),
        "recent_untrue": shown[untrue.any(axis=1)][:MOST_UNTRUE],
    }


def untrue_rows(rows: np.ndarray, story: Story, setting: Setting) -> dict[str, Any]:
    """Returns the rows that are no true transition, and which true ones never came."""
    history, last = setting.history, len(story) - 1
    number = np.clip(rows[:, history - 1], 0, last).astype(int)
    right = truth(story, number, history)
    read = first_for_blank(rows, right, story)
    read[:, history : history + 3] = rows[:, history : history + 3]
    old = (number <= last - setting.size + history)[:, None]
    forgotten = old & (rows == 0) & (np.arange(rows.shape[1]) < history)
    untrue = ~(np.isclose(read, right, 1e-3, 1e-5) | forgotten)
    parts = np.split(untrue, [history, history + 1, history + 2, history + 3], axis=1)
    unwritten = bool((number == 0).any())
    record: dict[str, Any] = {
        "untrue": [bool(part.any()) for part in parts],  # stack, action, reward, done, next stack
        "unwritten": unwritten,
    }
    if not unwritten:
        record["newest_sampled"] = bool((number == last).any())
        record["cut_frame_sampled"] = not story.acted[number].all()
        record["stack_crosses_head"] = bool((rows[:, :history] > number[:, None]).any())
    if not setting.image:  # of images more are kept than draws could show
        record["untrue_rows"] = rows[untrue.any(axis=1)]
        kept = np.arange(max(1, last - setting.size + history), last)
        whole = story.acted & ~(story.last & ~story.done)
        record["never"] = np.setdiff1d(kept[whole[kept]], number)
        record["forgets_too_soon"] = record["never"].size > 0
    return record


def evenly(numbers: np.ndarray) -> bool:
    """Returns whether the older half of what is drawn is drawn as often as the newer half."""
    _, counts = np.unique(numbers, return_counts=True)
    half = len(counts) // 2
    return share_is(int(counts[:half].sum()), int(counts.sum()), half / max(1, len(counts)))
