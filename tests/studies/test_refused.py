"""A study that is refused leaves nothing, so that its name is free; and what a grid prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies import ExperimentGrid
from tests.running import load_script

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

RUN = load_script("run")
TINY = "--epochs 1 --steps_per_epoch 100 -mb 50 -eb 50"


@pytest.mark.parametrize(
    "words",
    [
        "ppo --cpu 0",
        "ppo --cpu none --seed 0 1",
        "ppo --env Nonsense-v7",
        "ppo --env Nonsense-v7 --seed 0 1 --cpu 2",
        "ppo --seed 4294967296",
        "ppo --threads 100000",
        "sac --env CartPole-v1",
        "ppo --size 1000000000",
        "ppo --engine nobody",
        "ppo --load nowhere",
    ],
)
def test_nothing_is_left(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data_dir = tmp_path / "new" / "data"
    given = [*words.split(), "--exp_name", "x", "--data_dir", str(data_dir)]
    assert RUN.main(given) in (1, 2)
    assert "Traceback" not in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_what_was_accepted_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*f"ppo {TINY} --exp_name x --data_dir {tmp_path}".split()]
    assert RUN.main(words) == 0
    assert RUN.main([*words, "--cpu", "0"]) == 2
    assert (tmp_path / "x" / "x_s0" / "log.csv").exists() and (tmp_path / "x/study.toml").exists()
    assert not (tmp_path / "x" / "x_s0" / "checkpoints").exists()  # it cannot become longer


def test_a_bug_stays_to_be_read(tmp_path: Path) -> None:
    """The output of runs that failed with a traceback is no refusal."""
    folder = tmp_path / "x" / "x_s0"
    folder.mkdir(parents=True)
    (folder / "output.txt").write_text("Traceback (most recent call last):\nValueError\n")
    from studies.side_by_side import was_refused

    assert not was_refused(folder)
    (folder / "output.txt").write_text("error: no such environment\n")
    assert was_refused(folder)


def test_a_grid_without_an_algorithm_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    grid = ExperimentGrid("bench")
    grid.add("env_name", ["CartPole-v1"], "", True)
    grid.add("b", [100, 200])
    grid.print()
    whoever = capsys.readouterr().out.splitlines()
    assert not any("vpg" in line or "algorithm" in line for line in whoever)
    for algorithm in ("ppo", "vpg"):
        grid.print(algorithm)
        its = capsys.readouterr().out.splitlines()
        assert any(line.split() == ["algorithm", algorithm] for line in its)
        assert [line for line in its if line.startswith("bench_")] == whoever[-2:]
