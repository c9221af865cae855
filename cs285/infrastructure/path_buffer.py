"""Storage for on-policy agents: the paths that the present policy played, and no others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cs285.infrastructure.rollouts import PathDict, convert_listofrollouts, get_pathlength
from cs285.infrastructure.state import Stateful

Batch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class PathBuffer(Stateful):
    """Holds the transitions of the latest iteration.

    A policy gradient is an average over what the *present* policy does. One update makes a new
    policy, and the data of the one before it stale; so new paths replace the old ones here.
    """

    kept = ("batch", "path_ends_n")

    def __init__(self) -> None:
        """Starts empty."""
        self.batch: Batch | None = None
        self.path_ends_n: np.ndarray | None = None
        """Beside the batch: true at the last step of each path. Shape (n,), bool."""

    def __len__(self) -> int:
        """Returns the number of transitions held."""
        return 0 if self.batch is None else len(self.batch[2])

    def add_rollouts(self, paths: Sequence[PathDict]) -> None:
        """Stores the transitions of `paths` in place of those held so far."""
        self.batch = convert_listofrollouts(paths)
        self.path_ends_n = np.zeros(len(self), bool)
        self.path_ends_n[np.cumsum([get_pathlength(path) for path in paths]) - 1] = True

    def sample_recent_data(self, batch_size: int) -> Batch:
        """Returns every transition held, in the order played.

        Args:
            batch_size: How many transitions the caller counts on, at least. An iteration
                collects whole paths, so there are usually a few more, and all of them are used.

        Returns:
            ob_no, ac_na, re_n, next_ob_no, terminal_n, with as many rows each.

        Raises:
            ValueError: If fewer than `batch_size` transitions are held, or none.
        """
        if self.batch is None or len(self) < batch_size:
            raise ValueError(f"wanted {batch_size} transitions, the buffer holds {len(self)}")
        return self.batch
