"""Data loaders in the box, whose worker processes would need the sockets that it refuses."""

from __future__ import annotations

import functools
from typing import Any

OF_WORKERS = ("num_workers", "prefetch_factor", "persistent_workers", "timeout", "worker_init_fn")


def load_alone() -> None:
    """Lets PyTorch's loaders read in the process that they are made in: the same batches."""
    from torch.utils.data import DataLoader

    made = DataLoader.__init__

    @functools.wraps(made)
    def make(self: DataLoader[Any], *args: Any, **settings: Any) -> None:
        plain = {name: value for name, value in settings.items() if name not in OF_WORKERS}
        plain.pop("multiprocessing_context", None)
        made(self, *args, **plain)

    DataLoader.__init__ = make  # type: ignore[method-assign]
