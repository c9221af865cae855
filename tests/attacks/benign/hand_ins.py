"""What editors, archivers and people do to the files that they hand in."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, as_zip
from tests.attacks.suite import Files, as_folder, handed_in


@handed_in("passed")
def byte_order_mark(files: Files, place: Path) -> None:
    """Begins its files with a byte order mark, as some editors do."""
    as_folder({path: b"\xef\xbb\xbf" + data for path, data in files.items()}, place)


@handed_in("passed")
def windows_line_ends(files: Files, place: Path) -> None:
    """Has line ends as on Windows."""
    as_folder({path: data.replace(b"\n", b"\r\n") for path, data in files.items()}, place)


@handed_in("passed")
def tabs(files: Files, place: Path) -> None:
    """Is indented with tabs."""
    lines = re.compile(rb"(?m)^(?: {4})+")
    tabbed = {p: lines.sub(lambda m: b"\t" * (len(m[0]) // 4), data) for p, data in files.items()}
    as_folder(tabbed, place)


@handed_in("passed")
def zip_compression(files: Files, place: Path) -> None:
    """A zip that is compressed with LZMA."""
    as_zip(files, place, zipfile.ZIP_LZMA)


@handed_in("passed")
def zip_of_a_mac(files: Files, place: Path) -> None:
    """A zip as a Mac makes it: __MACOSX, .DS_Store and __pycache__ are in it."""
    extra = {f"__MACOSX/{Path(p).parent}/._{Path(p).name}": b"\0\5\x16\7" for p in files}
    extra |= {".DS_Store": b"\0", "cs285/.DS_Store": b"\0"}
    extra |= {"cs285/agents/__pycache__/dqn_agent.cpython-311.pyc": b"\0"}
    as_zip({**extra, **files}, place)


@handed_in("passed")
def tar(files: Files, place: Path) -> None:
    """A .tar.gz whose names begin with "./"."""
    as_tar({f"./{path}": data for path, data in files.items()}, place)


@handed_in("passed")
def folder_too_deep(files: Files, place: Path) -> None:
    """Everything is two folders deeper than asked for, beside data of all kinds."""
    deep = {f"homework 3 (final)/hw3/{path}": data for path, data in files.items()}
    as_zip({**deep, "homework 3 (final)/hw3/data/run/log.csv": b"1,2"}, place)


@handed_in("passed")
def built_by_pip(files: Files, place: Path) -> None:
    """Has the folder `build` that `pip install .` leaves, with the files as they were before."""
    old = {f"build/lib/{path}": b"raise RuntimeError('an old copy')\n" for path in files}
    as_folder({**files, **old}, place)
