"""Every agent in ten odd environments: it trains, or it refuses in one line."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from cs285.experiments import registry
from cs285.infrastructure.base import config
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.training import run_folder
from tests import odd_environments as odd
from tests.running import only_run

PATHS = "-n 2 -b 64 -eb 24"
STEPS = "--num_timesteps 130 --learning_starts 100 --buffer_size 300 --eval_batch_size 1 "
STEPS += "--eval_freq 65 --eval_episodes 2 --scalar_log_freq 65"
MEMORY = f"{STEPS} -b 16 --hid 8"
SEGMENTS = f"{PATHS} -mb 32 --num_epochs 2 --hid 8"
# An agent -> its experiment, short settings, and whether its actions are continuous.
DISCRETE = {
    "vpg": ("vpg", f"{PATHS} --hid 8 --nn_baseline -rtg --discount 0.9"),
    "actor_critic": ("actor_critic", f"{PATHS} -l 1 -s 8 --discount 0.9"),
    "dqn": ("dqn", f"{STEPS} -l 1 -s 8"),
    "ppo": ("ppo", SEGMENTS),
    "trpo": ("trpo", f"{SEGMENTS} --normalize_observations"),
    "portfolio of dqn": (
        "portfolio",
        f"{STEPS} --members dqn:n_layers=1:size=8,dqn:n_layers=1:size=9 --selector ucb1",
    ),
}
CONTINUOUS = {
    "vpg": DISCRETE["vpg"],
    "actor_critic": DISCRETE["actor_critic"],
    "ddpg": ("ddpg", MEMORY),
    "td3": ("td3", MEMORY),
    "sac": ("sac", MEMORY),
    "ppo": ("ppo", SEGMENTS),
    "trpo": ("trpo", SEGMENTS),
    "portfolio": ("portfolio", f"{MEMORY} --members ddpg,sac --selector ucb1"),
}
FAULTS = {
    odd.NanObservation: "component 0 of the observation is nan",
    odd.NanReward: "reward is nan",
    odd.InfiniteReward: "reward is inf",
    odd.Raises: "step raised RuntimeError: the simulator is gone",
    odd.OldApi: "reset returns no pair (observation, info); Gym's interface before 0.26",
    odd.OldStep: "step returns 4 values instead of 5; Gym's interface before 0.26",
}
QUICK = ("vpg", "dqn", "sac")  # one of each kind of loop; the other agents are slow tests
LEARN_FROM_IMAGES = ("dqn", "portfolio of dqn", "ppo")
CELLS = [
    (kind, agent, continuous)
    for kind in (*odd.TEN, odd.NanReward, odd.InfiniteReward, odd.OldApi, odd.OldStep)
    for continuous, agents in ((False, DISCRETE), (True, CONTINUOUS))
    for agent in agents
]


def cell(kind: type[odd.Odd], agent: str, continuous: bool) -> Any:
    """A cell of the matrix; slow are second variants, and agents whose loop another one has."""
    marks = []
    again = continuous and agent in DISCRETE
    if again or agent not in QUICK or kind in (odd.InfiniteReward, odd.OldStep):
        marks.append(pytest.mark.slow)
    name = f"{agent}-{'continuous' if continuous else 'discrete'}"
    return pytest.param(kind, agent, continuous, id=f"{kind.__name__}-{name}", marks=marks)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws no pictures and asks git nothing: that would take more time than the runs."""
    monkeypatch.setattr(run_folder, "draw_learning_curve", lambda folder: None)
    monkeypatch.setattr(config, "_git_commit", lambda: None)


@pytest.mark.parametrize(("kind", "agent", "continuous"), [cell(*one) for one in CELLS])
def test_it_trains_or_refuses_in_one_line(
    kind: type[odd.Odd],
    agent: str,
    continuous: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    experiment, words = (CONTINUOUS if continuous else DISCRETE)[agent]
    main: Any = registry.algorithms()[experiment].main
    more = ["--max_episode_steps", "40"] if kind is odd.Endless else []
    env = ["--env_name", odd.name(kind, continuous), "--data_dir", str(tmp_path)]
    status = main([*words.split(), *env, *more])
    err = capsys.readouterr().err
    refused = kind is odd.Images and agent not in LEARN_FROM_IMAGES
    if kind in FAULTS or refused:
        assert status == 2 and "Traceback" not in err
        (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
        assert odd.name(kind, continuous) in line, line
        assert ("DQN" in line and "PPO" in line) if refused else FAULTS[kind] in line, line
    else:
        assert status == 0, err
        check_trained(only_run(tmp_path))


def check_trained(run_dir: Path) -> None:
    """A finished run has rows in its log, and finite weights that have learned."""
    log = read_log(run_dir)
    assert len(log["Step"]) >= 2 and np.isfinite(log["Eval_AverageReturn"]).all()
    for name in ("policy.safetensors", "weights.safetensors"):
        weights = safetensors.numpy.load_file(run_dir / name)
        assert weights and all(np.isfinite(weight).all() for weight in weights.values())


def test_every_agent_is_in_the_matrix() -> None:
    assert {name for name, _ in (*DISCRETE.values(), *CONTINUOUS.values())} == set(
        registry.algorithms()
    )
    assert len(odd.TEN) == 10


@pytest.mark.parametrize(
    "task", ["StartsAtOneDiscrete", "NumbersActions", "MatrixActions", "PartsContinuous"]
)
@pytest.mark.parametrize("algorithm", ["vpg", "sac", "dqn"])
def test_unusual_spaces_train_where_an_agent_can_have_them(
    task: str, algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"vpg": DISCRETE["vpg"], "dqn": DISCRETE["dqn"], "sac": CONTINUOUS["sac"]}
    main: Any = registry.algorithms()[algorithm].main
    env = ["--env_name", f"{task}-v0", "--data_dir", str(tmp_path)]
    discrete = task == "StartsAtOneDiscrete"
    fits = {"vpg": True, "dqn": discrete, "sac": not discrete}[algorithm]
    assert main([*words[algorithm][1].split(), *env]) == (0 if fits else 2)
    err = capsys.readouterr().err
    if fits:
        check_trained(only_run(tmp_path))
    else:
        assert "use scripts/run_hw3_" in err and not any(tmp_path.iterdir())


@dataclasses.dataclass
class Buggy:
    """A policy with a student's mistake."""

    action: Any

    def get_action(self, obs: np.ndarray) -> Any:
        return self.action


@pytest.mark.parametrize(
    ("action", "error"), [(["left"], AssertionError), ([None], AssertionError), ([], IndexError)]
)
def test_an_exception_of_the_agents_own_code_stays_a_traceback(
    action: Any, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cs285.policies import MLP_policy

    monkeypatch.setattr(MLP_policy.MLPPolicy, "get_action", Buggy(action).get_action)
    main: Any = registry.algorithms()["actor_critic"].main
    words = [*DISCRETE["actor_critic"][1].split(), "--env_name", odd.name(odd.Odd, False)]
    with pytest.raises(error):
        main([*words, "--data_dir", str(tmp_path)])
