"""Networks of one's own, in the place of those that an agent would build.

`--actor_critic module:name` names a function, or a class, that is called as
`actor_critic(observation_space, action_space, **ac_kwargs)` and returns a torch module. Its parts
are what Spinning Up's have: `pi`, and `v`, `q`, or `q1` and `q2`. `docs/library.md` has a table.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import distributions, nn

from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.errors import UserError

_in_memory: dict[str, Callable[..., Any]] = {}
"""Those that this process was given as objects, by name."""


def remember(builder: Callable[..., Any]) -> str:
    """Returns the name of a function or a class, by which this process finds it again.

    Another process finds it too, if it can import it.

    Raises:
        UserError: If it has no name, as an object or a partial function has none.
    """
    if not hasattr(builder, "__qualname__"):
        raise UserError(
            "--actor_critic takes a class or a function that makes networks, and --ac_kwargs its "
            f"arguments, not an object of {type(builder).__name__}"
        )
    name = f"{builder.__module__}:{builder.__qualname__}"
    _in_memory[name] = builder
    return name


def find(name: str) -> Callable[..., Any]:
    """Returns what a name stands for; its module may be a file in the working directory.

    Raises:
        UserError: If it cannot be found.
    """
    if name in _in_memory:
        return _in_memory[name]
    module, _, path = name.partition(":")
    own_module.look_in(Path.cwd())
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, ValueError, AttributeError) as error:
        raise UserError(
            f"--actor_critic {name}: {error}; write module:name, where the module is a file that "
            "can be imported"
        ) from error
    if not callable(found):
        raise UserError(f"--actor_critic {name} is no class and no function")
    return found  # type: ignore[no-any-return]


class Outputs(nn.Module):
    """What `pi` says of each observation: logits, means, or means and log deviations."""

    def __init__(self, part: nn.Module) -> None:
        """Wraps `pi`, which returns a tensor, a tuple of two, or a distribution first."""
        super().__init__()
        self.part = part

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns a row of numbers for each observation. Shape (n, outputs)."""
        said = self.part(obs)
        first = said[0] if isinstance(said, tuple) else said
        if isinstance(first, distributions.Independent):
            first = first.base_dist
        if isinstance(first, distributions.Categorical):
            return first.logits
        if isinstance(first, distributions.Normal):
            if not hasattr(self.part, "log_std"):
                raise TypeError("a Normal needs log_std beside it, a parameter of the module")
            return first.mean
        return torch.cat(said, dim=1) if isinstance(said, tuple) else first


class Column(nn.Module):
    """A value for each observation, or for each pair, in a column of its own."""

    def __init__(self, part: nn.Module) -> None:
        """Wraps `v` or `q`, which return shape (n,) or (n, 1)."""
        super().__init__()
        self.part = part

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Returns the values. Shape (n, 1), or as they are where there are several in a row."""
        values: torch.Tensor = self.part(*inputs)
        return values[:, None] if values.dim() == 1 else values


class SeveralCritics(nn.Module):
    """k critics of actions, as `QNetworks` has them."""

    def __init__(self, parts: Sequence[nn.Module]) -> None:
        """Wraps them."""
        super().__init__()
        self.parts = nn.ModuleList(Column(part) for part in parts)

    def forward(
        self, ob_no: torch.Tensor, ac_na: torch.Tensor, only_first: bool = False
    ) -> torch.Tensor:
        """Returns Q_k(s, a) of all networks, or of the first. Shape (k, n)."""
        parts = list(self.parts)[: 1 if only_first else None]
        return torch.cat([part(ob_no, ac_na) for part in parts], dim=1).T


def renewed(optimizer: Any, module: nn.Module) -> Any:
    """Returns an optimizer of the same kind and step size for a module's weights; None for none."""
    if optimizer is None:
        return None
    return type(optimizer)(list(module.parameters()), lr=optimizer.param_groups[0]["lr"])


class OwnNetworks:
    """Builds networks of one's own, and puts them into policies and critics."""

    def __init__(
        self,
        name: str,
        builder: Callable[..., Any],
        spaces: tuple[gym.Space[Any], gym.Space[Any]],
        kwargs: Mapping[str, Any],
        outputs: int = 1,
    ) -> None:
        """Keeps what builds them.

        Args:
            name: The builder's name, for errors.
            builder: Called as builder(observation_space, action_space, **kwargs).
            spaces: Of observations and of actions.
            kwargs: Its further arguments.
            outputs: How many numbers `pi` returns for each component of an action.
        """
        self.name, self.builder, self.kwargs = name, builder, kwargs
        self.spaces, self.outputs = spaces, outputs

    def build(self) -> nn.Module:
        """Returns a fresh module.

        Raises:
            UserError: If the builder fails, or returns something else.
        """
        try:
            module = self.builder(*self.spaces, **self.kwargs)
        except Exception as error:
            raise self.fault(f"{type(error).__name__}: {error}") from error
        if not isinstance(module, nn.Module):
            raise self.fault(f"returned {type(module).__name__}, no torch module")
        return module.to(ptu.device)

    def check(self, parts: Sequence[str]) -> None:
        """Builds a module on trial, and tries its parts on two observations.

        Args:
            parts: What the agent needs: some of "pi", "v", "q", "q1" and "q2".

        Raises:
            UserError: If a part is missing, shares weights with another, or returns other shapes.
        """
        module, owners = self.build(), dict[int, str]()
        for name in parts:
            part = getattr(module, name, None)
            if not isinstance(part, nn.Module):
                raise self.fault(f"there is no module {name}; this agent needs {', '.join(parts)}")
            for weight in part.parameters():
                other = owners.setdefault(id(weight), name)
                if other != name:
                    raise self.fault(f"{name} and {other} share weights: give each its own")
            self._try(name, Outputs(part) if name == "pi" else Column(part))

    @torch.no_grad()
    def _try(self, name: str, network: nn.Module) -> None:
        """Raises UserError if a part fails on two observations, or returns another shape."""
        wanted = (2, self._width(name))
        try:
            shape = tuple(network(*self._inputs(name)).shape)
        except Exception as error:
            raise self.fault(f"{name}: {type(error).__name__}: {error}") from error
        if shape != wanted:
            raise self.fault(f"{name} returned shape {shape} for two observations, not {wanted}")

    def _inputs(self, name: str) -> Iterator[torch.Tensor]:
        """Yields two observations, and for a critic of continuous actions two actions."""
        observations: Any = self.spaces[0]
        actions: Any = self.spaces[1]
        yield ptu.observations_from_numpy(np.zeros((2, *observations.shape), observations.dtype))
        if name.startswith("q") and not isinstance(actions, gym.spaces.Discrete):
            yield ptu.from_numpy(np.zeros((2, *actions.shape)))

    def _width(self, name: str) -> int:
        """Returns how many numbers a part returns for an observation."""
        actions: Any = self.spaces[1]
        if isinstance(actions, gym.spaces.Discrete):
            return int(actions.n) if name in ("pi", "q") else 1
        return self.outputs * int(actions.shape[0]) if name == "pi" else 1

    def fault(self, what: str) -> UserError:
        """Returns an error about the module."""
        return UserError(f"--actor_critic {self.name}: {' '.join(what.split())}")

    def part(self, name: str) -> nn.Module:
        """Returns a fresh `q` or another part, as it is."""
        found: nn.Module = getattr(self.build(), name)
        return found

    def install(self, *parts: Any) -> None:
        """Puts fresh networks into policies and critics, in the place of their own.

        Args:
            parts: Policies, and critics of states or of actions. What these optimize moves on.
        """
        for part in parts:
            if hasattr(part, "q_net"):
                self._install_q(part)
            elif hasattr(part, "critic_network"):
                part.critic_network = Column(self.part("v"))
                part.optimizer = renewed(part.optimizer, part.critic_network)
            elif hasattr(part, "logits_na"):
                self._install_distribution(part)
            else:
                part.net = Outputs(self.part("pi"))

    def _install_distribution(self, policy: Any) -> None:
        network = Outputs(self.part("pi"))
        policy.logits_na, policy.mean_net = None, None
        if policy.discrete:
            policy.logits_na = network
        else:
            policy.mean_net = network
            own = getattr(network.part, "log_std", None)
            policy.logstd = policy.logstd if own is None else own
        policy.optimizer = renewed(policy.optimizer, policy)

    def _install_q(self, critic: Any) -> None:
        """Gives a critic of actions its networks: k of them, where k is what it had."""
        count = len(critic.q_net.weights[0])
        names = ("q",) if count == 1 else tuple(f"q{k + 1}" for k in range(count))

        def networks() -> nn.Module:
            module = self.build()
            return SeveralCritics([getattr(module, name) for name in names])

        critic.q_net, critic.q_net_target = networks(), networks()
        critic.q_net_target.load_state_dict(critic.q_net.state_dict())
        critic.q_net_target.requires_grad_(False)
        critic.weights = list(critic.q_net.parameters())
        critic.target_weights = list(critic.q_net_target.parameters())
        critic.optimizer = renewed(critic.optimizer, critic.q_net)


def asked_for(config: Any, env: Any, *parts: str) -> OwnNetworks | None:
    """Returns the networks of one's own that a run is to have; None if it asks for none.

    Args:
        config: Its settings, `OwnNetworkFlags` among them.
        env: An environment of evaluations, whose observations are as the networks take them.
        parts: What the agent needs: some of "pi", "v", "q", "q1" and "q2".

    Raises:
        UserError: If they cannot be built, or do not fit the agent.
    """
    if config.actor_critic is None:
        if config.ac_kwargs is not None:
            raise UserError("--ac_kwargs are those of --actor_critic: give both, or neither")
        return None
    if getattr(config, "normalize_observations", False):
        raise UserError("--normalize_observations: a network of your own has to scale them itself")
    spaces = env.observation_space, env.action_space
    builder, kwargs = find(config.actor_critic), config.ac_kwargs or {}
    own = OwnNetworks(config.actor_critic, builder, spaces, kwargs, config.outputs)
    own.check(parts)
    return own
