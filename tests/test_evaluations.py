"""Evaluations while a run learns: the table, the best policy, and the two ways to end early."""

from __future__ import annotations

from pathlib import Path

import pytest
import safetensors.numpy

from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import assert_same_run, load_script, only_run

SCRIPT = "run_hw3_actor_critic"
FLAGS = ["-n", "8", "-b", "150", "--eval_episodes", "2", "--scalar_log_freq", "2"]
FLAGS += ["--exp_name", "x"]


def train(folder: Path, *more: str) -> Path:
    assert load_script(SCRIPT).main([*FLAGS, "--data_dir", str(folder), *more]) == 0
    return only_run(folder)


def weights(run_dir: Path, name: str) -> bytes:
    loaded = safetensors.numpy.load_file(run_dir / name)
    return b"".join(loaded[key].tobytes() for key in sorted(loaded))


def test_the_table_has_a_head_and_a_row_for_each_evaluation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = train(tmp_path)
    lines = [line.split() for line in capsys.readouterr().err.replace("\r", "\n").splitlines()]
    head = lines.index(["step", "time", "avgR", "stdR", "avgS", "objC", "objA"])
    log = read_log(run_dir)
    rows = [line for line in lines[head + 1 :] if len(line) == 7 and line[0][0].isdigit()]
    assert len(rows) == len(log["Step"]) == 6
    for row, steps, mean in zip(
        rows, log["Train_EnvstepsSoFar"], log["Eval_AverageReturn"], strict=True
    ):
        assert float(row[0].replace(",", "")) == steps
        assert float(row[2]) == pytest.approx(mean, rel=0.01)  # the table rounds


def test_the_best_policy_is_kept_beside_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    returns = iter([1.0, 5.0, 4.0, 5.0, 3.0, 2.0])
    record: list[bytes] = []

    def evaluate(trainer, itr, policy):
        record.append(b"".join(w.numpy().tobytes() for _, w in sorted(policy.state_dict().items())))
        return {"Eval_AverageReturn": next(returns)}

    monkeypatch.setattr(RL_Trainer, "_evaluate", evaluate)
    run_dir = train(tmp_path)
    assert weights(run_dir, "best_policy.safetensors") == record[1]
    assert weights(run_dir, "policy.safetensors") == record[5] != record[1]


@pytest.mark.slow
def test_a_run_ends_where_the_target_is_reached_and_can_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = train(tmp_path / "whole", "--target_return", "1000")
    capsys.readouterr()
    run_dir = train(tmp_path / "short", "--target_return", "1")
    assert "--target_return 1 is reached; go on with: " in capsys.readouterr().err
    assert read_log(run_dir)["Step"].tolist() == [0]
    assert (run_dir / "policy.safetensors").exists()
    config = (run_dir / "config.json").read_text()
    (run_dir / "config.json").write_text(
        config.replace('"target_return": 1.0', '"target_return": null')
    )
    assert load_script(SCRIPT).main(["--resume", str(run_dir)]) == 0
    assert_same_run(whole, run_dir)


@pytest.mark.slow
def test_a_file_named_stop_ends_a_run_cleanly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(tmp_path / "whole")

    def stop_at_the_third(trainer, itr, *rest):
        if itr == 2:
            (trainer.run_dir / "stop").touch()
        return real(trainer, itr, *rest)

    real = RL_Trainer.perform_logging
    monkeypatch.setattr(RL_Trainer, "perform_logging", stop_at_the_third)
    run_dir = train(tmp_path / "stopped")
    assert f"stopped by {run_dir / 'stop'}; go on with: " in capsys.readouterr().err
    assert not (run_dir / "stop").exists() and (run_dir / "checkpoints").exists()
    monkeypatch.undo()
    assert load_script(SCRIPT).main(["--resume", str(run_dir)]) == 0
    assert_same_run(whole, run_dir)
