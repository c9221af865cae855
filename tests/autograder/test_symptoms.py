"""The pages about misconceptions: equations, formulas, records, and no line of a solution."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.__main__ import main
from autograder.base.checks import names
from autograder.base.results import FAILED, Misconception, Verdict
from autograder.gradescope.contract import in_words
from autograder.grading import next_step as where
from autograder.grading.explained import Context, explain
from autograder.misconceptions import mutants
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.release import explained, leaks
from autograder.source import ROOT, reference
from autograder.symptoms import equations, formulas, learning, page
from autograder.symptoms.page import PageError
from tests.running import CHROMIUM

BLANK = "hw6.ucb.index"


def checks() -> dict[str, Any]:
    return {id: check for homework in names() for id, check in page.explainable(homework).items()}


def content_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


@pytest.fixture(scope="module")
def ucb() -> str:
    """The page of a blank that is quickly predicted."""
    return page.blank_page(checks()[BLANK])


def test_a_change_is_marked_in_the_equation() -> None:
    text = "y = r {plus:+} γ {mask:(1 − d)} max_{a′} Q̄({state:s′})"
    assert equations.rendered(text) == (
        "<i>y</i> = <i>r</i> + γ (1 − <i>d</i>) max<sub><i>a</i>′</sub> <i>Q̄</i>(<i>s</i>′)"
    )
    marked = equations.rendered(text, {"mask": "", "state": "s_t"})
    assert "<mark><del>(1 − <i>d</i>)</del></mark>" in marked
    assert "<del><i>s</i>′</del><ins><i>s</i><sub><i>t</i></sub></ins>" in marked
    with pytest.raises(ValueError, match="no part"):
        equations.rendered(text, {"msk": "1"})
    for wrong in ("a_{b", "a}b", "{plus:+"):
        with pytest.raises(ValueError, match="brace"):
            equations.rendered(wrong)


@pytest.mark.parametrize("blank", equations.blanks())
def test_what_is_written_about_a_blank_fits_its_misconceptions(blank: str) -> None:
    written = equations.text_of(blank)
    ids = list(mutation_set_of(question(checks()[blank])).words)
    page.require_fit(blank, written, ids)
    changed = [id for id in ids if written.changes.get(equations.key_of(id, written))]
    assert changed, "no misconception changes anything in the equation"
    for id in changed:
        changes = written.changes[equations.key_of(id, written)]
        assert "<mark>" in equations.rendered(written.equation, changes)


def test_formulas_compute_rows_columns_and_paths() -> None:
    rows = [[1.0, 0.0], [2.0, 1.0], [4.0, 0.0]]
    assert formulas.results("r + total('r') * d", ["r", "d"], rows) == [1.0, 9.0, 4.0]
    summed = formulas.results("backwards('r', '0.5 * (1 - d)')", ["r", "d"], rows)
    assert summed == [2.0, 2.0, 4.0]
    assert formulas.results("where(d > 0, 9, clip(r, 2, 3))", ["r", "d"], rows) == [2.0, 9.0, 3.0]
    numbers = {
        **{"inputs": {"r": "r"}, "rows": [[1], [2]], "right": "r"},
        "formulas": {"same": "r + 0", "other": "-r"},
    }
    assert formulas.problems(numbers) == ["same: its formula shows no difference in these rows"]


def test_the_formula_of_gae_is_that_of_the_course() -> None:
    numbers = equations.text_of("hw2.returns.gae").numbers
    table = np.array(numbers["rows"], float)
    r, d, c, n, v = table.T
    ours = formulas.results(numbers["right"], list(numbers["inputs"]), numbers["rows"])
    module: dict[str, Any] = {}
    text = reference.texts()["agents/returns.py"]
    exec(compile(text, "returns.py", "exec"), module)
    found = module["generalized_advantages"](r, v, n, d, c, 0.9, 0.5)
    assert ours == pytest.approx(found.tolist(), abs=1e-5)


def test_a_page_names_every_misconception_and_needs_nothing_else(ucb: str) -> None:
    content = content_of(ucb)
    named = {one["id"] for one in content["misconceptions"]}
    assert named == set(mutation_set_of(question(checks()[BLANK])).words)
    assert len(ucb.encode()) <= page.MOST_BYTES
    assert not re.findall(r"(?:src|href)\s*=\s*[\"']|@import|url\(|fetch\(", ucb)
    (no_log,) = [one for one in content["misconceptions"] if one["id"] == "ucb.no_log"]
    assert "<mark><del>ln</del></mark>" in no_log["equation"]
    assert no_log["depends"]["yours"] != no_log["depends"]["right"]
    assert any("total_k" in line or "plays_k" in line for line in no_log["sentences"])
    assert "The regret at the end" in no_log["learned"]


def test_a_page_without_an_equation_or_a_training_is_whole() -> None:
    content = page.described(checks()["hw6.esbas.epoch"])
    assert content["learning"] is None and content["formula"] is None and not content["equation"]
    assert all(one["find"] and one["text"] for one in content["misconceptions"])
    assert any(one["tables"] for one in content["misconceptions"])


def solution_line(blank: str) -> str:
    """Returns the longest line of a blank's solution."""
    return max(mutants.regions()[blank][2].splitlines(), key=len).strip()


@pytest.mark.parametrize("place", ["text", "equation", "hint", "shown"])
def test_no_page_with_a_line_of_a_solution_is_given_out(ucb: str, place: str) -> None:
    assert explained.safe("hw6", BLANK, ucb) == ucb
    content, line = content_of(ucb), solution_line(BLANK)
    one = content["misconceptions"][0]
    text = ucb
    if place == "shown":
        text = text.replace("<body>", f"<body><p>{line.replace('>', '&gt;')}</p>")
    else:
        one |= {"text": line} if place == "text" else {}
        one |= {"equation": line.replace("bonus", "<i>bonus</i>")} if place == "equation" else {}
        one |= {"find": [f"Write `{line}`."]} if place == "hint" else {}
        text = page.rendered("blank.html", "title", content)
    with pytest.raises(PageError, match=f"a line of the solution of {BLANK}"):
        explained.safe("hw6", BLANK, text)


def test_the_gate_reads_pages_in_a_tree(tmp_path: Path, ucb: str) -> None:
    content = content_of(ucb)
    (tmp_path / "page.html").write_text(ucb)
    template = ROOT / "cs285/infrastructure/logging/run_page.html"
    (tmp_path / "template.html").write_text(template.read_text())
    assert not list(leaks.found_in(tmp_path, "hw6"))
    content["misconceptions"][0]["text"] = solution_line(BLANK)
    (tmp_path / "page.html").write_text(page.rendered("blank.html", "title", content))
    assert any(BLANK in problem for problem in leaks.found_in(tmp_path, "hw6"))


def test_what_is_written_by_hand_must_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    written = equations.text_of(BLANK)
    ids = list(mutation_set_of(question(checks()[BLANK])).words)
    wrong = equations.BlankText(written.equation, "", {"no_such": {"plus": "−"}})
    with pytest.raises(PageError, match="no misconception no_such"):
        page.require_fit(BLANK, wrong, ids)
    monkeypatch.setattr(page, "MOST_BYTES", 1000)
    with pytest.raises(PageError, match="bytes"):
        page.blank_page(checks()[BLANK])


@pytest.mark.parametrize(
    "file", sorted(learning.MEASURED.glob("*.json")), ids=lambda file: file.stem
)
def test_measurements_are_of_three_seeds_with_the_right_runs_beside(file: Path) -> None:
    data = json.loads(file.read_text(encoding="utf-8"))
    known = mutation_set_of(question(checks()[file.stem])).words
    assert set(data["runs"]) - set(known) == {learning.RIGHT}
    for name, runs in data["runs"].items():
        assert [run["seed"] for run in runs] == [1, 2, 3], name
        for column in data["setup"]["columns"]:
            assert all(np.isfinite(np.array(run["columns"][column], float)).all() for run in runs)


def test_the_command_writes_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", BLANK, "-o", str(tmp_path / "out")]) == 0
    assert f"{BLANK}.html" in capsys.readouterr().out
    assert main(["explain", "hw6", "--quiz", "-o", str(tmp_path / "out")]) == 0
    quiz = content_of((tmp_path / "out" / "hw6.quiz.html").read_text(encoding="utf-8"))
    assert BLANK in [blank["blank"] for blank in quiz["blanks"]]
    assert main(["explain", "hw6.no.such", "-o", str(tmp_path)]) == 2
    assert "no check asks about hw6.no.such" in capsys.readouterr().err


def test_the_list_of_a_homework_names_each_page() -> None:
    content = content_of(page.homework_page("hw6"))
    assert [blank["id"] for blank in content["blanks"]] == list(page.explainable("hw6"))
    assert content["quiz"] == "hw6.quiz.html"
    (ucb,) = [blank for blank in content["blanks"] if blank["id"] == BLANK]
    assert ucb["count"] == 20 and ucb["trained"] >= 3


def test_a_message_names_the_page_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = Misconception("target.no_mask", "A title.", "A text.", "A book")
    verdict = Verdict("hw3.dqn.targets", "targets", 0, 8, FAILED, (words,))
    assert "See it" not in explain(verdict)
    text = explain(verdict, context=Context(page_of=where.page_of))
    assert text.count("See it: python -m autograder explain hw3.dqn.targets") == 1
    monkeypatch.setattr(where, "ROOT", tmp_path)
    assert "See it" not in explain(verdict, context=Context(page_of=where.page_of))
    file = tmp_path / where.PAGES / "hw3.dqn.targets.html"
    file.parent.mkdir(parents=True)
    file.touch()
    text = explain(verdict, context=Context(page_of=where.page_of))
    assert "See it: docs/misconceptions/hw3.dqn.targets.html" in text
    assert where.page_of("hw3.runs.q1") == where.in_handout("hw3.runs.q1") == ""
    assert in_words(verdict).count("See it: docs/misconceptions/hw3.dqn.targets.html") == 1


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")
@pytest.mark.parametrize("quiz", [False, True])
def test_the_pages_draw_themselves_in_a_browser(tmp_path: Path, ucb: str, quiz: bool) -> None:
    file = tmp_path / "page.html"
    file.write_text(str(page.quiz_page("hw6")) if quiz else ucb, encoding="utf-8")
    command = [
        *(str(CHROMIUM), "--headless=new", "--disable-gpu", "--virtual-time-budget=2000"),
        *("--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}"),
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        *("--enable-logging=stderr", "--dump-dom"),
        file.as_uri() + ("" if quiz else "#ucb.no_bonus"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in done.stderr
    body = done.stdout[done.stdout.index("<body") :]
    assert body.count("<polyline") >= 12
    if not quiz:
        assert '<code class="soft">ucb.no_bonus</code>' in body
        assert 'class="apart"' in body
