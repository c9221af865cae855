"""The folder of a run: made for a new one, found for one that is resumed."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import itertools
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from cs285.infrastructure.base.config import (
    config_from_dict,
    read_config_json,
    replace_config_json,
    write_config_json,
)
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import RunConfig

RunT = TypeVar("RunT", bound=RunConfig)

LENGTHS = ("num_timesteps", "n_iter")
"""The settings that say how long a run is; an experiment has one of them."""
WEIGHTS = "weights.safetensors"
"""The weights of all networks: what a run leaves last, and what --load reads."""
LOCK = ".training.lock"
"""What the process that trains in a folder has locked; `.lock` is that of a study."""
WITHOUT_RESULTS = (
    *(LOCK, "config.json", "log.csv", "learning_curve.png", "run.html"),
    *("events.out.*", "*.tmp"),
)
"""What a run may have made before it has any result."""


def is_finished(run_dir: Path) -> bool:
    """Returns whether a run has come to its end.

    Its last act is to leave the weights of all networks. Runs of older versions may lack those,
    and have removed their checkpoints.
    """
    if (run_dir / WEIGHTS).exists():
        return True
    return (run_dir / "policy.safetensors").exists() and not (run_dir / "checkpoints").exists()


def is_of_study(run_dir: Path) -> bool:
    """Returns whether a run is one of a study's, all of which have the length that it says."""
    return (run_dir / "run.json").exists()


def clear_stop(path: Path) -> None:
    """Removes a request to stop: a file, or an empty folder."""
    if path.is_dir() and not path.is_symlink():
        with contextlib.suppress(OSError):  # somebody's files are in it
            path.rmdir()
    else:
        path.unlink(missing_ok=True)


def reconcile(saved: RunT, new: RunT, explicit_names: set[str], run_dir: Path) -> RunT:
    """Returns the saved config, with what a resumed run takes from the new one.

    That is `resume`, and a length that is larger than before.

    Raises:
        UserError: If another typed flag differs.
    """
    was, given = vars(saved), vars(new)
    taken = {name: given[name] for name in explicit_names & {"resume"}}
    # --eval_batch_size has become a number of episodes, see `limits.count_episodes`.
    for name in sorted(explicit_names - {"resume", "eval_batch_size"}):
        before, now = was[name], given[name]
        if name in LENGTHS and now > before:
            taken[name] = now
        elif before != now:
            begun = "without it" if before is None else f"with {before!r}"
            raise UserError(
                f"--{name} is {now!r} but {run_dir} was begun {begun}; "
                f"leave --{name} out to resume it, or leave --resume out to begin a new run"
            )
    return dataclasses.replace(saved, **taken)


def refuse_to_lengthen(saved: RunConfig, run_dir: Path) -> None:
    """Raises UserError if a run cannot become longer than it was meant to be."""
    fields = dataclasses.fields(saved)
    tied = [f.name for f in fields if f.metadata["over_the_run"] and saved[f.name]]
    if tied:
        raise UserError(
            f"{run_dir} was begun with --{tied[0]}, which depends on the length of the run: "
            "begin a new run"
        )
    if is_of_study(run_dir):
        raise UserError(f"{run_dir} is one of a study's: give the length to a new study")
    if is_finished(run_dir) and not (run_dir / "checkpoints").exists():
        raise UserError(
            f"{run_dir} is finished, and its last checkpoint is not kept (it is above 200 MB, and "
            "--keep_checkpoint was not given): begin a new run, or --load its weights"
        )


def record_length(run_dir: Path, settings: Mapping[str, Any]) -> None:
    """Writes a larger length into config.json; from here on the run is not finished."""
    document = read_config_json(run_dir)
    before = document["settings"]
    longer = {n: settings[n] for n in LENGTHS if n in before and before[n] != settings[n]}
    if not longer:
        return
    (run_dir / WEIGHTS).unlink(missing_ok=True)
    was = {name: before[name] for name in longer}
    document["settings"] = before | longer
    document["lengthened"] = [*document.get("lengthened", []), {"from": was, "to": longer}]
    replace_config_json(run_dir, document)


@contextlib.contextmanager
def open_run(
    script: str,
    config: RunT,
    explicit_names: set[str],
    resolve: Callable[[RunT], RunT],
    folder: Path | None = None,
) -> Iterator[tuple[RunT, Path]]:
    """Makes the folder of a new run, or finds the one to resume, for as long as the run lasts.

    A run that fails before it has logged or saved anything leaves no folder behind. `config` is
    what was asked for, `explicit_names` were typed, and `resolve` completes a new run's settings.
    `folder` is where a new run is to lie, if somebody has made it already, who then removes it.

    Yields:
        All settings of the run, and its folder; raises UserError if there can't be one.
    """
    if config.resume is not None:
        settled, run_dir = _resumed(script, config, explicit_names), Path(config.resume)
        with alone_in(run_dir):
            yield settled, run_dir
        return
    config = resolve(config)
    if folder is not None:
        with alone_in(folder):
            write_config_json(folder, config, script)
            yield config, folder
        return
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
    homework = script.removeprefix("run_").partition("_")[0]
    env_name = re.sub("[/:]", "-", config.env_name)  # ALE/Pong-v5; module:id
    name = f"{homework}_{config.exp_name}_{env_name}_{stamp}"
    with _new_folder(Path(config.data_dir), name) as run_dir:
        with alone_in(run_dir):
            write_config_json(run_dir, config, script)
            yield config, run_dir


@contextlib.contextmanager
def alone_in(run_dir: Path) -> Iterator[None]:
    """Keeps other processes from training in a run's folder meanwhile.

    The system forgets the lock if this process is killed.

    Raises:
        UserError: If another process trains there.
    """
    lock = FileLock(run_dir / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UserError(
            f"{run_dir}: another process trains there now; wait for its end, or stop it with: "
            f"touch {shlex.quote(str(run_dir / 'stop'))}"
        ) from None
    try:
        yield
    finally:
        lock.release()
        with contextlib.suppress(OSError):  # the next one locks a file of its own
            (run_dir / LOCK).unlink(missing_ok=True)


def _resumed(script: str, config: RunT, explicit_names: set[str]) -> RunT:
    run_dir = Path(config.resume or "")
    document = read_config_json(run_dir)
    if document.get("script") != script:
        raise UserError(f"{run_dir} was begun by scripts/{document.get('script')}.py: use that")
    # A flag that is newer than the run has its default, with which nothing changes.
    known = {field.name: field.default for field in dataclasses.fields(config)}
    saved = config_from_dict(type(config), known | document["settings"])
    settled = reconcile(saved, config, explicit_names, run_dir)
    length = next(name for name in LENGTHS if name in known)
    if settled[length] != saved[length]:
        refuse_to_lengthen(saved, run_dir)
    elif is_finished(run_dir):
        raise UserError(
            f"{run_dir} is finished, there is nothing to resume; it goes on for longer with a "
            f"--{length} above {saved[length]}"
        )
    return settled


@contextlib.contextmanager
def _new_folder(data_dir: Path, name: str) -> Iterator[Path]:
    """Makes a folder, and removes it if an error comes before anything worth keeping."""
    if any(letter in name for letter in "/\\\0"):
        raise UserError(f"{name!r} cannot name a folder: leave / and \\ out of --exp_name")
    made = [folder for folder in (data_dir, *data_dir.parents) if not folder.exists()]
    run_dir = data_dir / name
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(2):  # a second one in the same second gets a number
            with contextlib.suppress(FileExistsError):
                run_dir.mkdir()
                break
            run_dir = data_dir / f"{name}_{number}"
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UserError(f"{name!r} is too long for a folder: shorten --exp_name") from None
        raise UserError(f"--data_dir {data_dir}: {error.strerror}; give another folder") from None
    try:
        yield run_dir
    except (Exception, KeyboardInterrupt):
        if not has_results(run_dir):
            discard(run_dir)
            with contextlib.suppress(OSError):  # a folder that holds more stays
                for folder in made:
                    folder.rmdir()
        raise


def has_results(run_dir: Path) -> bool:
    """Returns whether a run has logged or saved anything."""
    with contextlib.suppress(OSError):
        if len((run_dir / "log.csv").read_text(encoding="utf-8").splitlines()) > 1:
            return True
    saved = ("*policy*.safetensors", "checkpoints/step_*[0-9]/manifest.json", "videos/*")
    return any(any(run_dir.glob(pattern)) for pattern in saved)


def discard(run_dir: Path, *more: str) -> None:
    """Removes the folder of a run without results, unless somebody's own files are in it.

    Args:
        run_dir: The folder.
        more: Names of files in it besides those that every run makes.
    """
    shutil.rmtree(run_dir / "checkpoints", ignore_errors=True)
    with contextlib.suppress(OSError):
        for pattern in (*WITHOUT_RESULTS, *more):
            for path in run_dir.glob(pattern):
                path.unlink()
        run_dir.rmdir()
