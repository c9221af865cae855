"""Several agents in one environment: before each episode a rule chooses who plays it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from cs285.agents.selectors import Selector
from cs285.infrastructure.base.state import Blob, Stateful
from cs285.infrastructure.environments.scaled_rewards import TASK_REWARD
from cs285.infrastructure.rollouts import Batch, Policy
from cs285.infrastructure.training.agent import Agent, Compilable, StateValue

RECENT = 10  # episodes in the mean by which members are compared


def regret(total_k: np.ndarray, plays_k: np.ndarray) -> float:
    """Estimates what choosing has cost: had the best member played always, and as it did.

    regret = n max_k (total_k / n_k) - sum_k total_k, with n = sum_k n_k, over k that have played

    Args:
        total_k: Sum of the returns of each member. Shape (K,), reward units.
        plays_k: Its episodes n_k. Shape (K,).

    Returns:
        The regret, reward units; 0 before the first episode.
    """
    tried = plays_k > 0
    if not tried.any():
        return 0.0
    # The regret above.
    # BEGIN SOLUTION hw6.portfolio.regret -> cost
    best = (total_k[tried] / plays_k[tried]).max()
    cost = float(plays_k.sum() * best - total_k.sum())
    # END SOLUTION
    return cost


class EpisodeMonitor(gym.Wrapper[Any, Any, Any, Any]):
    """Adds up the rewards of an episode, and notices its end."""

    score = 0.0
    finished: float | None = None
    """The return of the episode that the newest step ended; None if it ended none."""

    def reset(self, **settings: Any) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        self.score = 0.0
        return self.env.reset(**settings)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and adds the reward to the score of the episode."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.score += float(info.get(TASK_REWARD, reward))
        self.finished = self.score if terminated or truncated else None
        return obs, reward, terminated, truncated, info


class BestPlays:
    """One of the policies of the member whose recent episodes were best."""

    def __init__(self, portfolio: PortfolioAgent, policy_of: Callable[[Any], Policy]) -> None:
        """Plays with the policy that `policy_of` returns for a member."""
        self.portfolio, self.policy_of = portfolio, policy_of

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns that policy's actions."""
        best = self.portfolio.members[self.portfolio.best()]
        return self.policy_of(best).get_action(obs)


def renamed(tree: Any, prefix: str) -> Any:
    """Returns a state tree whose blobs' names begin with `prefix`: two memories need two names."""
    if isinstance(tree, Blob):
        return Blob(prefix + tree.name, tree.data)
    if isinstance(tree, dict):
        return {name: renamed(value, prefix) for name, value in tree.items()}
    if type(tree) in (list, tuple):
        return type(tree)(renamed(value, prefix) for value in tree)
    return tree


class MemberScores(Stateful):
    """The returns of the members' episodes."""

    kept = ("plays_k", "total_k", "recent", "low", "high")

    def __init__(self, num_members: int) -> None:
        """Begins without any episode."""
        self.plays_k = np.zeros(num_members)
        self.total_k = np.zeros(num_members)
        """Sum of returns, reward units."""
        self.recent: list[deque[float]] = [deque(maxlen=RECENT) for _ in range(num_members)]
        self.low, self.high = np.inf, -np.inf
        """The smallest and the largest return so far."""

    def add(self, k: int, score: float) -> None:
        """Adds the return of an episode that member k played."""
        self.plays_k[k] += 1
        self.total_k[k] += score
        self.recent[k].append(score)
        self.low, self.high = min(self.low, score), max(self.high, score)


class PortfolioAgent(Agent):
    """Chooses a member an episode; all learn from what any of them did.

    Source: Laroche and Feraud, 2018, "Reinforcement Learning Algorithm Selection",
    https://arxiv.org/abs/1701.08810, algorithm 1.
    """

    kept = (
        *("members", "selector", "monitor.score", "record"),
        *("playing", "between_episodes", "own_steps", "held", "batch_size"),
    )

    _t = 0

    def __init__(
        self,
        env: gym.Env[Any, Any],
        builders: Sequence[Callable[[gym.Env[Any, Any]], Any]],
        selector: Selector,
        own_experience: bool = False,
    ) -> None:
        """Builds the members and begins the first episode.

        Args:
            env: The environment that all of them step.
            builders: Each makes a member, an agent that steps the environment it is given.
            selector: Chooses who plays.
            own_experience: Whether each member keeps a memory of its own, and learns only from
                that and when it plays; else all learn at each step from one memory.
        """
        self.monitor = EpisodeMonitor(env)
        self.members = [build(self.monitor) for build in builders]
        self.selector, self.own_experience = selector, own_experience
        self.record = MemberScores(len(self.members))
        self.playing = len(self.members) - 1  # whose first observation is the newest
        self.between_episodes = True
        self.batch_size = 0
        self.own_steps = [0] * len(self.members)
        """Steps that each has played."""
        self.held = [0] * len(self.members)  # updates that each is to make
        self.actor = BestPlays(self, lambda member: member.actor)
        self.eval_policy = BestPlays(self, lambda member: member.eval_policy)
        if not own_experience:
            self._share_memory()

    def _share_memory(self) -> None:
        """Gives all members the first one's replay buffer, which only the first one saves."""
        first, *others = self.members
        for member in others:
            member.replay_buffer = first.replay_buffer
            member.kept = tuple(name for name in member.kept if name != "replay_buffer")

    def step_env(self) -> None:
        """Lets a member take one step; between episodes, chooses it first."""
        before = self.members[self.playing]
        # Between two episodes, and only there, ask the selector who plays. Member self.playing
        # acts until the episode ends. self.between_episodes says whether it is such a time: it
        # becomes false here.
        # BEGIN SOLUTION hw6.portfolio.choose
        if self.between_episodes:
            self.playing = self.selector.choose()
            self.between_episodes = False
        # END SOLUTION
        player = self.members[self.playing]
        player.last_obs = before.last_obs
        player.step_env()
        self.own_steps[self.playing] += 1
        for k in [self.playing] if self.own_experience else range(len(self.members)):
            self.held[k] += self.members[k].updates_due()
        if self.monitor.finished is not None:
            self.end_episode(self.monitor.finished)

    def begin_episode(self, obs: Any) -> None:
        """Lets the same member play the fresh episode; nobody is credited with the lost one."""
        self.members[self.playing].begin_episode(obs)
        self.monitor.score = 0.0

    @property
    def t(self) -> int:
        """Returns the steps of all members."""
        return self._t

    @t.setter
    def t(self, t: int) -> None:
        """Sets every member's clock: to the steps in the memory that it learns from."""
        self._t = t
        for member, own in zip(self.members, self.own_steps, strict=True):
            member.t = own if self.own_experience else t

    def end_episode(self, score: float) -> None:
        """Credits an episode with the return `score` to who played it.

        A return that is no finite number, of a member whose weights are none, counts as the lowest
        so far.
        """
        score = score if math.isfinite(score) else self.record.low
        if math.isfinite(score):  # else there is none to compare with yet
            before = self.record.low, self.record.high
            self.record.add(self.playing, score)
            self._rescale(*before)
        x = self.scaled(score)
        # Report to the selector who played, and how well. The next step is one between episodes:
        # let self.between_episodes say so.
        # BEGIN SOLUTION hw6.portfolio.credit
        self.selector.update(self.playing, x)
        self.between_episodes = True
        # END SOLUTION

    def _rescale(self, low: float, high: float) -> None:
        """Brings the selector's scores into the present range of returns, from `low` to `high`."""
        now_low, width = self.record.low, self.record.high - self.record.low
        if width > 0 and math.isfinite(low) and (low, high) != (now_low, self.record.high):
            # x (high - low) + low is the return again; where all were equal, x is 1/2 for each.
            self.selector.rescale((high - low) / width, (low - now_low) / width)

    def scaled(self, score: float) -> float:
        """Maps a return into [0, 1]: 0 the lowest that any member has had so far, 1 the highest.

        Args:
            score: A return within that range, reward units.

        Returns:
            The score; 1/2 while the range is empty.
        """
        low, high = self.record.low, self.record.high
        if not low < high:
            return 0.5
        # The return's place in the range.
        # BEGIN SOLUTION hw6.portfolio.scale -> x
        x = (score - low) / (high - low)
        # END SOLUTION
        return x

    def compilable_updates(self) -> list[Compilable]:
        """Returns what `--compile` compiles: the updates of all members."""
        return [update for member in self.members for update in member.compilable_updates()]

    def updates_due(self) -> int:
        """Returns the updates of who has most to make; none while a selector freezes members."""
        return 0 if self.selector.frozen else max(self.held)

    def sample(self, batch_size: int) -> Batch:
        """Draws the batch of the member that plays."""
        self.batch_size = batch_size
        batch: Batch = self.members[self.playing].sample(batch_size)
        return batch

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> Mapping[str, float]:
        """Lets those members learn that have an update to make; see `learn`."""
        return self.learn(Batch(ob_no, ac_na, re_n, next_ob_no, terminal_n))

    def learn(self, batch: Batch) -> Mapping[str, float]:
        """Lets the member that plays learn from `batch`, and the others from batches of their own.

        Returns:
            What the member that plays logs.
        """
        learners = [k for k, updates in enumerate(self.held) if updates]
        logs: dict[int, Mapping[str, float]] = {}
        # Train each of the learners, and put what it logs into `logs` under its number. The
        # members other than self.playing draw self.batch_size transitions themselves.
        # BEGIN SOLUTION hw6.portfolio.learn
        for k in learners:
            mine = batch if k == self.playing else self.members[k].sample(self.batch_size)
            logs[k] = self.members[k].train(*mine)
        # END SOLUTION
        for learner in learners:
            self.held[learner] -= 1
        return logs.get(self.playing, {})

    def best(self) -> int:
        """Returns the member with the best mean of its recent episodes; who plays, before any."""
        means = {k: float(np.mean(r)) for k, r in enumerate(self.record.recent) if r}
        return max(means, key=lambda k: means[k]) if means else self.playing

    def scalars(self) -> dict[str, float]:
        """Returns who plays and who is best, the regret, and each member's episodes."""
        row: dict[str, float] = self.members[self.playing].scalars()
        row |= {"Member": self.playing, "Best_Member": self.best()}
        row |= {"Regret": regret(self.record.total_k, self.record.plays_k)}
        return row | {f"Plays_{k}": plays for k, plays in enumerate(self.record.plays_k.tolist())}

    def value_function(self) -> StateValue | None:
        """Returns that of the best member, which plays evaluations."""
        found: StateValue | None = self.members[self.best()].value_function()
        return found

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the best member's weights; their names begin with its number."""
        best = self.best()
        weights = self.members[best].policy_state_dict()
        return {f"{best}.{name}": value for name, value in weights.items()}

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree; see `Stateful`. Memories of their own get names of their own."""
        state = super().state_dict()
        if self.own_experience:
            trees = enumerate(state["members"])
            state["members"] = [renamed(tree, f"member{k}_") for k, tree in trees]
        return state
