"""The folder of a run: made for a new one, found for one that is resumed."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import time
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from cs285.infrastructure.base.config import (
    RunConfig,
    UserError,
    config_from_dict,
    read_config_json,
    write_config_json,
)

if typing.TYPE_CHECKING:
    from _typeshed import DataclassInstance

ConfigT = TypeVar("ConfigT", bound="DataclassInstance")
RunT = TypeVar("RunT", bound=RunConfig)


def reconcile(saved: ConfigT, new: ConfigT, explicit_names: set[str], run_dir: Path) -> ConfigT:
    """Returns the saved config with the new one's `resume`; refuses typed flags that differ."""
    # --eval_batch_size has become a number of episodes, see `launch.count_episodes`.
    for name in sorted(explicit_names - {"resume", "eval_batch_size"}):
        before, now = getattr(saved, name), getattr(new, name)
        if before != now:
            begun = "without it" if before is None else f"with {before!r}"
            raise UserError(
                f"--{name} is {now!r} but {run_dir} was begun {begun}; "
                f"leave --{name} out to resume it, or leave --resume out to begin a new run"
            )
    return dataclasses.replace(saved, **{n: getattr(new, n) for n in explicit_names & {"resume"}})


@contextlib.contextmanager
def open_run(
    script: str, config: RunT, explicit_names: set[str], resolve: Callable[[RunT], RunT]
) -> Iterator[tuple[RunT, Path]]:
    """Makes the folder of a new run, or finds the one to resume, for as long as the run lasts.

    A run that fails before it has logged or saved anything leaves no folder behind. `config` is
    what was asked for, `explicit_names` were typed, and `resolve` completes a new run's settings.

    Yields:
        All settings of the run, and its folder; raises UserError if there can't be one.
    """
    if config.resume is not None:
        yield _resumed(script, config, explicit_names), Path(config.resume)
        return
    config = resolve(config)
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S")
    homework = script.removeprefix("run_").partition("_")[0]
    env_name = config.env_name.replace("/", "-")  # of a namespace: ALE/Pong-v5
    name = f"{homework}_{config.exp_name}_{env_name}_{stamp}"
    with _new_folder(Path(config.data_dir), name) as run_dir:
        write_config_json(run_dir, config, script)
        yield config, run_dir


def _resumed(script: str, config: RunT, explicit_names: set[str]) -> RunT:
    run_dir = Path(config.resume or "")
    document = read_config_json(run_dir)
    if document.get("script") != script:
        raise UserError(f"{run_dir} was begun by scripts/{document.get('script')}.py: use that")
    if (run_dir / "policy.safetensors").exists() and not (run_dir / "checkpoints").exists():
        raise UserError(f"{run_dir} is finished, there is nothing to resume; begin a new run")
    saved = config_from_dict(type(config), document["settings"])
    return reconcile(saved, config, explicit_names, run_dir)


@contextlib.contextmanager
def _new_folder(data_dir: Path, name: str) -> Iterator[Path]:
    """Makes a folder, and removes it if an error comes before anything worth keeping."""
    if "/" in name or "\\" in name:
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
        raise UserError(f"--data_dir {data_dir}: {error.strerror}; give another folder") from None
    try:
        yield run_dir
    except (Exception, KeyboardInterrupt):
        with contextlib.suppress(OSError):  # a folder that holds more stays
            if [path.name for path in run_dir.iterdir()] == ["config.json"]:
                (run_dir / "config.json").unlink()
                for folder in (run_dir, *made):
                    folder.rmdir()
        raise
