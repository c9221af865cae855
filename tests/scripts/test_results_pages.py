"""docs/results/build.py: pictures, their words, tables and pages are what the data make them."""

from __future__ import annotations

import html
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.running import ROOT, load_script

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

RESULTS = "docs/results"


def loaded(name: str) -> ModuleType:
    """Returns a script of the results as a module."""
    return load_script(f"../{RESULTS}/{name}")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return loaded("build")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the results, to spoil."""
    shutil.copytree(ROOT / RESULTS, tmp_path / RESULTS)
    shutil.copy(ROOT / "docs/studies.md", tmp_path / "docs")
    (tmp_path / "docs/hw3").mkdir()
    shutil.copy(ROOT / "docs/hw3/questions.md", tmp_path / "docs/hw3")
    return tmp_path


def test_no_picture_and_no_page_is_older_than_its_data(build: ModuleType) -> None:
    assert build.main(["--check"]) == 0, "run python docs/results/build.py, and look at the result"


def test_a_changed_log_is_noticed_wherever_it_is_shown(build: ModuleType, copy: Path) -> None:
    assert build.stale(copy) == []
    (log,) = copy.glob(f"{RESULTS}/data/hw4_q5_sac_HalfCheetah-v5_2026-11-22_10*/log.csv")
    log.write_text(log.read_text().replace("100000,", "100001,"))
    shown = ("compare_hw4.html", "compare_hw4_step.html", "hw4_cheetah.svg", "hw4_cheetah_q.svg")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in shown]


def test_a_new_run_and_a_changed_command_are_noticed(build: ModuleType, copy: Path) -> None:
    (first, *_) = sorted((copy / RESULTS / "data").glob("hw2_q1_sb_rtg_na_*"))
    shutil.copytree(first, first.with_name(first.name + "_more"))
    page = copy / RESULTS / "hw5.md"
    page.write_text(page.read_text().replace('"Homework 5: PPO and TRPO"', '"Homework 5"'))
    names = ("compare_hw2.html", "compare_hw5.html", "hw2.md", "hw2_q1_sb.svg")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in names]


def test_what_no_command_makes_or_nothing_digests_is_noticed(build: ModuleType, copy: Path) -> None:
    results = copy / RESULTS
    shutil.copy(results / "q2.svg", results / "other.svg")
    (results / "compare_hw4.html").write_text("<h1>by hand</h1>")
    data = results / "data/hw6_grid.jsonl"
    data.write_text(data.read_text() + "\n")
    names = ("compare_hw4.html", "hw6_grid.svg", "other.svg")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in names]


def test_a_number_changed_by_hand_in_a_table_or_in_a_pictures_words_is_noticed(
    build: ModuleType, copy: Path
) -> None:
    table, words = copy / RESULTS / "hw5.md", copy / "docs/hw3/questions.md"
    table.write_text(table.read_text().replace("-484, -862, -940", "-184, -162, -140"))
    words.write_text(words.read_text().replace("double DQN: 182", "double DQN: 192"))
    assert build.stale(copy) == ["docs/hw3/questions.md", f"{RESULTS}/hw5.md"]


def test_panels_words_and_tables_have_the_same_numbers_in_the_same_order(build: ModuleType) -> None:
    found = build.pictures(ROOT / RESULTS / "data")
    assert len(found) > 20
    for name, picture in found.items():
        labels = [setting.label for setting in picture.by_value()]
        numbers = [picture.mean(setting.seeds) for setting in picture.by_value()]
        assert numbers == sorted(numbers, reverse=not picture.down), name
        texts = re.findall(r">([^<>]+)</text>", (ROOT / RESULTS / f"{name}.svg").read_text())
        titles = [html.unescape(text) for text in texts]
        panels = [text for text in titles if text in labels]
        assert panels == labels, name
        for label, number in zip(labels, map(sys.modules["series"].short, numbers), strict=True):
            assert titles[titles.index(label) + 1] == number.replace("-", "\u2212"), name
            assert f"{label}: {number}" in picture.alt(), name
        rows = [
            line.split(" | ")[0].removeprefix("| ") for line in build.table(picture).split("\n")
        ]
        assert [row for row in rows if row in labels] == labels, name


def test_a_sum_of_a_table_is_right(build: ModuleType) -> None:
    """By hand, from three logs, of one picture: the numbers that nothing else computes."""
    rows = [
        (path / "log.csv").read_text().splitlines()
        for path in sorted((ROOT / RESULTS / "data").glob("hw5_q2_ppo_kl_Pendulum*"))
    ]
    at = [lines[0].split(",").index("Eval_AverageReturn") for lines in rows]
    last = [float(lines[-1].split(",")[i]) for lines, i in zip(rows, at, strict=True)]
    line = build.table(build.pictures(ROOT / RESULTS / "data")["hw5_pendulum"])
    assert (
        f"| PPO, stops early | {', '.join(f'{x:.0f}' for x in last)} | **{sum(last) / 3:.0f}**"
        in line
    )


def test_bad_flags_get_one_line(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--chekc"]) == 2
    assert capsys.readouterr().err == "error: the one flag is --check\n"


@pytest.mark.slow
def test_building_again_gives_the_same_pages(build: ModuleType, copy: Path) -> None:
    """Pages that were drawn by another version of the code differ, even where the data do not."""
    for path in (copy / RESULTS).glob("*.*"):
        if path.suffix in (".svg", ".html"):
            path.unlink()
    assert build.build(copy) == [] and build.stale(copy) == []
    for picture in (copy / RESULTS).glob("*.svg"):
        assert picture.read_text() == (ROOT / RESULTS / picture.name).read_text(), picture.name
    for page in (copy / RESULTS).glob("*.html"):
        new, old = (
            re.sub(r"<svg.*?</svg>", "", file.read_text(), flags=re.DOTALL)
            for file in (page, ROOT / RESULTS / page.name)
        )
        assert new == old, page.name


def test_no_band_of_reference_curves_is_older_than_its_runs() -> None:
    stale = loaded("reference_curves").stale()
    assert not list(stale), "run python docs/results/reference_curves.py"
