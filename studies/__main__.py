"""The process of one run: `python -m studies JOB`, as a study starts it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from cs285.infrastructure.base.config import cli
from cs285.infrastructure.base.errors import UserError
from studies.one_run import STOP, Job, begin_or_resume


def _stop_with_parent(folder: Path) -> None:
    """Asks the run to save and stop when whoever started it is gone, however that came."""
    while os.read(0, 1):  # the other end of this pipe closes with that process
        pass
    (folder / STOP).touch()


@cli
def main(argv: Sequence[str]) -> int:
    """Does the job that the only word describes, in JSON."""
    try:
        (word,) = argv
        job = Job(**json.loads(word))
    except (ValueError, TypeError):
        raise UserError(
            "python -m studies is what a study starts for each of its runs, with the run in JSON; "
            "type python scripts/run.py --help"
        ) from None
    threading.Thread(target=_stop_with_parent, args=[Path(job.folder)], daemon=True).start()
    return begin_or_resume(job)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
