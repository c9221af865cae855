"""The papers of the tree that students are given: README, handout, settings of the tools."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.evidence.rules import questions
from autograder.misconceptions import catalogue
from autograder.misconceptions.catalogue import ungraded
from autograder.misconceptions.oracle import PUBLIC_SEEDS
from autograder.source import ROOT

SECTION = re.compile(
    r"(?ms)^ *(?:<!--|#) only: ([\w ]+)(?: -->)?\n(.*?)^ *(?:<!--|#) end(?: -->)?\n(\n?)"
)
"""A part of a file that some trees have: the repository's own copy has all of it."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")
PICTURES = (".png", ".svg")
# Our tests share the cores; a student, who stops in the debugger, wants one process.
SHARED = " --numprocesses auto --dist worksteal"
KEPT_SETTINGS = ("build-system", "tool.pytest.ini_options")
README = Path(__file__).with_name("readme.md")


def papers(homework: str, given: Mapping[str, str], there: Collection[str]) -> dict[str, str]:
    """Returns the papers by path; links to what is not in the tree become plain text.

    Args:
        homework: Such as "hw3".
        given: The files of cs285, by path within it.
        there: The paths of the rest of the tree.
    """
    found = {
        "README.md": readme(homework),
        "docs/autograder.md": sections(read("docs/autograder.md"), ()),
        "docs/runs.md": read("docs/runs.md"),
    } | {path: sections(read(path), ()) for path in handout_pages(homework)}
    results = f"docs/results/{homework}.md"
    if (ROOT / results).is_file():
        found[results] = read(results)
    all_there = {*there, *found, *pictures(found), "constraints.txt"}
    found = {path: with_links(text, path, all_there) for path, text in found.items()}
    return found | {
        "setup.py": sections(read("setup.py"), ()),
        "pyproject.toml": settings(read("pyproject.toml"), homework),
        "constraints.txt": read("constraints.txt"),
        ".gitignore": read(".gitignore"),
    }


def handout_pages(homework: str) -> list[str]:
    """Returns the paths of a homework's own pages: its first one, and those in its folder."""
    own = sorted((ROOT / "docs" / homework).glob("*.md"))
    return [f"docs/{homework}.md", *(file.relative_to(ROOT).as_posix() for file in own)]


def read(path: str) -> str:
    """Returns a text file of ours."""
    return (ROOT / path).read_text(encoding="utf-8")


def readme(homework: str, handout: bool = True) -> str:
    """Returns the page that a student reads first, in a handout or in a tree of `start`."""
    checks = catalogue.checks_so_far(homework)
    where = {id: f"cs285/{path}" for id, path in catalogue.blanks(homework).items()}
    rows = [row(check, where[check.id]) for check in checks if check.points]
    rows += [f"| `{id}` | not judged yet | | {link(where[id])} |" for id in ungraded(homework)]
    kept = ["checks" if checks else "no checks", *(["handout"] if checks and handout else [])]
    text = sections(README.read_text(encoding="utf-8"), kept)
    return text.format(
        homework=homework,
        number=homework.removeprefix("hw"),
        count=len(rows),
        rows="\n".join(rows),
        run=homeworks.first_run(homework),
        runs=" --runs" if questions(homework) else "",
        seeds=f"{', '.join(map(str, PUBLIC_SEEDS[:-1]))} and {PUBLIC_SEEDS[-1]}",
    )


def sections(text: str, kept: Collection[str]) -> str:
    """Returns a file with some of its marked sections, and without their markers.

    A section begins with the line `<!-- only: NAME -->` and ends with `<!-- end -->`; in Python,
    these are the comments `# only: NAME` and `# end`.

    Args:
        text: The file's text.
        kept: The names of the sections that stay.
    """

    def instead(section: re.Match[str]) -> str:
        if section[1] in kept:
            return section[2] + section[3]
        is_paragraph = section.string[: section.start()].endswith("\n\n")
        return "" if is_paragraph else section[3]  # a list that it ends needs the empty line

    return SECTION.sub(instead, text)


def row(check: Check, path: str) -> str:
    """Returns a blank's row."""
    return f"| `{check.id}` | {check.points} | {check.title} | {link(path)} |"


def link(path: str) -> str:
    """Returns a link to a file."""
    return f"[{path}]({path})"


def pictures(files: Mapping[str, str]) -> set[str]:
    """Returns the paths of pictures that pages show or link to, as far as they are there."""
    found = set()
    for path, text in files.items():
        for link in LINK.finditer(text if path.endswith(".md") else ""):
            target = resolved(path, link[3])
            if target.endswith(PICTURES) and (ROOT / target).is_file():
                found.add(target)
    return found


def resolved(path: str, target: str) -> str:
    """Returns the path from the top that a link on a page leads to."""
    absolute = (ROOT / path).parent.joinpath(target).resolve()
    return absolute.relative_to(ROOT).as_posix() if absolute.is_relative_to(ROOT) else ""


def with_links(text: str, path: str, there: Collection[str]) -> str:
    """Returns a page without the links to what is not there; their texts stay."""
    return LINK.sub(lambda m: m[0] if resolved(path, m[3]) in there else m[2], text)


def settings(text: str, homework: str) -> str:
    """Returns pyproject.toml with what installing and pytest need."""
    parts = re.split(r"(?m)^(?=\[)", text)
    kept = [part.rstrip() for part in parts if part[1:].split("]")[0] in KEPT_SETTINGS]
    tests = (
        f'testpaths = ["autograder/homeworks/{homework}"]\n'
        if homework in homeworks.names()
        else ""
    )
    text = re.sub(r"testpaths = .*\n", tests, "\n\n".join(kept)) + "\n"
    return text.replace(SHARED, "")


def copy_pictures(files: Mapping[str, str], folder: Path) -> None:
    """Copies the pictures that pages of the tree show.

    Raises:
        OSError: If they cannot be written.
    """
    for path in sorted(pictures(files)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes((ROOT / path).read_bytes())
