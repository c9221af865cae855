"""Makes a learner's own tree out of a clone: `python -m autograder start`.

It is the clone with the blanks of one homework empty, those of all others solved, and no markers.
The grader is whole, so it names as much there as it does in the clone.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from autograder.release import notebooks, papers, renewal
from autograder.source import PACKAGE, ROOT, reference
from autograder.source.blanks import find_regions
from autograder.source.handout_files import write
from autograder.source.reference import without_markers

FOLDERS = ("autograder", PACKAGE, "scripts", "studies", "docs")
README = "README.md"
FILES = (README, "LICENSE", "setup.py", "constraints.txt", ".gitignore")
SETTINGS = "pyproject.toml"
PAGES = (".md", ".png", ".svg", ".gif")  # of docs; the data of the results stay in the clone
SKIPPED = (".pyc", ".part")


def write_tree(homework: str, folder: Path) -> None:
    """Writes a learner's tree for one homework into a folder.

    Raises:
        OSError: If it cannot be written.
    """
    copied = {file.relative_to(ROOT).as_posix(): file for file in files_to_copy()}
    for path, text in sources(homework).items():
        write(folder / PACKAGE / path, text)
    for path, file in copied.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if path == README:
            write(folder / path, papers.readme(homework, handout=False))
        elif path.endswith(".md") and not path.startswith("autograder/"):
            write(folder / path, page(path, copied))
        else:
            shutil.copyfile(file, folder / path)
    if homework in notebooks.homeworks() and notebooks.can_build():
        write(folder / notebooks.FOLDER / f"{homework}.ipynb", notebooks.build(homework, {*copied}))
    write(folder / SETTINGS, papers.settings(papers.read(SETTINGS), homework))
    renewal.write_list(homework, folder)


def files_to_copy() -> Iterator[Path]:
    """Yields the files of the clone that a learner's tree has as they are, or nearly so."""
    yield from (ROOT / name for name in FILES)
    for name in FOLDERS:
        for file in sorted((ROOT / name).rglob("*")):
            if file.is_file() and is_copied(name, file):
                yield file


def is_copied(top: str, file: Path) -> bool:
    """Returns whether a learner's tree has a file from one of `FOLDERS`."""
    parts = file.relative_to(ROOT).parts
    if file.suffix in SKIPPED or any(part.startswith((".", "__pycache__")) for part in parts):
        return False
    if top == PACKAGE:  # its code comes from the reference, whatever the clone has
        return file.suffix != ".py"
    return top != "docs" or file.suffix in PAGES


def sources(homework: str) -> dict[str, str]:
    """Returns the files of `cs285` by path within it; the blanks of one homework are empty."""
    found = {}
    for path, text in reference.texts().items():
        empty = {r.id for r in find_regions(text, path) if r.homework == homework}
        found[path] = without_markers(text, empty, path)
    return found


def page(path: str, there: dict[str, Path]) -> str:
    """Returns a page without what is true of the repository alone, and without dead links."""
    return papers.with_links(papers.sections(papers.read(path), ()), path, {*there, SETTINGS})
