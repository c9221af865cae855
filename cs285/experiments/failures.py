"""What ends a run before its time, or keeps it from beginning, becomes one line that helps."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cs285.experiments import registry
from cs285.infrastructure.base.command_line import words_in_python
from cs285.infrastructure.base.config import CANNOT_WRITE, read_config_json
from cs285.infrastructure.base.errors import TaskError, UserError
from cs285.infrastructure.training.open_run import has_results

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    from cs285.infrastructure.rl_trainer import RL_Trainer

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


@contextlib.contextmanager
def explained(trainer: RL_Trainer) -> Iterator[None]:
    """Turns what ends a run before its time into one line: what, where, and how to go on."""
    from cs285.infrastructure.training.run_folder import NotFiniteError

    folder, env_name = trainer.run.folder, trainer.params["env_name"]
    try:
        yield
    except (TaskError, NotFiniteError) as error:
        steps = f"after {trainer.total_envsteps:,} steps in {env_name}"
        raise UserError(f"{steps}: {error}; {what_is_left(folder)}") from error
    except OSError as error:
        if error.errno not in CANNOT_WRITE:
            raise
        raise UserError(
            f"{folder}: {error.strerror}; what was written stays; {what_is_left(folder)}"
        ) from error


def what_is_left(run_dir: Path) -> str:
    """Returns what a run that was ended leaves, as part of a sentence."""
    if any(run_dir.glob("checkpoints/step_*[0-9]/manifest.json")):
        return f"the last checkpoint stays; go on with: {resume_command(run_dir)}"
    if has_results(run_dir):
        return "there was no checkpoint yet; begin a new run"
    return "nothing was saved yet; begin a new run"


def resume_command(run_dir: Path) -> str:
    """Returns what goes on with a run, as it can be pasted: a command, or a line of Python.

    A command that `pip` has installed starts every algorithm, so it is told which.
    """
    if words_in_python.get() is not None:
        return f"cs285.load({str(run_dir)!r}).resume()"
    program = Path(sys.argv[0])
    if program.suffix == ".py":
        return shlex.join(["python", sys.argv[0], "--resume", str(run_dir)])
    algorithm = registry.name_of(str(read_config_json(run_dir).get("script")))
    return shlex.join([program.name, algorithm, "--resume", str(run_dir)])
