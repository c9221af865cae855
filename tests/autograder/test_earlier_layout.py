"""Submissions of the layout in which envs.py made games too; earlier_layout/ has its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.autograder.corpus import write
from tests.autograder.judging import judge_package

FOLDER = Path(__file__).parent / "earlier_layout"
FILES = {file.name: file.read_text() for file in sorted(FOLDER.glob("*.py"))}
ALL = tuple(FILES)
ATARI = "hw3.given.atari"


def submission(folder: Path, names: tuple[str, ...]) -> Path:
    """Writes the solved package with some files of the earlier layout in the place of today's."""
    package = write(folder, [])
    if "envs.py" in names:
        (package / "infrastructure" / "atari.py").unlink()
    for name in names:
        (package / "infrastructure" / name).write_text(FILES[name])
    return package


@pytest.mark.parametrize("names", [ALL, *[(name,) for name in ALL]], ids="-".join)
def test_its_files_are_right(tmp_path: Path, names: tuple[str, ...]) -> None:
    judgements = judge_package(submission(tmp_path, names))
    assert all(judgement.passed for judgement in judgements.values()), judgements


@pytest.mark.parametrize(
    ("name", "old", "new", "mistake"),
    [
        ("envs.py", "frame_skip=4", "frame_skip=1", "atari.frame_skip"),
        ("envs.py", "ClipReward(EpisodicLife(env), -1.0, 1.0)", "EpisodicLife(env)",
         "atari.not_clipped"),
        ("envs.py", 'if time_limit == "terminal"', 'if time_limit != "never"', "atari.cut_is_end"),
        ("envs.py", "        self.episode += 1\n", "", "atari.same_start"),
        ("atari_wrappers.py", "terminated = terminated or 0 < lives < self.lives", "pass",
         "atari.lives_ignored"),
        ("atari_wrappers.py", "self.game_over or seed is not None", "True",
         "atari.life_resets_game"),
    ],
    ids=lambda value: value if value.startswith("atari.") else "",
)  # fmt: skip
def test_mistakes_in_its_files_are_named(
    tmp_path: Path, name: str, old: str, new: str, mistake: str
) -> None:
    package = submission(tmp_path, ALL)
    assert old in FILES[name]
    (package / "infrastructure" / name).write_text(FILES[name].replace(old, new))
    judgements = judge_package(package)
    verdict = judgements.pop(ATARI)
    assert (verdict.mistakes, verdict.unknown) == ([mistake], [])
    assert all(judgement.passed for judgement in judgements.values()), judgements
