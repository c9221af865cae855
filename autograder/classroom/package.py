"""Finds the `cs285` folder, or single files of it, among all that somebody has handed in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from autograder.base.text import one_line
from autograder.classroom.archive_formats import UnreadableError
from autograder.classroom.exports import METADATA
from autograder.classroom.read_submission import DATA, PYTHON, ignored
from autograder.source import PACKAGE

PARTS = ("agents", "critics", "infrastructure", "policies")
BESIDE = "../"
"""How the paths of helpers begin that lie beside the `cs285` folder, and not in it."""
OWN_COMPILER = "infrastructure/compiled/"  # of the handout, and nothing is judged there
COMPILES = re.compile(rb"^[^#\n]*\btorch\.compile\b", re.MULTILINE)
NO_HELPERS = ("setup.py", "conftest.py", "__init__.py", "__main__.py", METADATA)
MOST_NAMES = 10  # of files that were renamed, with a line each
# dqn_critic (1).py, dqn_critic - Copy.py, dqn_critic_FINAL.py, dqn_critic-2.py
COPY_MARK = re.compile(
    r"(?:[ _-]*\(\d+\)|[ _-]+(?:copy|final|fixed|new|latest|solution|submission|v?\d{1,2})\d?)+$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Package:
    """The files that are judged, and what the course staff may want to know about them."""

    files: Mapping[str, bytes]
    """By path within `cs285`; those of helpers beside it begin with `BESIDE`."""
    remarks: list[str] = field(default_factory=list)


def package_files(files: Mapping[str, bytes], handout: Sequence[str]) -> Package:
    """Returns the files of the `cs285` folder among those handed in, by path within it.

    The folder is the one with most of the handout's files at their places. Where there is none,
    single files of the handout's are put where they belong, by their names.

    Raises:
        UnreadableError: If there is nothing of the kind, or two that differ.
    """
    kept = {path: data for path, data in sorted(files.items()) if not ignored(path)}
    kept, remarks = with_own_names(kept, handout)
    wanted = {*handout}
    scores = Counter(top for path in kept for top in tops(path) if path[len(top) :] in wanted)
    if not scores:
        return Package(single_files(kept, handout), remarks)
    best = min(scores, key=lambda top: (-scores[top], top.count("/"), top))
    found = below(best, kept)
    for top in filter(is_package, sorted(scores)):
        if any(found.get(path, data) != data for path, data in below(top, kept).items()):
            raise UnreadableError(
                f"there are two different folders, {best} and {top}; hand in one of them"
            )
    if any(COMPILES.search(found[path]) for path in found if not path.startswith(OWN_COMPILER)):
        remarks.append("it uses torch.compile, which is judged as the plain function")
    loose = places_by_name(handout)
    for name, data in beside(best, kept).items():
        if place := loose.get(name):
            if found.setdefault(place, data) != data:
                remarks.append(f"{name} beside {PACKAGE}/ was not read: it differs from {place}")
        else:
            found[f"{BESIDE}{name}"] = data
    return Package(found, remarks)


def is_package(top: str) -> bool:
    """Returns whether a folder is called `cs285`."""
    return top.endswith(f"{PACKAGE}/")


def below(top: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files whose paths begin with `top`, by the rest of it."""
    return {path[len(top) :]: data for path, data in files.items() if path.startswith(top)}


def beside(top: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files that lie beside a folder called `cs285`, by their names."""
    if not is_package(top):
        return {}
    around = below(top[: -len(f"{PACKAGE}/")], files)
    return {name: data for name, data in around.items() if is_helper(name)}


def is_helper(name: str) -> bool:
    """Returns whether code may import or read a file by its mere name."""
    return "/" not in name and not name.startswith(".") and name not in NO_HELPERS


def places_by_name(handout: Sequence[str]) -> dict[str, str]:
    """Returns a handout's paths by the names of the files."""
    return {PurePosixPath(path).name: path for path in handout if "__init__" not in path}


def single_files(files: Mapping[str, bytes], handout: Sequence[str]) -> dict[str, bytes]:
    """Returns the files that are called as one of the handout's, at its place, and helpers.

    Raises:
        UnreadableError: If there are none, or two that differ.
    """
    places = places_by_name(handout)
    placed: dict[str, bytes] = {}
    came_from: dict[str, str] = {}
    for path, data in files.items():
        name = PurePosixPath(path).name
        if name in places:
            place = places[name]
        elif is_helper(name):
            place = f"{BESIDE}{name}"
        else:
            continue
        other = came_from.setdefault(place, path)
        if placed.setdefault(place, data) != data:
            raise UnreadableError(
                f"there are two different files, {other} and {path}; hand in one of them"
            )
    if not any(path in placed for path in places.values()):
        raise UnreadableError(f"no {PACKAGE}/ folder, and none of its files, is in it")
    return placed


def with_own_names(
    files: Mapping[str, bytes], handout: Sequence[str]
) -> tuple[dict[str, bytes], list[str]]:
    """Gives files that a system or a student has renamed the handout's names again.

    Returns:
        The files, and lines on those that were renamed.

    Raises:
        UnreadableError: If two different files would have one name.
    """
    names = {name.casefold(): name for name in places_by_name(handout)}
    found: dict[str, bytes] = {}
    came_from: dict[str, str] = {}
    remarks, renamed = [], list[tuple[str, str]]()
    # What has its own name goes first.
    for path, own in sorted(
        ((p, own_path(p, names)) for p in files), key=lambda ps: ps[0] != ps[1]
    ):
        data = files[path]
        if found.get(own, data) != data:
            if came_from[own] == own:
                remarks.append(f"{one_line(path)} was not read, for {one_line(own)} is there too")
                continue
            raise UnreadableError(
                f"there are two different files, {one_line(came_from[own])} and {one_line(path)}; "
                "hand in one of them"
            )
        if path != own and own.endswith(".py"):
            renamed.append((one_line(path), one_line(own)))
        found[own], came_from[own] = data, path
    return dict(sorted(found.items())), [*remarks, *lines_on_names(renamed)]


def lines_on_names(renamed: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields what was read as what: a line each, or one for all where they are many.

    A folder's name is one thing, however many files are below it.
    """
    by_folder = [pair for pair in renamed if len({path.rpartition("/")[2] for path in pair}) == 1]
    by_name = [pair for pair in renamed if pair not in by_folder]
    for pairs, most in ((by_folder, 1), (by_name, MOST_NAMES)):
        if len(pairs) > most:
            path, own = pairs[0]
            yield f"{len(pairs)} files were read as the handout calls them, such as {path} as {own}"
        else:
            yield from (f"{path} was read as {own}" for path, own in pairs)


def own_path(path: str, names: Mapping[str, str]) -> str:
    """Returns the path that a file should have; `names`: those of the handout, by any case."""
    *folders, name = path.split("/")
    fold = {part: part for part in (PACKAGE, *PARTS)}
    return "/".join([*(fold.get(part.casefold(), part) for part in folders), own_name(name, names)])


def own_name(name: str, names: Mapping[str, str]) -> str:
    """Returns the handout's name of a file that was renamed; its own if it is none of those."""
    for ending in sorted(PYTHON, key=len, reverse=True):
        if name.lower().endswith(ending):
            stem = name[: -len(ending)].strip()
            tries = [stem, COPY_MARK.sub("", stem)]
            tries += [re.sub(r"[ _-]+", "_", one) for one in tries]  # ppo agent.py
            known = (names.get(f"{one}.py".casefold()) for one in tries)
            return next(filter(None, known), f"{stem}.py" if ending == ".py.txt" else name)
    return name


def is_code(name: str) -> bool:
    """Returns whether a name is that of a Python file, or of data for one."""
    return name.lower().endswith((*PYTHON, *DATA))


def tops(path: str) -> Iterator[str]:
    """Yields each way to split a path before one of the package's parts; the first part's text."""
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in PARTS:
            yield "".join(f"{p}/" for p in parts[:number])
