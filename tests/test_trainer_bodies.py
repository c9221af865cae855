"""Bodies of `hw3.trainer.train` that students write: what they unpack is there, learns alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import assert_same_run, load_script, only_run

RUNS = {
    "run_hw3_dqn": "--env_name CartPole-v1 --num_timesteps 120 --learning_starts 40 --hid 8",
    "run_hw3_actor_critic": "-n 4 -b 100 -s 8",
    "run_hw4_sac": "--num_timesteps 60 --learning_starts 20 --hid 8 -b 8",
}


def five_arrays(self: Any) -> list[Mapping[str, float]]:
    """As handouts before this one have it."""
    all_logs = []
    for _ in range(self.agent.updates_due()):
        ob_no, ac_na, re_n, next_ob_no, terminal_n = self.agent.sample(
            self.params["train_batch_size"]
        )
        all_logs.append(self.agent.train(ob_no, ac_na, re_n, next_ob_no, terminal_n))
    return all_logs


def by_names(self: Any) -> list[Mapping[str, float]]:
    """By the names of the batch's fields."""
    all_logs = []
    for _ in range(self.agent.updates_due()):
        batch = self.agent.sample(self.params["train_batch_size"])
        all_logs.append(self.agent.train(**batch._asdict()))
    return all_logs


@pytest.mark.parametrize("body", [five_arrays, by_names])
@pytest.mark.parametrize("script", RUNS)
def test_a_right_body_learns_as_the_given_one(
    script: str, body: Callable[[Any], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = [*RUNS[script].split(), "--eval_freq", "-1", "--scalar_log_freq", "1"]
    for name in ("given", "own"):
        words = [*flags, "--threads", "1", "--data_dir", str(tmp_path / name)]
        assert load_script(script).main(words) == 0
        monkeypatch.setattr(RL_Trainer, "train_agent", body)
    assert_same_run(only_run(tmp_path / "given"), only_run(tmp_path / "own"))
