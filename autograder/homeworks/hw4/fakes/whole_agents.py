"""What DDPG, TD3 and SAC share where they train beside ours: how each is built, and its trainings.

Nothing is random: exploration and smoothing have no noise here, and draws come from a list.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym

from autograder.running.declared_words import set_weights
from autograder.running.probing import Student
from autograder.running.scripted import script_rows
from autograder.running.training import Beside, Training
from autograder.running.watching import Part, number_of

ENDS = ((5, True), (3, False), (9, True), (1, True), (4, False))
WITHOUT_END = 2**31  # steps of a path
NETWORKS = {"critic": "critic.q_net", "actor": "actor", "target critic": "critic.q_net_target"}
TRAINED = {"critic": ("critic", "critic.q_net"), "actor": ("actor", "actor")}
LOOP = (
    Part("agents.off_policy_agent:OffPolicyAgent.step_env", "step_env"),
    Part("agents.off_policy_agent:OffPolicyAgent.train", "train"),
    Part("infrastructure.rl_trainer:RL_Trainer.train_agent", "train_agent", returns=number_of),
)
"""Parts that all three agents have."""


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent, whose values have a size; targets begin as their networks are.

    Of the case's settings, `algorithm` is the agent's name, `size` that of its values and `level`
    their mean, in units of that; all others are the agent's own.
    """
    settings = dict(case.settings)
    name, size, level = (settings.pop(key) for key in ("algorithm", "size", "level"))
    config = getattr(student.module(f"configs.{name.lower()}"), f"{name}Config")
    usual = {"hidden": "24,24", "buffer_size": 500, "start_steps": 0, "learning_starts": 0}
    made = getattr(student.module(f"agents.{name.lower()}_agent"), f"{name}Agent")(
        env, config(seed=3, **(usual | settings))
    )
    set_weights(made.actor, 1)
    set_weights(made.critic.q_net, 2, size, level)
    for copy, network in (("critic.q_net_target", "critic.q_net"), ("actor_target", "actor")):
        if hasattr(made, copy.split(".")[0]):
            weights = operator.attrgetter(network)(made).state_dict()
            operator.attrgetter(copy)(made).load_state_dict(weights)
    return made


def training(
    algorithm: str, steps: int, batch: int, updates: int = 1, pay: float = 1.0, **settings: Any
) -> Training:
    """Returns a training of so many steps, with so many updates after each of them.

    Args:
        algorithm: "DDPG", "TD3" or "SAC".
        steps: Of the environment.
        batch: Transitions of an update.
        updates: After each step.
        pay: The size of rewards.
        settings: Of the agent, and `size` and `level` of its values, see `agent`.
    """
    often = {"num_agent_train_steps_per_iter": updates}
    sizes = {
        **dict.fromkeys(("batch_size", "train_batch_size"), batch),
        **often,
        "eval_freq": 25,
        "scalar_log_freq": 5,
        "ep_len": WITHOUT_END,
    }
    return Training(
        steps, sizes, {"algorithm": algorithm, **often, **settings}, ENDS, pay=pay, discrete=False
    )


def beside(
    trainings: Mapping[str, Training], parts: Sequence[Part], networks: Mapping[str, str] = NETWORKS
) -> Beside:
    """Returns an agent that trains beside ours: its trainings, and the parts that are its own."""
    return Beside(
        trainings=trainings,
        agent=agent,
        parts=(*LOOP, *parts),
        networks=networks,
        trained=TRAINED,
        log=("Critic_Loss", "Actor_Loss"),
        script=script_rows,
    )
