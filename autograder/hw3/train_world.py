"""What `DQNAgent.train` is probed with: a critic that notes what reaches it, and two networks.

Before each call all weights of the online network are set to the number of the call, so a look at
the target network tells when it was copied, from what, and which way round.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

BATCH, FEATURES, NUM_ACTIONS = 7, 3, 5
STARTS, LEARNING_FREQ, TARGET_FREQ = 4, 3, 6  # an env step's count fits no update's count
CALLS = STARTS + LEARNING_FREQ * (3 * TARGET_FREQ + 2)
TARGET_AT_FIRST = -1.0
ROLES = ("observation", "action", "reward", "next observation", "terminal")  # of `train`
CANONICAL = (0, 1, 3, 2, 4)  # the order in which `update` takes them
OTHER = -1


def batch(shift: float = 0.0) -> tuple[np.ndarray, ...]:
    """Returns the arguments of `train`, each unlike the others. `shift` makes another batch."""
    n = np.arange(BATCH, dtype=np.float32) + shift
    ob_no = n[:, None] + np.linspace(0.1, 0.3, FEATURES, dtype=np.float32)
    terminal_n = np.zeros(BATCH, np.float32)
    terminal_n[[2, 4]] = 1.0
    if shift:
        terminal_n[3] = 1.0
    actions = (np.arange(BATCH) + int(shift)) % NUM_ACTIONS
    return ob_no, actions.astype(np.int64), n * 0.7 - 2.2, ob_no + 20.0, terminal_n


def role_of(value: Any, arrays: tuple[np.ndarray, ...]) -> int:
    """Returns which of `train`'s arguments a value is: a place in `ROLES`, or OTHER."""
    try:
        array = np.asarray(value.detach() if isinstance(value, torch.Tensor) else value)
        found = [i for i, a in enumerate(arrays) if array.shape == a.shape and (array == a).all()]
    except Exception:  # noqa: BLE001  (a student may pass anything)
        found = []
    return found[0] if found else OTHER


def role_of_name(name: str) -> int:
    """Returns which role a parameter's name speaks of; OTHER if that cannot be told."""
    name = name.lower()
    patterns = (
        (3, ("next", "tp1", "prime")),
        (4, ("term", "done", "not_d")),
        (2, ("rew", "re_", "r_n")),
        (1, ("ac", "act")),
        (0, ("ob", "state", "s_")),
    )
    found = [role for role, parts in patterns if any(part in name for part in parts)]
    return found[0] if found else OTHER


def order_of(update: Callable[..., Any] | None) -> tuple[int, ...]:
    """Returns the roles of an `update`'s parameters, in its own order, if its names tell them."""
    try:
        names = list(inspect.signature(update).parameters)[1:6]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return CANONICAL
    order = tuple(role_of_name(name) for name in names)
    return order if sorted(order) == [0, 1, 2, 3, 4] else CANONICAL


class NotedNetwork(nn.Module):
    """A network that notes what is loaded into it."""

    def __init__(self, value: float, tape: list[str]) -> None:
        """Fills all weights with `value`."""
        super().__init__()
        self.first = nn.Linear(FEATURES, 2)
        self.second = nn.Linear(2, NUM_ACTIONS)
        self.tape = tape
        self.fill(value)

    def fill(self, value: float) -> None:
        """Sets every weight."""
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.fill_(value)

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Loads, and notes whether that was its own state."""
        own = nn.Module.state_dict(self)
        if all(name in own and torch.equal(own[name], value) for name, value in state_dict.items()):
            self.tape.append("own state")
        return super().load_state_dict(state_dict, *args, **kwargs)

    def __deepcopy__(self, memo: Any) -> NotedNetwork:
        """Copies the weights, not the tape."""
        copy = NotedNetwork(0.0, self.tape)
        nn.Module.load_state_dict(copy, nn.Module.state_dict(self))
        return copy

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns some action values. Shape (n, NUM_ACTIONS)."""
        values: torch.Tensor = self.second(self.first(obs))
        return values


def version(network: Any) -> tuple[float, float]:
    """Returns the smallest and the largest weight of a network."""
    weights = torch.cat([p.detach().reshape(-1) for p in network.parameters()])
    return float(weights.min()), float(weights.max())


def share_memory(first: Any, second: Any) -> bool:
    """Tells whether two networks have weights in one place: then both move as one."""
    places = [{p.data_ptr() for p in network.parameters()} for network in (first, second)]
    return first is second or not places[0].isdisjoint(places[1])


class NotedSchedule:
    """A schedule of learning rates, which an agent may move on in the place of its critic."""

    def step(self, *_: Any) -> None:
        """Does nothing."""


class NotedCritic:
    """DQN's critic with nothing but notes behind it; stands for a replay buffer as well."""

    def __init__(self, arrays: tuple[np.ndarray, ...], order: tuple[int, ...]) -> None:
        """Expects `arrays` in `order`, as numbers of roles."""
        self.arrays, self.order = arrays, order
        self.tape: list[str] = []
        self.q_net = NotedNetwork(0.0, self.tape)
        self.q_net_target = NotedNetwork(TARGET_AT_FIRST, self.tape)
        self.updates: list[tuple[int, ...]] = []
        self.learning_rate_scheduler = NotedSchedule()
        self.stood_in = 0  # how often a stand-in worked in the place of `update`

    def update(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Notes the roles of what it is given."""
        passed = dict(zip(self.order, args, strict=False))
        for name, value in kwargs.items():
            passed[role_of_name(name)] = value
        missing = [ROLES[role] for role in self.order if role not in passed]
        if missing or len(args) > len(self.order):
            given = f"{len(args) + len(kwargs)} were given"
            raise TypeError(f"update() takes 5 arguments but {given}; missing: {missing}")
        self.updates.append(tuple(role_of(passed[role], self.arrays) for role in range(5)))
        return {"Training Loss": 0.5}

    @property
    def update_target_network(self) -> Callable[[], None]:
        """Offers the copy, and notes whether somebody looked at it and whether they called it."""
        self.tape.append("looked")

        def copy() -> None:
            self.tape.append("called")
            nn.Module.load_state_dict(self.q_net_target, self.q_net.state_dict())

        return copy

    def can_sample(self, batch_size: int) -> bool:
        """Always."""
        return True

    def sample(self, batch_size: int) -> tuple[np.ndarray, ...]:
        """Returns another batch than the one that `train` was given."""
        return batch(shift=50.0)

    sample_recent_data = sample_random_data = sample
