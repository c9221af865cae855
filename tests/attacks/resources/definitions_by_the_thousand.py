"""Fills a given file with thirty thousand functions, for whoever compares them one by one."""

from pathlib import Path

from tests.attacks.suite import Files, as_folder

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    more = {"cs285/infrastructure/schedules.py": b"def f():0\n" * 30_000}
    as_folder({**files, **more}, place)
