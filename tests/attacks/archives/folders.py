"""Folders of a strange kind, with links, pipes and names that nobody would type."""

from __future__ import annotations

import os
from pathlib import Path

from tests.attacks.suite import Files, as_folder, handed_in, solved_files


@handed_in("blank")
def folder_for_a_file(files: Files, place: Path) -> None:
    """A folder that has the name of a source file, and a file that has a folder's."""
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    (place / "cs285/policies/argmax_policy.py").mkdir()
    (place / "cs285/envs").write_text("a file")


@handed_in("refused")
def hundred_megabytes(files: Files, place: Path) -> None:
    """A source file of a hundred megabytes."""
    huge = b"x = 1\n" * (100 * 2**20 // 6)
    as_folder({**files, "cs285/policies/argmax_policy.py": huge}, place)


@handed_in("blank")
def link_to_answers(files: Files, place: Path) -> None:
    """A folder whose files are symbolic links to files of the machine."""
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    (place / "cs285/policies/argmax_policy.py").symlink_to("/etc/passwd")
    (place / "cs285/critics").rename(place / "cs285/elsewhere")
    (place / "cs285/critics").symlink_to(Path(__file__).parents[3] / "cs285/critics")


@handed_in("blank")
def loop_of_links(files: Files, place: Path) -> None:
    """A folder with links to itself and to its parent."""
    as_folder(files, place)
    (place / "cs285/again").symlink_to("..")
    (place / "cs285/self").symlink_to("self")
    (place / "cs285/agents/up").symlink_to("../..")


@handed_in("blank")
def names_of_all_kinds(files: Files, place: Path) -> None:
    """A folder with names that hold line feeds, escape codes and bytes that are no text."""
    as_folder(files, place)
    for name in (
        b"a\nb.py",
        b"\x1b[2J.py",
        b"\xff\xfe.py",
        b"x" * 250 + b".py",
        b"'; DROP TABLE --.py",
    ):
        (place / "cs285" / os.fsdecode(name)).write_bytes(b"")


@handed_in("refused")
def nothing_inside(files: Files, place: Path) -> None:
    """A folder in which there is nothing."""
    place.mkdir()


@handed_in("blank")
def pipes(files: Files, place: Path) -> None:
    """A folder in which a source file is a FIFO, which whoever opens waits for."""
    as_folder(files, place)
    (place / "cs285/policies/argmax_policy.py").unlink()
    os.mkfifo(place / "cs285/policies/argmax_policy.py")
    os.mkfifo(place / "cs285/notes.txt")


@handed_in("refused")
def two_courses(files: Files, place: Path) -> None:
    """Two different cs285 folders in one submission, of which one is right."""
    as_folder({f"mine/{path}": data for path, data in files.items()}, place)
    as_folder({f"hers/{path}": data for path, data in solved_files().items()}, place)
