"""What settings count: environment steps, calls of `train`, batches; seen in whole runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cs285.experiments import actor_critic, ddpg, dqn, ppo, sac, td3
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import only_run

DQN = "--env_name CartPole-v1 --threads 1 --size 8"
OFF_POLICY = "--env_name Pendulum-v1 --hid 8 --eval_freq -1 --threads 1"
MANY = ["", "--num_agent_train_steps_per_iter 4", "--num_critic_updates_per_agent_update 4"]


def log_of(main: object, flags: str, tmp_path: Path) -> dict[str, np.ndarray]:
    assert callable(main)
    assert main([*flags.split(), "--data_dir", str(tmp_path)]) == 0
    return read_log(only_run(tmp_path))


@pytest.mark.parametrize("more", MANY)
def test_dqn_counts_environment_steps(more: str, tmp_path: Path) -> None:
    """Its first update follows step 201; epsilon and step size fall with steps, not with calls."""
    flags = f"{DQN} --num_timesteps 400 --learning_starts 200 --exploration 0:1,1000:0 {more}"
    flags += " -lr 0:1e-3,200:1e-3,1200:0.0000001 --scalar_log_freq 1"
    log = log_of(dqn.main, flags, tmp_path)
    updates_a_step = 4 if "train_steps" in more else 1
    expected = updates_a_step * (log["Step"] - 200).clip(min=0)
    np.testing.assert_array_equal(log["Num_Param_Updates"], expected)
    np.testing.assert_allclose(log["Exploration_Epsilon"], 1 - log["Step"] / 1000)
    rates = np.interp(log["Step"], [200, 1200], [1e-3, 1e-7])
    np.testing.assert_allclose(log["Learning_Rate"], rates, rtol=1e-6)


def test_dqn_learns_at_every_nth_step_with_all_calls(tmp_path: Path) -> None:
    """Calls of `train` that follow one step are all at its time; 1 step in 7 learns."""
    flags = f"{DQN} --num_timesteps 80 --learning_starts 40 --learning_freq 7 --scalar_log_freq 1"
    log = log_of(dqn.main, f"{flags} --num_agent_train_steps_per_iter 3", tmp_path)
    times = log["Step"] - 1  # the first step is at time 0
    learns = (times >= 40) & (times % 7 == 0)
    np.testing.assert_array_equal(np.diff(log["Num_Param_Updates"], prepend=0), 3 * learns)
    assert learns.sum() == 6


@pytest.mark.parametrize("algorithm", [ddpg, td3, sac], ids=["ddpg", "td3", "sac"])
def test_the_first_update_follows_the_step_after_learning_starts(
    algorithm: object, tmp_path: Path
) -> None:
    """Also where memory has fewer transitions than the batch of 256: it draws with replacement."""
    flags = f"{OFF_POLICY} --num_timesteps 104 --scalar_log_freq 1"
    log = log_of(getattr(algorithm, "main"), flags, tmp_path)  # noqa: B009  (a module)
    np.testing.assert_array_equal(log["Num_Param_Updates"], (log["Step"] - 100).clip(min=0))


RUNS = {  # name -> (main, flags, steps of an iteration where they are fixed)
    "dqn": (dqn.main, f"{DQN} --num_timesteps 12 --learning_starts 4 --batch_size 4", 1),
    "sac": (sac.main, f"{OFF_POLICY} --num_timesteps 12 --learning_starts 4 -b 4", 1),
    "ppo": (ppo.main, "-n 3 -b 64 -mb 32 --hid 4 --num_epochs 1 --threads 1", 64),
    "actor_critic": (actor_critic.main, "-n 3 -b 50 -s 4 -l 1 --threads 1", None),
}


@pytest.mark.parametrize("algorithm", RUNS)
def test_the_trainer_sets_the_clock(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the agent learns: the steps before this iteration's; in a row of the log: those so far.

    A resumed run goes on by the same clock.
    """
    main, flags, steps = RUNS[algorithm]
    learns, rows = list[int](), list[int]()
    learn, log = RL_Trainer.train_agent, RL_Trainer.perform_logging

    def train_agent(self: RL_Trainer) -> object:
        learns.append(self.agent.t)
        return learn(self)

    def perform_logging(self: RL_Trainer, *given: object) -> None:
        rows.append(self.agent.t)
        log(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(RL_Trainer, "train_agent", train_agent)
    monkeypatch.setattr(RL_Trainer, "perform_logging", perform_logging)
    log_of(main, f"{flags} --scalar_log_freq 1 --eval_freq -1", tmp_path)
    run = only_run(tmp_path)
    longer = ["--num_timesteps", "15"] if steps == 1 else ["-n", "5"]
    assert main(["--resume", str(run), *longer]) == 0
    assert learns == [0, *rows[:-1]]
    assert rows == read_log(run)["Train_EnvstepsSoFar"].astype(int).tolist()
    if steps:
        assert rows == [steps * (k + 1) for k in range(len(rows))]


NOTES = [  # flags, and the greatest number of steps in which nothing is learned
    (ddpg.main, OFF_POLICY, 100),
    (ddpg.main, f"{OFF_POLICY} --learning_starts 20", 20),
    (dqn.main, f"{DQN} --learning_starts 100", 100),
    (dqn.main, f"{DQN} --learning_starts 90 --learning_freq 8", 96),
    (dqn.main, f"{DQN} --learning_starts 0", 32),  # the memory must fill a batch
]


@pytest.mark.parametrize(("main", "flags", "last"), NOTES)
def test_the_note_that_nothing_is_learned_is_right_at_its_boundary(
    main: object, flags: str, last: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for steps in (last, last + 1):
        folder = tmp_path / str(steps)
        log = log_of(main, f"{flags} --num_timesteps {steps}", folder)
        assert (log["Num_Param_Updates"][-1] == 0) == (steps == last)
        told = re.search(r"nothing is learned in (\d+) steps", capsys.readouterr().err)
        assert (told is not None) == (steps == last)


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({"learning_starts": 100, "batch_size": 256}, 100),
        ({"learning_starts": None}, 0),
        ({}, 0),
        ({"learning_starts": 100, "batch_size": 32, "learning_freq": 1}, 100),
        ({"learning_starts": 100, "batch_size": 32, "learning_freq": 30}, 120),
        ({"learning_starts": 1, "batch_size": 32, "learning_freq": 4}, 32),
    ],
)
def test_when_learning_begins(settings: dict[str, int | None], steps: int) -> None:
    assert learning_begins(settings) == steps


def test_the_step_size_of_ppo_never_falls_below_0(tmp_path: Path) -> None:
    """Also where a run goes on for longer than it was to fall."""
    flags = "-n 2 -b 64 -eb 10 --anneal --hid 4 --num_epochs 1"
    trainers: list[object] = []
    build = ppo.EXPERIMENT.build

    def remember(config: ppo.PPOConfig, run_dir: Path) -> object:
        trainers.append(build(config, run_dir))
        return trainers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppo.EXPERIMENT, "build", remember)
        log_of(ppo.main, flags, tmp_path)
    agent = getattr(trainers[0], "agent")  # noqa: B009
    rates = [agent.optimizer.param_groups[0]["lr"]]
    agent.step_env()
    agent.train(*agent.sample(64))
    rates.append(agent.optimizer.param_groups[0]["lr"])
    assert rates == [0.0, 0.0]


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (8, [4, 4]),
        (11, [4, 4, 3]),
        (10, [4, 6]),
        (9, [4, 5]),
        (3, [3]),
        (2, [2]),
    ],
)
def test_a_small_remainder_joins_the_minibatch_before(n: int, sizes: Sequence[int]) -> None:
    from tests.agents.test_ppo_agent import make_agent

    agent = make_agent(num_epochs=2)
    parts = list(agent.rows_of_all_epochs(n))
    assert [len(part) for part in parts] == [*sizes, *sizes]
    for epoch in (parts[: len(sizes)], parts[len(sizes) :]):
        assert sorted(np.concatenate(epoch)) == list(range(n))
