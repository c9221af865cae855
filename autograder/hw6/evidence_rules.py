"""What homework 6 asks of handed-in runs, question by question; its question 1 leaves no folders.

Thresholds are far below what the reference reached on every seed measured: docs/results/hw6.md.
"""

from __future__ import annotations

from typing import Any

from autograder.evidence.rules import Play, Question, Task

CARTPOLE = Task(
    "CartPole-v1", ("CartPole-v1",), 4, 2, True, 500,
    returns=(1.0, 500.0), random=22.0, step_rewards=(1.0, 1.0), end_rewards=(1.0, 1.0),
)  # fmt: skip
PENDULUM = Task(
    "Pendulum-v1", ("Pendulum-v1",), 3, 1, False, 200, returns=(-3_300.0, 0.0), random=-1_230.0,
    step_rewards=(-16.3, 0.0), end_rewards=(-16.3, 0.0),
)  # fmt: skip
LANDER = Task(
    "LunarLanderContinuous-v3", ("LunarLanderContinuous-v2", "LunarLanderContinuous-v3"),
    8, 2, False, 500, returns=(-4_000.0, 400.0), random=-190.0,
)  # fmt: skip

_ALL: dict[str, Any] = {
    "load": None,
    "own_experience": False,
    "num_agent_train_steps_per_iter": 1,
    "eval_episodes": 10,
}
_DQN = ":exploration=0.1:target_update_freq=200"
_SAC = "sac:learning_rate=1e-3:discount="
_RATES = {
    "members": ",".join(f"dqn:learning_rate={rate}{_DQN}" for rate in ("1e-2", "1e-3", "1e-5")),
    "discount": 0.99,
    "learning_starts": 500,
}
_BROKEN = {"members": "ddpg,td3,sac,td3:learning_rate=1e-12", "hidden": "64,64"}
_DISCOUNTS = {
    "members": ",".join(_SAC + gamma for gamma in ("0.9", "0.99", "0.997", "0.9995")),
    "hidden": "64,64",
    "batch_size": 128,
    "ep_len": 500,
}


def _question(
    name: str, title: str, points: int, task: Task, steps: int, settings: dict[str, Any],
    reach: float | None = None, hold: float | None = None,
) -> Question:  # fmt: skip
    """Returns the question of one run; whoever chooses stands at its name's end."""
    rule = "uniform" if name.endswith("uniform") else "ssbas"
    return Question(
        f"hw6.runs.{name}", title, points, (f"hw6_{name}_*",), "run_hw6", task,
        {**_ALL, "selector": rule, **settings}, steps, Play(10, 60, 30_000),
        column="Eval_AverageReturn", reach=reach, hold=hold, eval_steps=1,
    )  # fmt: skip


# CartPole, three seeds of each: at best 150 to 341, at the end 115 to 234; random play 22.
# Pendulum, three of each: -162 to -149 at the end, -1,230 by random play. With their own
# experience only, one of three ends at -1,095, which is what the question is about.
# Lander, three of each: at best 14 to 76, at the end -56 to 69; untrained weights -105 to -309.
QUESTIONS = (
    _question("q2_ssbas", "three learning rates", 4, CARTPOLE, 20_000, _RATES, 120.0, 30.0),
    _question("q2_uniform", "the same, by lot", 2, CARTPOLE, 20_000, _RATES, 120.0, 30.0),
    _question("q3_ssbas", "a broken member", 4, PENDULUM, 10_000, _BROKEN, -400.0, -600.0),
    _question("q3_uniform", "the same, by lot", 2, PENDULUM, 10_000, _BROKEN, -400.0, -600.0),
    _question(
        "q3_own", "own experience only", 2, PENDULUM, 10_000,
        {"members": "ddpg,td3,sac", "hidden": "64,64", "own_experience": True},
    ),
    _question("q4_ssbas", "four discounts", 4, LANDER, 25_000, _DISCOUNTS, -50.0, -200.0),
    _question("q4_uniform", "the same, by lot", 2, LANDER, 25_000, _DISCOUNTS, -50.0, -200.0),
)  # fmt: skip
