"""Runs that are not at their end: before learning, stopped, resumed, and in training."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from autograder.__main__ import main
from autograder.diagnose import examine, weights
from autograder.diagnose.record import read_record
from cs285.infrastructure.logging.logger import Logger
from cs285.infrastructure.training.checkpoint import CheckpointStore
from tests.autograder.diagnose.made_runs import (
    columns,
    perceptron,
    transitions,
    unfinish,
    write_checkpoint,
    write_log,
    write_run,
)
from tests.autograder.diagnose.made_runs import weights as nets_of_run

NET, TARGET = "critic.q_net", "critic.q_net_target"
YOUNG = {"Num_Param_Updates": 0.0, "Q_Mean": np.nan, "Q_Max": np.nan, "Training Loss": np.nan}


def unfinished(folder: Path, **other: Any) -> Path:
    return unfinish(write_run(folder, **other))


def names(folder: Path) -> list[str]:
    return [finding.name for finding in examine(read_record(folder))]


def shown(folder: Path, capsys: pytest.CaptureFixture[str], status: int = 0) -> str:
    assert main(["diagnose", str(folder)]) == status
    return " ".join(capsys.readouterr().out.split())


def test_the_newest_checkpoint_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """NumPy's random state lies beside the networks, and is none."""
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 9000, nets_of_run("DQN"))
    out = shown(run, capsys)
    assert "2 networks" in out and "not finished" in out and "left out" not in out


def test_checkpoints_are_in_order_of_their_steps(tmp_path: Path) -> None:
    saved = tmp_path / "checkpoints"
    for name in ("step_9", "step_10", "step_10-2", "step_10-11", "step_11.tmp", "step_x", "blobs"):
        (saved / name).mkdir(parents=True)
    found = [path.name for _, path in weights.checkpoints(tmp_path)]
    assert found == ["step_10-11", "step_10-2", "step_10", "step_9"]


def test_networks_that_never_moved_are_found_there(tmp_path: Path) -> None:
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 9000, perceptron(NET, 0.0) | perceptron(TARGET, 0.0))
    assert names(run) == ["parameters_frozen"]


def test_a_checkpoint_from_before_learning_accuses_nobody(tmp_path: Path) -> None:
    """The log has gone on since: its updates have not moved those networks."""
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 900, perceptron(NET, 0.0) | perceptron(TARGET, 0.0), updates=0)
    assert names(run) == []


def test_an_older_checkpoint_stands_in_for_a_damaged_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 8000, nets_of_run("DQN"))
    whole = write_checkpoint(run, 9000, nets_of_run("DQN")) / "arrays.safetensors"
    whole.write_bytes(whole.read_bytes()[:200])
    record = read_record(run)
    assert record.snapshot.step == 8000 and len(record.nets) == 2
    (whole.parent / "state.json").write_text('{"dict": [[')
    assert read_record(run).snapshot.step == 8000
    shutil.rmtree(whole.parents[1] / "step_000008000")
    assert "step_000009000: state.json" in shown(run, capsys)


def test_a_checkpoint_that_vanishes_is_looked_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trainer puts the next one there, and removes the one that was listed."""
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 8000, nets_of_run("DQN"))
    listed, listings = weights.checkpoints, []

    def replaced(folder: Path) -> Any:
        found = listed(folder)
        if not listings:
            shutil.rmtree(run / "checkpoints")
            write_checkpoint(run, 9000, nets_of_run("DQN"))
        listings.append(found)
        return found

    monkeypatch.setattr(weights, "checkpoints", replaced)
    record = read_record(run)
    assert record.snapshot.step == 9000 and record.remarks == () and len(listings) == 2


def test_the_policy_of_an_unfinished_run_may_be_its_best(tmp_path: Path) -> None:
    """It is that of the last checkpoint: evaluations since then were of later ones."""
    run = unfinished(tmp_path / "run")
    write_checkpoint(run, 9000, nets_of_run("DQN"))
    for name in ("policy.safetensors", "best_policy.safetensors"):
        save_file(perceptron("0"), run / name)
    log = columns("DQN")
    write_log(run, log | {"Eval_AverageReturn": log["Eval_AverageReturn"][::-1]})
    assert names(run) == []


def test_a_half_written_row_is_left_out(tmp_path: Path) -> None:
    run = unfinished(tmp_path / "run")
    whole = (run / "log.csv").read_text()
    for cut in (1, 7, 100):
        (run / "log.csv").write_text(whole[:-cut])
        assert len(read_record(run).run.log["Step"]) == 11
        assert names(run) == []


def test_a_run_without_evaluations(tmp_path: Path) -> None:
    log = {name: values for name, values in columns("DQN").items() if "Eval" not in name}
    run = unfinished(tmp_path / "run")
    write_log(run, log)
    assert names(run) == []


@pytest.mark.parametrize(
    ("algorithm", "settings", "rows", "words"),
    [
        ("DQN", {"learning_starts": 50_000, "num_timesteps": 10**6}, 12, (
            "Learning has not begun: it begins after step 50,000", "the run is at step 12,000",
        )),
        ("DDPG", {"learning_starts": 50_000, "num_timesteps": 10**6, "start_steps": 20_000}, 1, (
            "it begins after step 50,000", "step 1,000", "random until step 20,000",
        )),
        ("DQN", {"learning_starts": 5000, "scalar_log_freq": 10_000}, 0, (
            "There is no row yet", "begins after step 5,000", "first row comes at step 10,000",
        )),
        ("PPO", {}, 0, ("it begins with the first batch, of 2,048 steps",)),
    ],
)  # fmt: skip
def test_learning_has_not_begun(
    algorithm: str,
    settings: dict[str, Any],
    rows: int,
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = unfinished(tmp_path / "run", algorithm=algorithm, settings=settings)
    log = columns(algorithm) | (YOUNG if algorithm != "PPO" else {})
    write_log(run, {name: (values + np.zeros(12))[:rows] for name, values in log.items()})
    out = shown(run, capsys)
    for text in words:
        assert text in out
    assert main(["diagnose", str(run), "--json", str(tmp_path / "found.json")]) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["waits"] and not found["findings"] and found["rows"] == rows


def test_a_log_that_is_not_there_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = unfinished(tmp_path / "run")
    (run / "log.csv").unlink()
    assert "There is no row yet" in shown(run, capsys)


def test_one_row_of_a_run_that_learns_is_too_few(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = unfinished(tmp_path / "run")
    write_log(run, {name: np.resize(values, 12)[5:6] for name, values in columns("DQN").items()})
    assert main(["diagnose", str(run)]) == 2
    error = capsys.readouterr().err
    assert "1 row, too few" in error and "look again" in error and error.count("\n") == 1


def test_real_observations_decide_which_units_are_dead(tmp_path: Path) -> None:
    """Units that a made-up input wakes may be dead for all that was played, and the reverse."""
    nets, played = dict(nets_of_run("DQN")), transitions()
    played |= {"obs": played["obs"] + np.float32(10.0), "done": np.zeros(400, bool)}
    first = np.abs(nets[f"{NET}.0.weight."])
    nets |= {f"{NET}.0.weight.": first, f"{NET}.0.bias.": -10 * first.sum(axis=1)}
    log = {f"{kind}_AverageReturn": 20.0 for kind in ("Train", "Eval")}
    run = unfinished(tmp_path / "run", log=log)
    write_checkpoint(run, 9000, nets)
    assert names(run) == ["dead_units"]
    write_checkpoint(run, 9500, nets, memory=played)
    assert names(run) == []


def test_a_run_in_training_is_read_at_any_moment(tmp_path: Path) -> None:
    """Rows and columns come, checkpoints are replaced, and in the end all of them vanish."""
    run = unfinished(tmp_path / "run")
    table = columns("DQN")
    log = Logger(run)
    done = threading.Event()

    def log_row(row: int) -> None:
        names = list(table)[: 5 + 2 * row]
        log.log_scalars(row, {name: float(np.resize(table[name], 12)[row]) for name in names})

    def train() -> None:
        for row in range(2, 12):
            log_row(row)
            write_checkpoint(run, row, nets_of_run("DQN"), memory=transitions())
        CheckpointStore(run).remove_all()
        done.set()

    log_row(0)
    log_row(1)
    trainer = threading.Thread(target=train)
    trainer.start()
    reads = 0
    try:
        while not done.is_set():
            record = read_record(run)
            assert not record.finished and not [r for r in record.remarks if "left out" in r]
            reads += bool(record.nets)
    finally:
        trainer.join()
        log.close()
    assert reads > 10
