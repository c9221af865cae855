"""From the words of a shell to a study: several values for a flag, and shorthands in brackets."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import flag
from studies import scripts, values
from studies.study import Study
from studies.values import Value

_FLAG = re.compile(r"--?([a-zA-Z]\w*(?::\w+)?)(?:\[([\w-]*)\])?(?:=(.*))?", re.ASCII | re.DOTALL)


@dataclasses.dataclass(frozen=True)
class StudyFlags:
    """The flags of a study itself: not of what is learned, but of where and how it is run."""

    exp_name: str = flag("", "name of the study; default: algorithm and environment")
    data_dir: str = flag("data", "folder in which the study's folder is made")
    datestamp: bool = flag(False, "put date and time before the folder's name", "--dt")
    num_cpu: str = flag("auto", "runs at the same time; auto: as many as there are cores", "--cpu")
    engine: str = flag("local", "who carries the runs", choices=("local", "ray", "dask"))
    code: str = flag(
        None,
        "what to do with runs of other code: keep and count them, or run them again",
        choices=("keep", "again"),
    )


_OWN = {"exp_name", "data_dir", "datestamp", "dt", "num_cpu", "cpu", "engine", "code"}


@dataclasses.dataclass(frozen=True)
class _Given:
    """A flag as it was typed: its name without dashes, its shorthand, its words."""

    name: str
    shorthand: str | None
    words: list[str]


def _given(words: Sequence[str]) -> list[_Given]:
    found: list[_Given] = []
    for word in words:
        match = _FLAG.fullmatch(word)
        if match:
            more = [] if match[3] is None else [match[3]]
            found.append(_Given(match[1], match[2], more))
        elif found:
            found[-1].words.append(word)
        else:
            raise UserError(f"{word} stands before any flag; --help lists the flags")
    return found


def study_of(algorithm: str, words: Sequence[str]) -> tuple[Study, StudyFlags]:
    """Returns the study that a command line asks for, and how to run it.

    Args:
        algorithm: Its name.
        words: Those after it: flags, each with one value or several, and perhaps a shorthand in
            brackets, `--hid[h] [64,32] [32,32]`.

    Raises:
        UserError: If a flag of the study itself is wrong, or one is given twice. What the flags
            of the script may be is seen when its runs are planned.
    """
    own: list[str] = []
    grid: dict[str, tuple[Value, ...]] = {}
    shorthands: dict[str, str] = {}
    for given in _given(words):
        if given.name in _OWN:
            own += [f"--{given.name}", *given.words]
            continue
        for name, texts in _opened(given).items():
            name = scripts.spellings(algorithm).get(name, name)
            if name in grid:
                raise UserError(f"--{name} is given twice: give all its values once")
            grid[name] = values.unique([values.parse(text) for text in texts]) or (True,)
            if given.shorthand is not None:
                shorthands[name] = given.shorthand
    flags, _ = parse_config(StudyFlags, own, "")
    seeds = tuple(grid.pop("seed", (0,)))
    name = flags.exp_name or "_".join([algorithm, *map(values.in_name, grid.get("env", ())[:1])])
    return Study(name, (algorithm,), grid, seeds, shorthands), flags  # type: ignore[arg-type]


def _opened(given: _Given) -> Mapping[str, list[str]]:
    """Returns the texts of a flag, or of each part of its dict(...)."""
    parts = values.entries(given.words[0]) if len(given.words) == 1 else None
    if parts is None:
        return {given.name: given.words}
    return {f"{given.name}:{part}": [text] for part, text in parts.items()}
