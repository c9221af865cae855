"""What a library owes to the process it is used in: it leaves things as it found them."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterator

from cs285.infrastructure.base.errors import UserError

_in_use = threading.RLock()


@contextlib.contextmanager
def apart(draws: bool = False) -> Iterator[None]:
    """Gives the generators, threads, products and device of torch to one use of the library.

    They are as before afterwards. Another thread waits meanwhile: if both drew from the same
    generators, neither run could be repeated.

    Args:
        draws: Whether the generators go on from what is drawn, in the place of going back.
    """
    import torch

    from cs285.infrastructure import pytorch_util as ptu

    with _in_use:
        before = ptu.GlobalGenerators().state_dict(), torch.get_num_threads(), ptu.device
        precision = torch.get_float32_matmul_precision()
        try:
            yield
        finally:
            state, threads, ptu.device = before
            if not draws:
                ptu.GlobalGenerators().load_state_dict(state)
            torch.set_num_threads(threads)
            torch.set_float32_matmul_precision(precision)


@contextlib.contextmanager
def keywords_in_errors() -> Iterator[None]:
    """Writes settings in errors as keywords: `tau` in the place of `--tau`."""
    try:
        yield
    except UserError as error:
        error.args = (re.sub(r"(?<!\S)--(?=\w)", "", str(error)),)
        raise
