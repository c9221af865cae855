"""Agents for the tests of compiled updates: twins, batches, and what differs between them."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from cs285.agents.ppo_agent import PPOAgent
from cs285.configs.dqn import DQNConfig
from cs285.configs.ppo import PPOConfig
from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure.compiled import cache
from cs285.infrastructure.compiled.updates import CompiledUpdates
from cs285.infrastructure.training.agent import Compilable
from tests.agents.test_off_policy_agents import agent_of
from tests.by_hand import Nowhere

needs_compiler = pytest.mark.skipif(bool(cache.why_none()), reason=cache.why_none() or "none")
N, OB, ACTIONS = 6, 4, 3


class Watched:
    """Compiles the updates of an agent; keeps the lines that a run would print."""

    def __init__(self, updates: list[Compilable], backend: str = "inductor") -> None:
        self.lines: list[str] = []
        self.compiling: list[str] = []
        self.all = CompiledUpdates(updates, self._watch, self.lines.append, backend)

    @contextlib.contextmanager
    def _watch(self, name: str) -> Iterator[None]:
        self.compiling.append(name)
        yield

    @property
    def ways(self) -> list[str]:
        """How each update is called: plain, short, or by torch.compile."""
        return [way_of(update) for update in self.all.updates]

    @property
    def why(self) -> str:
        return "; ".join(line for line in self.lines if "stays plain" in line)


def way_of(update: Any) -> str:
    if update.captured is None:
        return "plain"
    return "short" if update.captured.short is not None else "torch"


def critic(kind: type[DQNCritic] = DQNCritic, **more: Any) -> DQNCritic:
    """A small critic of DQN, always of the same first weights."""
    torch.manual_seed(0)
    settings = {"hidden": "8,8", "frame_history_len": 1, "double_q": True, "discount": 0.9}
    settings |= {"learning_rate": "0:1e-3,50:5e-4", "adam_eps": 1e-8, "tau": 1.0}
    return kind((OB,), ACTIONS, DQNConfig(**settings | more))


def transitions(seed: int) -> tuple[np.ndarray, ...]:
    """A batch in the order of `DQNCritic.update`."""
    rng = np.random.default_rng(seed)
    obs, next_obs = rng.normal(size=(2, N, OB)).astype(np.float32)
    acs, ends = rng.integers(ACTIONS, size=N), (rng.random(N) < 0.3).astype(np.float32)
    return obs, acs, next_obs, rng.normal(size=N).astype(np.float32), ends


def dqn(**more: Any) -> Any:
    """Something that learns as DQN does, with its target network."""
    its = critic(**more)

    def learn(seed: int) -> Any:
        its.set_step_size(seed)
        log = its.update(*transitions(seed))
        if seed % 10 == 0:
            its.update_target_network()
        return log

    optimizer = its.optimizer
    updates = [Compilable(its, "gradient_step", [optimizer])]
    return SimpleNamespace(learn=learn, updates=lambda: updates, state=its.state_dict, critic=its)


def off_policy(name: str, **more: Any) -> Any:
    """An agent of homework 4."""
    torch.manual_seed(0)
    agent: Any = agent_of(name, **more)

    def learn(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        ob, ac = agent.ob_dim, agent.ac_dim
        columns = [rng.normal(size=(N, ob)), rng.uniform(-1, 1, (N, ac)), rng.normal(size=N)]
        columns += [rng.normal(size=(N, ob)), rng.random(N).round()]
        return agent.train(*(column.astype(np.float32) for column in columns))

    return SimpleNamespace(
        learn=learn, updates=agent.compilable_updates, state=agent.state_dict, agent=agent
    )


def ppo(discrete: bool = True, **more: Any) -> Any:
    """An agent of homework 5; its batches come from an old policy that is near."""
    torch.manual_seed(0)
    env: Any = Nowhere(discrete=discrete)
    agent: Any = PPOAgent(env, PPOConfig(hidden="8", entropy_coef=0.01, **more))

    def learn(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        obs = torch.from_numpy(rng.normal(size=(N, 3)).astype(np.float32))
        acs = rng.integers(2, size=N) if discrete else rng.normal(size=(N, 2))
        played = torch.from_numpy(acs.astype(np.float32))
        with torch.no_grad():
            old = agent.actor(obs).log_prob(played) + 0.01 * torch.randn(N)
        return agent.update(obs, played, torch.randn(N), torch.randn(N), old)

    return SimpleNamespace(
        learn=learn, updates=agent.compilable_updates, state=agent.state_dict, agent=agent
    )


LEARNERS: dict[str, Callable[[], Any]] = {
    "dqn": lambda: dqn(double_q=False),
    "double dqn": dqn,
    "ddpg": lambda: off_policy("ddpg"),
    "td3": lambda: off_policy("td3"),
    "sac": lambda: off_policy("sac"),
    "sac, fixed temperature": lambda: off_policy("sac", temperature=0.2),
    "ppo": ppo,
    "ppo, Gaussian": lambda: ppo(discrete=False, normalize_observations=True),
    "ppo, target_kl": lambda: ppo(target_kl=0.05),
}


def tensors_in(state: Any) -> list[torch.Tensor]:
    """All tensors of a state tree, in their order."""
    if isinstance(state, torch.Tensor):
        return [state]
    parts = state.values() if isinstance(state, dict) else state
    if not isinstance(state, dict | list | tuple):
        return []
    return [tensor for part in parts for tensor in tensors_in(part)]


def difference(one: Any, other: Any) -> float:
    """The largest difference between the tensors of two learners: weights, averages, counts."""
    pairs = zip(tensors_in(one.state()), tensors_in(other.state()), strict=True)
    return max(
        float((a.detach().double() - b.detach().double()).abs().max())
        for a, b in pairs
        if a.numel()
    )


def learn_beside(plain: Any, other: Any, first: int, last: int) -> None:
    """Lets both learn the same, and compares the generators after each update."""
    for seed in range(first, last):
        states = []
        for learner in (plain, other):
            torch.manual_seed(seed)
            learner.learn(seed)
            states.append(torch.get_rng_state())
        assert torch.equal(*states)


def copied(learner: Any) -> Any:
    """The state of a learner, which learning on does not change."""
    return copy.deepcopy(learner.state())


def copied_of(its: Any) -> Any:
    """A copy of the state of anything that has one."""
    return copy.deepcopy(its.state_dict())
