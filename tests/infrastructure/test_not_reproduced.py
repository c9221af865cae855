"""A resumed run never acts on an observation that its task does not show any more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.classic_control import CartPoleEnv
from gymnasium.wrappers import NormalizeObservation, NormalizeReward, RecordEpisodeStatistics

from cs285.agents.segment_agent import SegmentAgent
from cs285.infrastructure.environments import env_state, envs
from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.training import run_folder
from tests.continuing import play, through_disk
from tests.running import load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs


class Drifting(gym.Env[Any, Any]):
    """Begins each episode from a counter of the process: no seed brings it back."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space: gym.Space[Any] = gym.spaces.Discrete(2)
    made = 0
    length = 40

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        Drifting.made += 1
        self.begun, self.t = Drifting.made, 0
        return self._seen(), {}

    def step(self, action: Any) -> Any:
        self.t += 1
        return self._seen(), 1.0, False, self.t >= self.length, {}

    def _seen(self) -> np.ndarray:
        return np.array([self.begun, self.t], np.float32)


class DriftingContinuous(Drifting):
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)


class EndsSooner(Drifting):
    """Is reproduced but for its length."""

    def reset(self, **settings: Any) -> Any:
        obs, info = super().reset(**settings)
        self.begun = 1
        return self._seen(), info

    def step(self, action: Any) -> Any:
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, self.t >= 50 - 10 * Drifting.made, info


for kind in (Drifting, DriftingContinuous, EndsSooner):
    gym.register(f"{kind.__name__}-v0", kind, disable_env_checker=True)


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Drifting, "made", 0)
    monkeypatch.setattr(run_folder, "SAVING_SHARE", 1e9)


# ---------------------------------------------------------------- environments


def test_what_is_not_reproduced_begins_a_fresh_episode(tmp_path: Path) -> None:
    env = envs.make_env("Drifting-v0", ep_len=30)
    env.reset(seed=3)
    play(env, [0] * 35)
    saved = through_disk(env, tmp_path)
    restored = envs.make_env("Drifting-v0", ep_len=30)
    state = env_state.within(restored, env_state.ResumableEnv)
    state.load_state_dict(saved)
    assert state.fresh_obs.tolist() == [Drifting.made, 0]
    statistics = env_state.within(restored, RecordEpisodeStatistics)
    assert list(statistics.length_queue) == [30]  # of the whole episode: the cut one does not count
    play(restored, [0] * 30)
    assert list(statistics.length_queue) == [30, 30]  # a whole one, from its own first step
    assert statistics.episode_count == 2


def test_an_episode_that_ends_sooner_is_another(tmp_path: Path) -> None:
    env = envs.make_env("EndsSooner-v0")
    env.reset(seed=3)  # at most 40 steps; 30 in the next
    for _ in range(35):
        env.step(0)
    restored = env_state.within(envs.make_env("EndsSooner-v0"), env_state.ResumableEnv)
    restored.load_state_dict(through_disk(env, tmp_path))
    assert restored.fresh_obs.tolist() == [1, 0]


def normalized() -> Any:
    return NormalizeReward(NormalizeObservation(CartPoleEnv()), gamma=0.9)


def test_statistics_of_wrappers_go_on_exactly(tmp_path: Path) -> None:
    if "Normalized-v0" not in gym.registry:
        gym.register("Normalized-v0", normalized, max_episode_steps=50)
    env, restored = (envs.make_env("Normalized-v0") for _ in range(2))
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    play(env, rng.integers(2, size=103).tolist())
    state = env_state.within(restored, env_state.ResumableEnv)
    state.load_state_dict(through_disk(env, tmp_path))
    assert state.fresh_obs is None  # it came back, though its first episode looked otherwise
    actions = rng.integers(2, size=100).tolist()
    assert play(env, actions) == play(restored, actions)


# ---------------------------------------------------------------- agents

DQN = ("run_hw3_dqn", "--learning_starts 1000 --exploration 0")
SAC = ("run_hw4_sac", "-b 8 --learning_starts 1000 --start_steps 1000 --eval_freq -1")
AGENTS = {
    "DQN": ("Drifting-v0", *DQN),
    "stacks": ("Drifting-v0", DQN[0], f"{DQN[1]} --frame_history_len 3"),
    "SAC": ("DriftingContinuous-v0", *SAC),
    "portfolio": ("DriftingContinuous-v0", "run_hw6", f"{SAC[1]} --members td3,sac"),
    "PPO": ("Drifting-v0", "run_hw5_ppo", "-b 50 -mb 10 --num_envs 2 --eval_freq -1"),
    "TRPO": ("Drifting-v0", "run_hw5_trpo", "-b 50 -mb 10 --eval_freq -1"),
    "actor-critic": ("Drifting-v0", "run_hw3_actor_critic", "-b 50 --eval_freq -1 --ep_len 25"),
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_acts_on_what_its_task_shows(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    env_name, script, flags = AGENTS[name]
    segments = script in ("run_hw5_ppo", "run_hw5_trpo", "run_hw3_actor_critic")
    length = ["-n", "3"] if segments else ["--num_timesteps", "75"]
    stop_at = 1 if segments else 49  # in the middle of the second episode
    trainers, real = [], RL_Trainer.perform_logging

    def log(trainer: Any, itr: int, *rest: Any) -> None:
        real(trainer, itr, *rest)
        trainers.append(trainer)
        if itr == stop_at and not trainer.run.stop_requested:
            trainer.run.stop_requested = "enough"

    monkeypatch.setattr(RL_Trainer, "perform_logging", log)
    words = [*flags.split(), *length, "--env_name", env_name, "--threads", "1"]
    main = load_script(script).main
    assert main([*words, "--data_dir", str(tmp_path)]) == 0
    learned: list[Any] = []  # PPO and TRPO keep no batch that they have learned from
    sample = SegmentAgent.sample
    monkeypatch.setattr(
        SegmentAgent, "sample", lambda *given: learned.append(sample(*given)) or learned[-1]
    )
    monkeypatch.setattr(RL_Trainer, "perform_logging", lambda *given: keep(real, trainers, *given))
    Drifting.made = 100
    capsys.readouterr()
    assert main(["--resume", str(only_run(tmp_path))]) == 0
    err = capsys.readouterr().err
    note = f"note: {env_name}: the same seed and actions led to another state"
    assert err.count(note) == 1 and err.count("\n", err.index(note)) >= 1
    check(transitions(trainers[-1].agent, learned))


def keep(real: Any, trainers: list[Any], trainer: Any, *rest: Any) -> None:
    real(trainer, *rest)
    trainers.append(trainer)


def check(transitions: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """No transition leads from an episode of the first process into one of the second."""
    assert transitions
    for ob, next_ob in transitions:
        newest, next_newest = ob.reshape(-1, 2)[-1], next_ob.reshape(-1, 2)[-1]
        if next_newest.any():  # zero after a time limit that ends the task
            np.testing.assert_array_equal(newest + [0, 1], next_newest)


def transitions(agent: Any, learned: list[Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    if hasattr(agent, "members"):
        return transitions(agent.members[0], learned)
    batches = learned[-1:]
    if not batches:
        batches = [agent.sample(50) for _ in range(40)]  # so that none is missed
    return [(ob, next_ob) for b in batches for ob, next_ob in zip(b[0], b[3], strict=True)]
