"""docs/results/build.py: no picture and no page of the results is older than its data."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.running import ROOT

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

RESULTS = "docs/results"


def loaded(name: str) -> ModuleType:
    """Returns a script of the results as a module."""
    spec = importlib.util.spec_from_file_location(f"{name}_results", ROOT / RESULTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    sys.modules[f"{name}_results"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return loaded("build")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the results, to spoil."""
    shutil.copytree(ROOT / RESULTS, tmp_path / RESULTS)
    shutil.copy(ROOT / "docs/studies.md", tmp_path / "docs")
    return tmp_path


def test_no_picture_and_no_page_is_older_than_its_data(build: ModuleType) -> None:
    assert build.main(["--check"]) == 0, "run python docs/results/build.py, and look at the result"


def test_a_changed_log_is_noticed_wherever_it_is_shown(build: ModuleType, copy: Path) -> None:
    assert build.stale(copy) == []
    (log,) = copy.glob(f"{RESULTS}/data/hw4_q5_sac_HalfCheetah-v5_2026-11-22_10*/log.csv")
    log.write_text(log.read_text().replace("100000,", "100001,"))
    shown = ("compare_hw4.html", "compare_hw4_step.html", "hw4_cheetah.png", "hw4_cheetah_q.png")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in shown]


def test_a_new_run_and_a_changed_command_are_noticed(build: ModuleType, copy: Path) -> None:
    (first, *_) = sorted((copy / RESULTS / "data").glob("hw2_q1_sb_rtg_na_*"))
    shutil.copytree(first, first.with_name(first.name + "_more"))
    page = copy / RESULTS / "hw5.md"
    page.write_text(page.read_text().replace('"Homework 5: PPO and TRPO"', '"Homework 5"'))
    names = ("compare_hw2.html", "compare_hw5.html", "hw2_q1_sb.png")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in names]


def test_what_no_command_makes_or_nothing_digests_is_noticed(build: ModuleType, copy: Path) -> None:
    results = copy / RESULTS
    shutil.copy(results / "q2.png", results / "other.png")
    (results / "compare_hw4.html").write_text("<h1>by hand</h1>")
    data = results / "data/hw6_grid.jsonl"
    data.write_text(data.read_text() + "\n")
    names = ("compare_hw4.html", "hw6_grid.png", "other.png")
    assert build.stale(copy) == [f"{RESULTS}/{name}" for name in names]


def test_bad_flags_get_one_line(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--chekc"]) == 2
    assert capsys.readouterr().err == "error: the one flag is --check\n"


@pytest.mark.slow
def test_building_again_gives_the_same_pages(build: ModuleType, copy: Path) -> None:
    """Pages that were drawn by another version of the code differ, even where the data do not."""
    for path in (copy / RESULTS).glob("*.*"):
        if path.suffix in (".png", ".html"):
            path.unlink()
    assert build.build(copy) == [] and build.stale(copy) == []
    for page in (copy / RESULTS).glob("*.html"):
        new, old = (
            re.sub(r"<svg.*?</svg>", "", file.read_text(), flags=re.DOTALL)
            for file in (page, ROOT / RESULTS / page.name)
        )
        assert new == old, page.name


def test_no_band_of_reference_curves_is_older_than_its_runs() -> None:
    stale = loaded("reference_curves").stale()
    assert not list(stale), "run python docs/results/reference_curves.py"
