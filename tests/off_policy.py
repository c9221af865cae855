"""Small agents of homework 4, and slow oracles for their formulas: loops over samples, in NumPy."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

OB, AC, N = 3, 2, 5  # primes that differ, so that no axis passes for another
GAMMA = 0.9
SMALL: dict[str, Any] = {
    "hidden": "7,4",
    "discount": GAMMA,
    "buffer_size": 50,
    "start_steps": 5,
    "learning_starts": 5,
}


class ScriptedEnv(gym.Env[np.ndarray, np.ndarray]):
    """Shows (episode, step, steps of all); `ends` says which step of all ends an episode how."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (OB,))
    action_space = gym.spaces.Box(-1.0, 1.0, (AC,), np.float32)

    def __init__(self, ends: dict[int, tuple[bool, bool]] | None = None) -> None:
        self.ends, self.steps, self.episode, self.at = ends or {}, 0, -1, 0
        self.actions: list[np.ndarray] = []

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.episode, self.at = self.episode + 1, 0
        return self.observation(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action)
        self.actions.append(action)
        terminated, truncated = self.ends.get(self.steps, (False, False))
        self.at, self.steps = self.at + 1, self.steps + 1
        return self.observation(), -self.steps / 8, terminated, truncated, {}

    def observation(self) -> np.ndarray:
        return np.array([self.episode, self.at, self.steps], np.float32)


def batch(seed: int = 0) -> list[torch.Tensor]:
    """ob_no, ac_na, re_n, next_ob_no, terminal_n in float64, with terminals in the middle."""
    rng = np.random.default_rng(seed)
    ac_na = rng.uniform(-1, 1, (N, AC))
    terminal_n = np.array([0.0, 1.0, 0.0, 0.0, 1.0])
    arrays = [rng.normal(size=(N, OB)), ac_na, rng.normal(size=N), rng.normal(size=(N, OB))]
    return [torch.from_numpy(array) for array in [*arrays, terminal_n]]


def fix_noise(monkeypatch: pytest.MonkeyPatch, seed: int = 3) -> np.ndarray:
    """Makes every torch.randn_like return the same numbers, which it returns; shape (N, AC)."""
    noise_na = 1.5 * np.random.default_rng(seed).normal(size=(N, AC))
    monkeypatch.setattr(torch, "randn_like", lambda like: torch.from_numpy(noise_na).to(like))
    return noise_na


def to_double(agent: Any) -> Any:
    """Gives every network float64 weights, different ones for each target network."""
    networks = [agent.actor, agent.critic.q_net, agent.critic.q_net_target]
    networks += [agent.actor_target] if hasattr(agent, "actor_target") else []
    for network in networks:
        network.double()
        for parameter in network.parameters():
            parameter.data.uniform_(-0.6, 0.6)
    return agent


def perceptron(weights: list[np.ndarray], biases: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """One input through ReLU layers, the last one linear; weights of shape (in, out)."""
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        x = np.maximum(0.0, x @ weight + bias)
    return x @ weights[-1] + biases[-1]


def q_value(q_net: Any, k: int, ob: np.ndarray, ac: np.ndarray) -> float:
    """Q_k(s, a) of one state and action."""
    weights = [w.detach().numpy()[k] for w in q_net.weights]
    biases = [b.detach().numpy()[k, 0] for b in q_net.biases]
    return float(perceptron(weights, biases, np.concatenate([ob, ac]))[0])


def actor_output(actor: Any, ob: np.ndarray) -> np.ndarray:
    """What the last linear layer of an actor returns in one state."""
    layers = [layer for layer in actor.net if isinstance(layer, torch.nn.Linear)]
    weights = [layer.weight.detach().numpy().T for layer in layers]
    return perceptron(weights, [layer.bias.detach().numpy() for layer in layers], ob)


def check_gradients(weights: list[torch.Tensor], loss: Any, atol: float = 1e-7) -> None:
    """Compares `.grad` of some entries with finite differences of a loss in float64."""
    rng = np.random.default_rng(1)
    some_nonzero = False
    for weight in weights:
        gradient = weight.grad.clone().view(-1)
        flat = weight.data.view(-1)
        for i in rng.integers(len(flat), size=3).tolist():
            before, step = flat[i].item(), 1e-5
            flat[i] = before + step
            above = loss()
            flat[i] = before - step
            slope = (above - loss()) / (2 * step)
            flat[i] = before
            # Central differences of step 1e-5 in float64 are right to about 1e-10.
            assert gradient[i].item() == pytest.approx(slope, abs=atol)
            some_nonzero |= abs(slope) > 100 * atol
    assert some_nonzero


def hold_still(agent: Any) -> None:
    """Lets optimizers do nothing, so that gradients can be compared at the same weights."""
    for optimizer in (agent.actor_optimizer, agent.critic.optimizer):
        optimizer.step = lambda: None
