"""What PPO and TRPO share where they train beside ours: worlds, actions, how each is built."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics

from autograder.running.probing import Student
from autograder.running.scripted import CHOICE, COMPONENTS, VECTORS, ScriptedEnv
from autograder.running.streams import fill
from autograder.running.training import Training

ENVIRONMENTS, STEPS = 2, 48  # environments side by side, and the steps of a batch
ENDS = ((7, True), (4, False), (11, True), (9, False), (1, True))


def training(discrete: bool, pay: float = 1.0, iterations: int = 8, **settings: Any) -> Training:
    """Returns a training of a few iterations, with settings of the agent."""
    sizes = {"batch_size": STEPS, "train_batch_size": STEPS, "ep_len": 50, "steps_per_itr": STEPS}
    often = {"eval_freq": 4, "scalar_log_freq": 2}
    return Training(iterations, {**sizes, **often}, settings, ENDS, pay, discrete=discrete)


def agent(student: Student, case: Training, algorithm: str, **settings: Any) -> Any:
    """Builds the student's agent of an algorithm in worlds of its own, with fixed weights."""
    module = student.module(f"agents.{algorithm.lower()}_agent")
    config = getattr(student.module(f"configs.{algorithm.lower()}"), f"{algorithm}Config")
    own = config(batch_size=STEPS, minibatch_size=STEPS, **settings)
    made = getattr(module, f"{algorithm}Agent")(side_by_side(student, case, ENVIRONMENTS), own)
    made.collector.actor = ListedActions(case.discrete)
    fill(made.critic, 3, 2 * case.pay)
    fill(made.actor.logits_na if case.discrete else made.actor.mean_net, 4)
    return made


def side_by_side(student: Student, case: Training, number: int) -> Any:
    """Returns scripted environments that step together, in the student's own given class."""
    actions = CHOICE if case.discrete else COMPONENTS

    def one() -> Any:
        env: Any = ScriptedEnv(VECTORS, actions, case.ends, case.pay, lambda call: None)
        return RecordEpisodeStatistics(env, buffer_length=100)

    module = student.module("infrastructure.training.rollout_collector")
    return module.VectorEnv(one, number)


class ListedActions:
    """Plays from a list, whatever is shown: one action in each environment."""

    def __init__(self, discrete: bool) -> None:
        """Draws the list."""
        rng = np.random.default_rng(11)
        shape = (997,) if discrete else (997, 2)
        self.list = rng.integers(0, 3, shape) if discrete else rng.uniform(-0.95, 0.95, shape)
        self.number = 0

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns the next actions, one for each row of `obs`."""
        self.number += len(obs)
        rows = np.arange(self.number - len(obs), self.number) % len(self.list)
        return np.asarray(self.list[rows])
