"""Files of this package that somebody is at work on: what keeps a run from beginning, in a line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cs285.infrastructure.base.errors import UserError

PACKAGE = Path(__file__).parents[1]


@contextlib.contextmanager
def that_can_be_read() -> Iterator[None]:
    """Raises UserError where a file of the package is not valid Python, or is missing."""
    try:
        yield
    except SyntaxError as error:
        file = Path(error.filename or "")
        if PACKAGE not in file.parents:
            raise
        where = f"{file.relative_to(PACKAGE.parent)}, line {error.lineno}"
        raise UserError(f"{where} is not valid Python: {error.msg}") from error
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(f"{PACKAGE.name}."):
            raise
        file = Path(*str(error.name).split(".")).with_suffix(".py")
        raise UserError(f"{file} is missing: copy it from the handout again") from error
