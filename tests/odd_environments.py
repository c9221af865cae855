"""Odd but legal environments, and faulty ones, each with discrete and with continuous actions.

`<class>Discrete-v0` and `<class>Continuous-v0` are their ids in Gymnasium.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space, Tuple

HANGS = "nobody ended this episode"


class Odd(gym.Env[Any, Any]):
    """A plain task: it shows the time and the action, and an episode ends after 12 steps."""

    observation_space: Space[Any] = Box(-2.0, 2.0, (3,), np.float32)
    length = 12

    def __init__(self, continuous: bool) -> None:
        self.action_space = Box(-1.0, 1.0, (2,), np.float32) if continuous else Discrete(2)
        self.t = self.steps = 0  # of the episode, of all

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.t = 0
        return self.show(0.0), {}

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        self.t, self.steps = self.t + 1, self.steps + 1
        push = float(np.mean(action))
        return self.show(push), self.reward(push), self.t >= self.length, False, {}

    def numbers(self, push: float) -> np.ndarray:
        return np.array([self.t / 12, np.sin(self.steps), push], np.float32).clip(-2, 2)

    def show(self, push: float) -> Any:
        return self.numbers(push)

    def reward(self, push: float) -> Any:
        return 1.0 - abs(push - 0.5)


class InPlace(Odd):
    """Returns one array for ever, and changes it in place."""

    def __init__(self, continuous: bool) -> None:
        super().__init__(continuous)
        self.array = np.zeros(3, np.float32)

    def show(self, push: float) -> Any:
        self.array[:] = self.numbers(push)
        return self.array


class NanObservation(Odd):
    """Shows nan after 100 steps."""

    def show(self, push: float) -> Any:
        return self.numbers(push) * (np.nan if self.steps > 100 else 1)


class NanReward(Odd):
    """Rewards with nan after 100 steps."""

    def reward(self, push: float) -> Any:
        return np.nan if self.steps > 100 else 1.0


class InfiniteReward(Odd):
    """Rewards without bound after 100 steps."""

    def reward(self, push: float) -> Any:
        return np.float32(np.inf if self.steps > 100 else 1.0)


class Endless(Odd):
    """Has no time limit and no end: where nobody ends an episode, it raises in place of a hang."""

    length = 3000

    def step(self, action: Any) -> Any:
        if self.t >= self.length - 1:
            raise RuntimeError(HANGS)
        return super().step(action)


class StartsAtOne(Odd):
    """States are 1, 2 and 3; discrete actions are 1 and 2."""

    observation_space = Discrete(3, start=1)

    def __init__(self, continuous: bool) -> None:
        super().__init__(continuous)
        if not continuous:
            self.action_space = Discrete(2, start=1)

    def show(self, push: float) -> Any:
        return 1 + self.steps % 3


class ManyDiscrete(Odd):
    """Shows two discrete numbers."""

    observation_space = MultiDiscrete([4, 13])

    def show(self, push: float) -> Any:
        return np.array([self.steps % 4, self.t])


class Images(Odd):
    """Shows colour pictures of 84 x 84 pixels."""

    observation_space = Box(0, 255, (84, 84, 3), np.uint8)

    def show(self, push: float) -> Any:
        return np.full((84, 84, 3), self.steps % 256, np.uint8)


class OneStep(Odd):
    """Ends every episode at its first step."""

    length = 1


class Raises(Odd):
    """Raises in the middle of its sixth episode."""

    def step(self, action: Any) -> Any:
        if self.steps == 66:
            raise RuntimeError("the simulator\nis gone")
        return super().step(action)


class Double(Odd):
    """Observations, actions and rewards are float64."""

    observation_space = Box(-2.0, 2.0, (3,), np.float64)

    def __init__(self, continuous: bool) -> None:
        super().__init__(continuous)
        if continuous:
            self.action_space = Box(-1.0, 1.0, (2,), np.float64)

    def show(self, push: float) -> Any:
        return self.numbers(push).astype(np.float64) / 3

    def reward(self, push: float) -> Any:
        return np.float64(1.0 - push)


class RewardArray(Odd):
    """Rewards are arrays of one number."""

    def reward(self, push: float) -> Any:
        return np.array([1.0 - push], np.float32)


TEN = (InPlace, NanObservation, Endless, StartsAtOne, ManyDiscrete)
TEN += (Images, OneStep, Raises, Double, RewardArray)


class Parts(Odd):
    """Shows a dict with a tuple in it."""

    observation_space = Dict(
        {"a": Discrete(3, start=1), "b": Tuple([Box(-2, 2, (2, 2), np.float64), MultiBinary(2)])}
    )

    def show(self, push: float) -> Any:
        return {"a": 1 + self.t % 3, "b": (np.full((2, 2), push), np.array([1, 0], np.int8))}


class Binary(Odd):
    """Shows bits."""

    observation_space = MultiBinary(4)

    def show(self, push: float) -> Any:
        return np.array([self.t >> bit & 1 for bit in range(4)], np.int8)


class Graphs(Odd):
    """Shows what has no fixed size."""

    observation_space = gym.spaces.Graph(Box(-1, 1, (2,)), None)


class OldApi(Odd):
    """Resets and steps as in Gym before 0.26."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=seed)[0]

    def step(self, action: Any) -> Any:
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, info


class OldStep(Odd):
    """Steps as in Gym before 0.26."""

    def step(self, action: Any) -> Any:
        obs, reward, terminated, _, info = super().step(action)
        return obs, reward, terminated, info


class OlderApi(Odd):
    """Resets as in Gym before 0.22: without a seed."""

    def reset(self) -> Any:  # type: ignore[override]
        return np.zeros(3, np.float32)


class WithActions(Odd):
    """Has an action space of its own, and remembers actions."""

    def __init__(self, space: Space[Any]) -> None:
        super().__init__(continuous=False)
        self.action_space, self.actions = space, []

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), action
        self.actions.append(action)
        self.t += 1
        return self.show(0.0), 1.0, self.t >= self.length, False, {}


ACTIONS = {
    "Numbers": Box(0, 3, (2,), np.int64),
    "Matrix": Box(-1.0, 2.0, (2, 3), np.float32),
    "OneNumber": Box(-1.0, 1.0, (), np.float64),
    "Unbounded": Box(-np.inf, np.inf, (2,), np.float32),
    "Several": MultiDiscrete([2, 3]),
    "Bits": MultiBinary(3),
    "Named": Dict({"gas": Box(0, 1, (1,)), "wheel": Box(-1, 1, (2,))}),
    "Words": gym.spaces.Text(5),
}


def name(kind: type[Odd], continuous: bool) -> str:
    """The id of an environment."""
    return f"{kind.__name__}{'Continuous' if continuous else 'Discrete'}-v0"


for _kind in (
    *(Odd, *TEN, NanReward, InfiniteReward, Parts, Binary, Graphs),
    *(OldApi, OldStep, OlderApi),
):
    for _continuous in (False, True):
        _limit = None if _kind in (Endless, OldApi, OldStep, OlderApi) else 50
        gym.register(
            name(_kind, _continuous), _kind, max_episode_steps=_limit,
            kwargs={"continuous": _continuous},
        )  # fmt: skip
for _word, _space in ACTIONS.items():
    gym.register(f"{_word}Actions-v0", WithActions, kwargs={"space": _space})
