"""A run's final score: plots, tables and comparisons all give the same, to the last digit."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cs285.infrastructure.logging import plotting
from studies import page
from studies.comparison import Comparison
from tests.running import load_script

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

# Two seeds whose whole episodes end at different steps: at 390, the last step of both, linear
# interpolation gives 160 for the second.
LOGS = {1: [(100, 10.0), (390, 200.0)], 2: [(100, 10.0), (350, 100.0), (400, 175.0)]}


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Makes the folders of two runs."""
    made = []
    for seed, rows in LOGS.items():
        (run_dir := tmp_path / f"hw2_q1_Toy-v1_{seed}").mkdir()
        settings = {"env_name": "Toy-v1", "exp_name": "q1", "seed": seed}
        document = {"settings": settings, "script": "run_hw2"}
        (run_dir / "config.json").write_text(json.dumps(document))
        lines = [f"{i},{x},{y}" for i, (x, y) in enumerate(rows)]
        head = "Step,Train_EnvstepsSoFar,Eval_AverageReturn"
        (run_dir / "log.csv").write_text("\n".join([head, *lines]) + "\n")
        made.append(str(run_dir))
    return made


def test_plots_tables_and_comparisons_agree(
    runs: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    axes: list[Any] = []
    new_axes = plotting.new_axes
    plot, read_results, compare = map(load_script, ("plot", "read_results", "compare"))
    monkeypatch.setattr(plot, "new_axes", lambda *a: axes.append(new_axes(*a)) or axes[-1])
    assert plot.main([*runs, "-o", str(tmp_path / "out.png")]) == 0
    assert axes[0].get_lines()[0].get_label() == "q1 (2 seeds, ends at 188)"
    capsys.readouterr()
    assert read_results.main(runs) == 0
    table = capsys.readouterr().out
    assert " 200.0 " in table and " 175.0 " in table and "187.5 \u00b1 17.7" in table
    assert compare.main([*runs, "-o", str(tmp_path / "out.html")]) == 0
    assert re.search(r"^q1 +2 +188 \[", capsys.readouterr().out, re.MULTILINE)
    found = {entry.method: entry.final.tolist() for entry in comparison(compare, runs).entries}
    assert found == {"q1": [200.0, 175.0]}
    assert str(page.rows(comparison(compare, runs), comparison(compare, runs).entries)[0]["final"])


def comparison(compare: Any, runs: list[str]) -> Comparison:
    members = compare.methods_of(compare.load_runs(runs), "experiment")
    names = ("Train_EnvstepsSoFar", "Eval_AverageReturn")
    return Comparison(
        {
            task: {name: [plotting.curve(r.log, *names) for r in of] for name, of in found.items()}
            for task, found in members.items()
        }
    )


def test_the_last_number_is_that_of_the_last_row_that_has_one() -> None:
    import numpy as np

    x, y = np.array([1.0, 2.0, 3.0]), np.array([5.0, 6.0, 9.0])
    assert plotting.final_score((x, y)) == 9.0
    assert plotting.final_score((x, y), until=2.5) == 6.0
    assert np.isnan(plotting.final_score((x, y), until=0.5))
