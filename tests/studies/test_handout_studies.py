"""The studies of the handouts make the runs that the judge of runs asks for."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest

from autograder.evidence.rules import RunQuestion, questions
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import different, total_steps
from tests import handouts
from tests.running import studies
from tests.studies.test_spinning_up import planned

MOST_RUNS = 12  # of a question, that the judge looks at


def asked_of(name: str) -> RunQuestion:
    """Returns the question to which a run's folder belongs, by its name."""
    found = [
        question
        for question in questions(name[:3])
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in question.folders)
    ]
    assert len(found) == 1, name
    return found[0]


@pytest.mark.parametrize("command", studies())
def test_each_run_of_a_study_is_one_that_is_asked_for(command: str, tmp_path: Path) -> None:
    runs, _ = planned(command, tmp_path)
    assert 3 <= len(runs) <= MOST_RUNS
    for planned_run in runs:
        question = asked_of(planned_run.name)
        run = Run(tmp_path, planned_run.script, planned_run.settings, {})
        assert run.script == question.script
        assert run.settings["env_name"] in question.task.names
        assert total_steps(question, run) == question.steps
        assert len(different(question, run)) <= (1 if question.sweep else 0)


@pytest.mark.parametrize("homework", handouts.HOMEWORKS)
def test_handout_shows_its_studies_and_no_other(homework: str) -> None:
    shown = re.findall(r"python scripts/run\.py [^`\n#]*", handouts.commands(homework))
    made = {" ".join(line.split()) for line in shown if f"--exp_name {homework}_" in line}
    assert made == {line for line in studies() if f"--exp_name {homework}_" in line}
