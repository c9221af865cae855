"""A handout's files: its own blanks are empty, what earlier homeworks asked for is solved."""

from __future__ import annotations

import re
from pathlib import Path

from autograder.release import leaks, trial
from autograder.source import ROOT
from autograder.source.altered import altered
from autograder.source.blanks import find_regions
from autograder.source.handout_files import given_files, scripts_of
from autograder.source.reference import TODO_IMPORT, strip
from autograder.source.submission import files_in

TODO = re.compile(r'TODO\("(hw\d+)\.')
SOURCE = """
import a

# BEGIN SOLUTION hw3.a.b -> x
x = 3
# END SOLUTION
# BEGIN SOLUTION hw6.a.b -> y
y = 6
# END SOLUTION
"""


def test_blanks_of_earlier_homeworks_are_solved() -> None:
    blanks = 'x = TODO("hw3.a.b")', 'y = TODO("hw6.a.b")'
    for homework, lines in {"": blanks, "hw3": blanks, "hw6": ("x = 3", blanks[1])}.items():
        assert tuple(strip(SOURCE, homework=homework).splitlines()[-2:]) == lines
    assert strip(SOURCE, homework="hw10").splitlines()[-2:] == ["x = 3", "y = 6"]
    assert TODO_IMPORT not in strip(SOURCE, homework="hw10")


def test_a_handout_asks_for_nothing_earlier() -> None:
    for homework in ("hw3", "hw6"):
        given = "\n".join(given_files(homework).values())
        assert set(TODO.findall(given)) == {homework}
        assert "SOLUTION" not in given


def test_our_own_source_is_as_it_was_given_out() -> None:
    for homework in ("hw3", "hw6"):
        assert not altered(homework, files_in(ROOT / "cs285"))


def test_a_script_brings_those_that_it_starts() -> None:
    names = {file.stem for file in scripts_of("hw6")}
    assert {"run_hw6", "hw6_grid", "run_hw3_dqn", "run_hw4_td3", "plot", "enjoy"} <= names
    assert not names & {"run", "compare"}
    assert {file.stem for file in scripts_of("hw3") if "hw" in file.stem} == {
        "run_hw3_dqn", "run_hw3_actor_critic",
    }  # fmt: skip


def test_what_is_given_out_solved_is_no_leak(tmp_path: Path) -> None:
    path = "cs285/critics/dqn_critic.py"
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(given_files("hw6")[path.removeprefix("cs285/")])
    assert not list(leaks.found_in(tmp_path, "hw6"))
    found = list(leaks.found_in(tmp_path, "hw3"))
    assert found and all("hw3.dqn" in line for line in found)


def test_the_solution_of_a_handout_has_one_blank() -> None:
    empty = "hw6.portfolio.choose"
    files = trial.solved("hw6", empty)
    assert sum(len(TODO.findall(text)) for text in files.values()) == 1
    assert f'TODO("{empty}")' in files["agents/portfolio_agent.py"]
    regions = find_regions((ROOT / "cs285/agents/portfolio_agent.py").read_text())
    assert empty in {region.id for region in regions}
