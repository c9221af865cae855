"""Which runs of a study are there already, and what the others are: found by content, not name."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import look_where_found
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.training.open_run import is_finished
from studies import scripts
from studies.study import Study

IDENTITY = "run.json"
OLDER = "older"
"""The folder in a study's, to which runs of other code are moved."""


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of a study: where it lies, and how to begin it."""

    folder: Path
    script: str
    words: tuple[str, ...]
    """What its script is started with, if it is new."""
    settings: Mapping[str, Any]
    """Every setting that these words lead to."""
    identity: Mapping[str, Any]
    """What its run.json says."""

    @property
    def name(self) -> str:
        """Returns its folder's name."""
        return self.folder.name


def find_modules_again(folder: Path) -> None:
    """Lets the modules of a study's environments be found from any folder, once a run has begun."""
    for file in sorted(folder.glob("*/config.json")):
        if look_where_found(read_config_json(file.parent)):
            return


def plan(study: Study, folder: Path) -> list[Run]:
    """Returns all runs of a study, experiment by experiment.

    Raises:
        UserError: If the flags of one are wrong.
    """
    find_modules_again(folder)
    runs = []
    for experiment, parameters in study.experiments():
        script, words = scripts.words_of(parameters)
        for seed in study.seeds:
            own = [f"--exp_name={experiment}", f"--data_dir={folder}", f"--seed={seed}"]
            settings = dataclasses.asdict(scripts.asked_for(script, [*words, *own]))
            identity = {
                "experiment": experiment,
                "seed": seed,
                "parameters": parameters,
                "settings": _hash([script, scripts.learned(settings)]),
                "code": scripts.code_version(script, str(settings["env_name"])),
            }
            place = folder / f"{experiment}_s{seed}"
            runs.append(Run(place, script, (*words, *own), settings, identity))
    by_name = {run.name: run for run in runs}
    if len(by_name) < len(runs):
        raise UserError("two runs would bear one name: give other shorthands, --hid[h]")
    return runs


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def find(runs: Sequence[Run], folder: Path, code: str | None) -> None:
    """Brings what the study's folder holds in line with the plan; nothing is ever removed.

    A run with the same settings under another name is renamed, since names hold what differs in
    the study of today.

    Args:
        runs: The plan.
        folder: The study's folder.
        code: What becomes of runs of other code: "keep" or "again"; None refuses them.

    Raises:
        UserError: If a name is taken by a run with other settings, or runs are of other code.
    """
    there = {path.parent: read_identity(path.parent) for path in folder.glob(f"*/{IDENTITY}")}
    by_settings = {str(known.get("settings")): path for path, known in there.items()}
    moves = []
    for run in runs:
        found = by_settings.get(run.identity["settings"])
        if found is not None and found != run.folder:
            moves.append((found, run.folder))
    leaving = {old for old, _ in moves}
    for run in runs:
        taken = run.folder in there and run.folder not in leaving
        if taken and there[run.folder].get("settings") != run.identity["settings"]:
            raise UserError(_difference(run))
    _rename(moves)
    others = [run for run in runs if _code_of(run) not in (None, run.identity["code"])]
    if others and code is None:
        raise UserError(
            f"{len(others)} of {len(runs)} runs in {folder} were made by other code or packages: "
            "add --code keep to count them and go on, or --code again to run them anew "
            f"(they are kept in {folder / OLDER})"
        )
    for run in others if code == "again" else []:
        (folder / OLDER).mkdir(exist_ok=True)
        os.rename(run.folder, folder / OLDER / f"{run.name}_{str(_code_of(run))[:8]}")


def _rename(moves: Sequence[tuple[Path, Path]]) -> None:
    """Renames folders, by way of names that nobody has: two may change places."""
    between = [(old.with_name(f"{old.name}.renamed"), new) for old, new in moves]
    for (old, _), (middle, _) in zip(moves, between, strict=True):
        os.rename(old, middle)
    for middle, new in between:
        os.rename(middle, new)


def read_identity(folder: Path) -> dict[str, Any]:
    """Returns what a run's run.json says; nothing if there is none that can be read."""
    try:
        document = json.loads((folder / IDENTITY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _code_of(run: Run) -> str | None:
    return read_identity(run.folder).get("code")


def _difference(run: Run) -> str:
    """Returns how the run that has this one's name differs from it."""
    old = scripts.learned(read_config_json(run.folder)["settings"])
    new = scripts.learned(run.settings)
    name = next((n for n in new if old.get(n) != new[n]), "script")
    return (
        f"{run.folder} is there with --{name} {old.get(name)}, not {new.get(name)}: "
        "give another --exp_name, or --dt to begin a new study"
    )


def finished(folder: Path) -> bool:
    """Tells whether a run is done: it has come to its end, or its --target_return is reached."""
    if is_finished(folder):
        return True
    if not (folder / "policy.safetensors").exists():
        return False
    target = read_config_json(folder)["settings"].get("target_return")
    evaluations = read_log(folder).get("Eval_AverageReturn", ())
    return target is not None and any(mean >= target for mean in evaluations)
