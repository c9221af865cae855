"""The story that a replay buffer was told, by number of frame; and frames read back as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from autograder.hw3.probe_replay import Frame, Setting, picture


@dataclass(frozen=True)
class Table:
    """The story by number of frame, from 0 (a blank place) on; one row more than there are."""

    age: np.ndarray
    acted: np.ndarray
    last: np.ndarray
    done: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    after_cut: np.ndarray  # whether the episode follows one that was cut
    newest: int

    @classmethod
    def of(cls, story: list[Frame]) -> Table:
        """Makes the table of a story."""
        blank = Frame(0, 0, False, False, False, 0, 0.0)
        rows = [blank, *story, blank]
        columns = {
            name: np.array([getattr(row, name) for row in rows])
            for name in ("age", "acted", "last", "done", "action", "reward")
        }
        first = np.arange(len(rows)) - columns["age"]
        after_cut = ~columns["acted"][np.maximum(first - 1, 0)] & (first > 1)
        return cls(**columns, after_cut=after_cut, newest=len(story))

    def stacks(self, numbers: np.ndarray, length: int, crossing: bool = False) -> np.ndarray:
        """Returns the numbers of the frames in stacks that end with `numbers`. Shape (n, length).

        `crossing`: as if the episodes before were the same one.
        """
        back = np.arange(length - 1, -1, -1)
        stacks = np.maximum(numbers[:, None] - back, 0)
        if crossing:
            return stacks
        return np.where(back <= self.age[numbers][:, None], stacks, 0)


def read_frames(frames: np.ndarray, setting: Setting) -> tuple[np.ndarray, np.ndarray]:
    """Returns the numbers that frames encode, and whether they are just as they were stored."""
    first = frames.reshape(*frames.shape[: -len(setting.shape)], -1)
    first = np.nan_to_num(first.astype(np.float64))
    if setting.image:
        numbers = first[..., 0] + 251 * (first[..., 1] - 1)
    else:
        numbers = np.floor(first[..., 0])
    blank = np.all(first == 0, axis=-1)
    numbers = np.where(blank, 0, np.clip(numbers, 0, setting.frames + 20)).astype(np.int64)
    pictures = np.array(
        [np.zeros(setting.shape)] + [picture(n, setting) for n in range(1, setting.frames + 21)]
    )
    exact = np.isclose(first, pictures[numbers].reshape(first.shape), 1e-3, 1e-5).all(-1)
    return numbers, exact
