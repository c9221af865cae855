"""DQN on Ms. Pac-Man: agent steps per second of ours, of stable-baselines3, and the bare limit.

All have the same network, batch, learning frequency and exploration, one thread, as runs have by
default, and learn nearly from the start. stable-baselines3 runs twice: with its own AtariWrapper,
and in the very environment that ours uses. Install it with
`pip install -c constraints.txt stable-baselines3`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from common import cpu_info, publish
from contest import Turns, contest, contest_arguments, run_script, speed_tables

if TYPE_CHECKING:
    import gymnasium as gym
    from stable_baselines3.common.vec_env import VecEnv

ENV = "MsPacman-v0"
LEARNING_STARTS = 1000
EXPLORATION = 0.01  # so nearly every step has its forward pass, as the bare limit's have
OURS = [
    *("--env_name", ENV, "--no_gpu", "--exploration", str(EXPLORATION)),
    *("--learning_starts", str(LEARNING_STARTS)),
]
BF16 = [*OURS, "--precision", "bf16"]


def run_bare(argv: list[str], turns: Turns) -> None:
    """Times the parts of a step alone."""
    import bare_limit

    bare_limit.run_bare(turns, argv)


def peer_environment() -> VecEnv:
    """Makes stable-baselines3's own environment of the same game."""
    import ale_py
    import gymnasium as gym
    from stable_baselines3.common.env_util import make_atari_env
    from stable_baselines3.common.vec_env import VecFrameStack

    gym.register_envs(ale_py)
    # MsPacman-v0 skips frames by itself; AtariWrapper does so too, and must be the only one.
    return VecFrameStack(make_atari_env(ENV, seed=1, env_kwargs={"frameskip": 1}), 4)


def our_environment() -> gym.Env[Any, Any]:
    """Makes the environment that our DQN learns in, with its stacks of four frames."""
    from gymnasium.wrappers import FrameStackObservation

    from cs285.infrastructure.environments import atari

    env = FrameStackObservation(atari.make_env(ENV, discount=0.99), 4)
    env.reset(seed=1)
    return env


def run_peer(turns: Turns, env: VecEnv | gym.Env[Any, Any]) -> None:
    """Trains stable-baselines3's DQN with our settings."""
    from stable_baselines3 import DQN

    model = DQN(
        "CnnPolicy",
        env,
        learning_rate=1e-4,
        buffer_size=100_000,  # a million would take 56 GB; the contest stores far fewer
        learning_starts=LEARNING_STARTS,
        batch_size=32,
        gamma=0.99,
        train_freq=4,
        target_update_interval=40_000,  # environment steps: 10,000 updates
        exploration_initial_eps=EXPLORATION,
        exploration_final_eps=EXPLORATION,
        policy_kwargs={"optimizer_kwargs": {"eps": 1e-4}},
        device="cpu",
    )
    model.learn(10**9, callback=turns.peer_callback)


CONTESTANTS: dict[str, Callable[[Turns], None]] = {
    "ours": functools.partial(run_script, argv=OURS),
    "ours_bf16": functools.partial(run_script, argv=BF16),
    "compiled": functools.partial(run_script, argv=[*OURS, "--compile"]),
    "compiled_bf16": functools.partial(run_script, argv=[*BF16, "--compile"]),
    "sb3": lambda turns: run_peer(turns, peer_environment()),
    "sb3_in_ours": lambda turns: run_peer(turns, our_environment()),
    "bare": functools.partial(run_bare, OURS),
    "bare_bf16": functools.partial(run_bare, BF16),
}
LABELS = {
    "ours": "ours, fp32",
    "ours_bf16": "ours, bf16",
    "compiled": "ours, compiled, fp32",
    "compiled_bf16": "ours, compiled, bf16",
    "sb3": "SB3, its AtariWrapper",
    "sb3_in_ours": "SB3, our environment",
    "bare": "bare limit, fp32",
    "bare_bf16": "bare limit, bf16",
}
GOALS: list[tuple[str, str, float | None]] = [
    ("ours", "sb3", 1.6),
    ("ours", "sb3_in_ours", 1.6),
    ("ours_bf16", "sb3", 2.0),
    ("ours_bf16", "sb3_in_ours", 2.0),
    ("compiled_bf16", "sb3", 2.3),
    ("compiled", "ours", None),
    ("compiled_bf16", "ours_bf16", None),
    ("ours", "bare", 0.9),
    ("ours_bf16", "bare_bf16", 0.9),
]


def main() -> None:
    """Holds the contest, or runs one contestant for it."""
    args = contest_arguments(__doc__, block=400, rounds=30)
    if args.contestant:
        CONTESTANTS[args.contestant](Turns(args.block))
        return
    flags = cpu_info("flags").split()
    has_bf16 = "avx512_bf16" in flags or "amx_bf16" in flags
    names = [name for name in CONTESTANTS if has_bf16 or "bf16" not in name]
    warm_up = 1 + -(-LEARNING_STARTS // args.block)
    results = contest(__file__, dict.fromkeys(names, 1), args.block, warm_up, args.rounds)
    how = (
        f"`{ENV}`, batches of 32, an update every 4 steps, epsilon {EXPLORATION}, 1 thread "
        f"each; {args.rounds} rounds of {args.block} steps. Median (middle 80 % of the rounds)."
    )
    if not has_bf16:
        how += " This processor has no bf16 arithmetic."
    publish("DQN on Ms. Pac-Man", how, speed_tables(results, LABELS, GOALS), args.write)


if __name__ == "__main__":
    main()
