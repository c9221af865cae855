"""Frozen verdicts: the files are whole, and a change of a verdict or of a name is seen."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import compare_baseline as tool
from benchmarks import frozen
from benchmarks.frozen import BaselineError, Judge, Row, judge_or_error, read, write

CORPUS, MISJUDGED = tool.FILES


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with frozen.warm_judge() as judge:
        yield judge


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return read(CORPUS)


def compared(file: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["compare_baseline.py", "--files", str(file), *words])
    return tool.main()


def test_both_files_are_whole(rows: list[Row]) -> None:
    assert Counter(row.homework for row in rows) == {
        "hw2": 100,
        "hw3": 1121,
        "hw4": 37,
        "hw5": 19,
        "hw6": 241,
    }
    assert len(read(MISJUDGED)) == 95
    assert len({row.id for row in rows}) == len(rows)
    verdicts = {outcome["verdict"] for row in rows for outcome in row.outcomes.values()}
    assert verdicts == {"passed", "failed"}


def test_what_was_frozen_is_said_today(judge: Judge, rows: list[Row]) -> None:
    for row in [*rows[:50:10], *rows[-40::10]]:
        assert judge_or_error(judge, row) == row.outcomes


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"misconceptions": ["to_go.other"]}, "names changed"),
        ({"unknown": True}, "names changed"),
        ({"verdict": "blank"}, "verdict changed"),
    ],
)
def test_another_verdict_or_name_is_printed(
    tmp_path: Path,
    rows: list[Row],
    change: dict[str, object],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, (check, outcome) = tmp_path / "rows.jsonl.gz", next(iter(rows[0].outcomes.items()))
    write(file, [replace(rows[0], outcomes={check: outcome | change}), rows[1]], "abc")
    assert compared(file, monkeypatch) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"{kind}: hw2/1 ") and f"2 rows, 1 equal, 1 {kind}" in (
        printed.replace("0 verdict changed, ", "")
    )


def test_nothing_changed_is_status_0(
    tmp_path: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "rows.gz", rows[:2], "abc")
    assert compared(tmp_path / "rows.gz", monkeypatch) == 0
    assert compared(tmp_path / "rows.gz", monkeypatch, "--only", "hw6") == 2


def test_a_check_that_fails_besides_is_seen() -> None:
    before = {"a": {"verdict": "failed", "misconceptions": ["x"], "unknown": False}}
    assert tool.kind_of(before, before) == tool.EQUAL
    assert tool.kind_of(before, before | {"b": before["a"]}) == tool.VERDICT
    assert tool.kind_of(before, {}) == tool.VERDICT


def test_a_row_that_no_longer_applies_is_an_error(judge: Judge, rows: list[Row]) -> None:
    row = replace(rows[0], changes={"agents/dqn_agent.py": [["no such line", ""]]})
    (outcome,) = judge_or_error(judge, row).values()
    assert outcome["verdict"] == "error" and "does not contain 'no such line'" in outcome["why"]
    (outcome,) = judge_or_error(judge, replace(rows[0], judged="hw2.no.check")).values()
    assert outcome["verdict"] == "error"


def test_a_row_leaves_nothing_for_the_next(judge: Judge, rows: list[Row]) -> None:
    broken = replace(rows[0], bodies={"hw2.returns.reward_to_go": "import torch\n"
                                      "torch.set_default_dtype(torch.float64)\n1 / 0"})  # fmt: skip
    before = {path: path.read_text() for path in judge.package.rglob("*.py")}
    judge_or_error(judge, broken)
    assert {path: path.read_text() for path in judge.package.rglob("*.py")} == before
    assert judge_or_error(judge, rows[0]) == rows[0].outcomes


def test_a_missing_empty_or_cut_file_is_status_2(
    tmp_path: Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rows.gz"
    assert compared(file, monkeypatch) == 2
    write(file, [], "abc")
    assert compared(file, monkeypatch) == 2
    write(file, rows[:3], "abc")
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    file.write_bytes(gzip.compress(b"".join(lines[:-1])))
    with pytest.raises(BaselineError, match="has 2 rows, and its first line says 3"):
        read(file)
    assert compared(file, monkeypatch) == 2
