"""The runs that `diagnose` is measured on: what is trained, what is made ill, and how each ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

DQN = "--num_timesteps 3000 --learning_starts 500 --exploration 0:1,1500:0.05 --discount 0.99 "
DQN += "--target_update_freq 100 --scalar_log_freq 200 --eval_freq 1000 --eval_episodes 3"
CARTPOLE = "--num_timesteps 15000 --exploration 0:1,5e3:0.05 --target_update_freq 200 "
CARTPOLE += "--scalar_log_freq 1000 --eval_freq 5000"
STEPS = "--num_timesteps 2000 -l 2 -s 64 -b 64 --scalar_log_freq 200 --eval_freq 500 "
STEPS += "--eval_episodes 3"
ITERATIONS = "-n 14 -b 1000 --scalar_log_freq 1"
SEGMENTS = "-n 8 -b 1024"
ALGORITHMS = {
    "dqn": f"hw3_dqn {DQN}",
    "ddpg": f"hw4_ddpg {STEPS}",
    "td3": f"hw4_td3 {STEPS}",
    "sac": f"hw4_sac {STEPS}",
    "vpg": f"hw2 {ITERATIONS} -rtg",
    "ac": f"hw3_actor_critic {ITERATIONS}",
    "ppo": f"hw5_ppo {SEGMENTS}",
    "trpo": f"hw5_trpo {SEGMENTS}",
}
TASKS = {
    "cart": "CartPole-v1",
    "acrobot": "Acrobot-v1",
    "lander": "LunarLander-v3",
    "pendulum": "Pendulum-v1",
    "inverted": "InvertedPendulum-v5",
    "lander2": "LunarLanderContinuous-v3",
}
COMMANDS = {name: text.replace(" ", ".py ", 1) for name, text in ALGORITHMS.items()}
HEALTHY = "healthy"
SHORT = "healthy, debug commands of the handouts"
UNFINISHED = "healthy, unfinished"
LIVE = "healthy, in training"
WARM_UP = "learning has not begun"
ELSEWHERE = "other terminal masks"
WELL = (HEALTHY, SHORT, UNFINISHED, LIVE, WARM_UP)
"""Kinds of which nothing is wrong; every other is named after its illness."""
KNOWN_AS = {ELSEWHERE: "values_flat"}
"""The illness in a kind that has another name."""


class Case(NamedTuple):
    """A run: algorithm and task, flags, what is done to the code, and how the run ends.

    Attributes:
        end: "stopped 1200" stops it at that step or iteration; "killed 1200" kills it there, and
            leaves a checkpoint of 2/3 of that; "resumed 1200" stops it halfway there, resumes it
            and stops it there; "live" diagnoses it again and again while it trains; else it ends.
    """

    algorithm: str
    task: str = ""
    flags: str = ""
    patch: str = ""
    end: str = ""


CASES: dict[str, tuple[Case, ...]] = {
    HEALTHY: (
        Case("dqn", "cart"),
        Case("dqn", "lander"),
        Case("dqn", "acrobot", "--double_q"),
        Case("vpg", "cart"),
        Case("vpg", "inverted", "--nn_baseline --discount 0.95 -lr 0.01"),
        Case("ac", "cart", "--discount 0.99"),
        Case("ac", "inverted", "--discount 0.95 -lr 0.01 --ep_len 1000"),
        Case("ddpg", "pendulum"),
        Case("td3", "inverted"),
        Case("sac", "pendulum"),
        Case("sac", "lander2"),
        Case("ppo", "cart"),
        Case("ppo", "pendulum", "--discount 0.9 -lr 1e-3"),
        Case("trpo", "inverted"),
        Case("trpo", "acrobot"),
    ),
    SHORT: (
        Case("handout", flags="hw2.py -n 10 -rtg"),
        Case("handout", flags=f"hw3_dqn.py --env_name CartPole-v0 {CARTPOLE}"),
        Case("handout", flags="hw3_actor_critic.py -n 10"),
        Case("handout", flags="hw4_ddpg.py --num_timesteps 3000 --eval_freq 1000"),
        Case("handout", flags="hw4_td3.py --num_timesteps 3000 --eval_freq 1000"),
        Case("handout", flags="hw4_sac.py --num_timesteps 3000 --eval_freq 1000"),
        Case("handout", flags="hw5_ppo.py -n 10"),
        Case("handout", flags="hw5_trpo.py -n 10"),
        Case("handout", flags="hw6.py --num_timesteps 3000 --hid 64,64"),
    ),
    UNFINISHED: (
        Case("dqn", "cart", end="stopped 1800"),
        Case("dqn", "lander", end="killed 2000"),
        Case("ddpg", "pendulum", end="stopped 1200"),
        Case("td3", "inverted", end="killed 1300"),
        Case("sac", "pendulum", end="resumed 1400"),
        Case("sac", "lander2", end="stopped 1200"),
        Case("vpg", "cart", end="stopped 8"),
        Case("ac", "cart", "--discount 0.99", end="resumed 8"),
        Case("ppo", "cart", end="killed 5"),
        Case("trpo", "acrobot", end="stopped 5"),
    ),
    LIVE: (
        Case("dqn", "cart", "--checkpoint_secs 0.2", end="live"),
        Case("sac", "pendulum", "--checkpoint_secs 0.2", end="live"),
        Case("ppo", "cart", "--checkpoint_secs 0.2", end="live"),
    ),
    WARM_UP: (
        Case("dqn", "cart", "--learning_starts 2500", end="stopped 1500"),
        Case("dqn", "lander", "--scalar_log_freq 2000", end="killed 300"),
        Case("ddpg", "pendulum", "--learning_starts 1500 --start_steps 1500", end="killed 1000"),
        Case("sac", "inverted", "--learning_starts 1800", end="resumed 1400"),
    ),
    "values_flat": (
        Case("dqn", "cart", "", "no mask"),
        Case("dqn", "cart", "--discount 1", "no mask"),
        Case("dqn", "cart", "", "no mask", "stopped 2000"),
        Case("dqn", "cart", "--double_q", "no mask", "killed 2400"),
        Case("dqn", "cart", "--discount 0.95", "no mask", "resumed 2600"),
        Case("dqn", "cart", "", "inverted mask"),
    ),
    ELSEWHERE: (
        Case("dqn", "lander", "", "no mask"),
        Case("sac", "lander2", "", "no mask"),
        Case("ac", "cart", "--discount 0.99", "no mask"),
        Case("td3", "inverted", "", "no mask"),
        Case("sac", "inverted", "", "inverted mask"),
    ),
    "values_contradict": (
        Case("dqn", "cart", "", "wrong sign"),
        Case("ddpg", "pendulum", "", "wrong sign"),
        Case("sac", "inverted", "", "wrong sign", "stopped 1500"),
    ),
    "learning_never_began": (
        Case("dqn", "cart", "--learning_starts 5000"),
        Case("ddpg", "pendulum", "--learning_starts 5000"),
        Case("sac", "inverted", "--learning_starts 3000"),
    ),
    "reward_never_seen": (
        Case("dqn", "cart", "", "rewards 0"),
        Case("ppo", "pendulum", "--discount 0.9", "rewards 0"),
        Case("sac", "inverted", "", "rewards 0"),
    ),
    "reward_scale": (
        Case("dqn", "cart", "", "rewards 1000"),
        Case("ppo", "pendulum", "--discount 0.9", "rewards 1000"),
        Case("td3", "inverted", "", "rewards 0.0001"),
    ),
    "rate_too_high": (
        Case("vpg", "cart", "-lr 1"),
        Case("dqn", "acrobot", "-lr 0.3"),
        Case("ppo", "inverted", "-lr 0.1"),
        Case("td3", "pendulum", "-lr 0.1", end="killed 1200"),
    ),
    "rate_too_low": (
        Case("ac", "cart", "-lr 1e-7"),
        Case("ddpg", "pendulum", "-lr 1e-8"),
        Case("ppo", "inverted", "-lr 1e-8"),
    ),
    "discount_unfit": (
        Case("dqn", "cart", "--discount 0.3"),
        Case("sac", "pendulum", "--discount 0.2"),
        Case("ppo", "inverted", "--discount 0.3"),
    ),
    "batch_too_small": (
        Case("dqn", "cart", "--buffer_size 150"),
        Case("td3", "pendulum", "--buffer_size 300"),
        Case("ac", "inverted", "-b 20 -n 100 --scalar_log_freq 10"),
    ),
    "exploration_stuck": (
        Case("dqn", "cart", "--exploration 1.0"),
        Case("dqn", "acrobot", "--exploration 0.9"),
        Case("dqn", "lander", "--exploration 1.0"),
        Case("dqn", "cart", "--exploration 1.0", end="stopped 2000"),
    ),
    "exploration_absent": (
        Case("dqn", "cart", "--exploration 0"),
        Case("ddpg", "pendulum", "--exploration_noise 0"),
        Case("td3", "inverted", "--exploration_noise 0"),
    ),
    "target_frozen": (
        Case("dqn", "cart", "", "no copies"),
        Case("ddpg", "pendulum", "", "no copies"),
        Case("sac", "inverted", "--tau 0"),
        Case("dqn", "cart", "", "no copies", "stopped 2200"),
        Case("ddpg", "pendulum", "", "no copies", "killed 1600"),
    ),
    "advantages_flat": (
        Case("ac", "cart", "", "advantages 0"),
        Case("ppo", "pendulum", "--discount 0.9", "advantages 0"),
        Case("vpg", "inverted", "", "advantages 0"),
    ),
    "dead_units": (
        Case("dqn", "cart", "", "dead units"),
        Case("td3", "pendulum", "", "dead units"),
        Case("sac", "inverted", "", "dead units"),
    ),
    "parameters_frozen": (
        Case("dqn", "acrobot", "", "no steps"),
        Case("vpg", "cart", "", "no steps"),
        Case("ppo", "pendulum", "--discount 0.9", "no steps"),
        Case("ddpg", "pendulum", "", "no actor"),
        Case("sac", "inverted", "", "no actor"),
        Case("td3", "inverted", "", "no critic"),
        Case("dqn", "cart", "", "no steps", "stopped 2200"),
        Case("ppo", "cart", "", "no steps", "killed 6"),
    ),
    "values_diverge": (
        Case("dqn", "cart", "", "discount 2"),
        Case("ddpg", "pendulum", "", "discount 2"),
        Case("td3", "inverted", "", "discount 4"),
        Case("ddpg", "pendulum", "", "discount 2", "resumed 1500"),
    ),
    "not_finite": (
        Case("dqn", "cart", "", "nan"),
        Case("dqn", "acrobot", "", "nan"),
        Case("dqn", "lander", "", "nan"),
    ),
    "kl_out_of_range": (
        Case("ppo", "cart", "-lr 5e-3 --clip_ratio 1e6 --num_epochs 30"),
        Case("trpo", "pendulum", "--max_kl 2 --discount 0.9"),
        Case("ppo", "inverted", "-lr 5e-3 --clip_ratio 1e6 --num_epochs 30"),
    ),
    "entropy_collapsed": (
        Case("ac", "cart", "", "one action"),
        Case("ppo", "acrobot", "", "one action"),
        Case("vpg", "inverted", "", "one action"),
    ),
    "evaluation_differs": (
        Case("vpg", "cart", "", "evaluation 10"),
        Case("ppo", "pendulum", "--discount 0.9", "evaluation 10"),
        Case("ddpg", "inverted", "", "evaluation 0.1"),
    ),
}


def words(case: Case) -> str:
    """Returns a run's command, without its seed; a later flag counts more than an earlier one."""
    if case.algorithm == "handout":
        return f"run_{case.flags}"
    script, _, flags = ALGORITHMS[case.algorithm].partition(" ")
    return f"run_{script}.py --env_name {TASKS[case.task]} {flags} {case.flags}".strip()


def all_runs(seeds: Sequence[int]) -> list[tuple[str, Case, int, str]]:
    """Returns kind, case, seed and folder name of every run."""
    return [
        (kind, case, seed, f"{kind.replace(' ', '_')}/{number}-{case.algorithm}-{seed}")
        for kind, cases in CASES.items()
        for number, case in enumerate(cases, 1)
        for seed in seeds
    ]
