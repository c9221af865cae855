"""The page of a run with what a diagnosis has found: the run's own code writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.evidence.files import UnreadableError


def write_page(run_dir: Path, findings: Sequence[Mapping[str, Any]]) -> Path | None:
    """Writes run.html anew, with findings; returns its path, or None if the log has no row.

    Raises:
        UnreadableError: If the folder cannot be read or written; one line says why.
    """
    from cs285.infrastructure.base.errors import UserError
    from cs285.infrastructure.logging.run_page import write_run_page

    try:
        return write_run_page(run_dir, findings)
    except OSError as error:
        raise UnreadableError(str(error.strerror or error)) from error
    except UserError as error:
        raise UnreadableError(str(error)) from error
