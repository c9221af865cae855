"""SAC, TD3, DDPG, PPO, TRPO and policy gradient on HalfCheetah, beside peers and bare limits.

Ours are the scripts themselves; peers have the same networks, batches and settings: SB3 is
stable-baselines3 (TRPO: sb3-contrib), SBX the same in JAX. Each contestant has one thread, as runs
have by default, and is kept on one core, since JAX heeds nothing else. Install them with
`pip install -c constraints.txt stable-baselines3 sb3-contrib sbx-rl`.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
from typing import Any

from common import publish
from contest import Turns, contest, contest_arguments, run_script, speed_tables

ENV = "HalfCheetah-v5"
BARE_GOAL = 0.8
WARM_UP = 3  # rounds: compilers compile, and learning begins


@dataclasses.dataclass(frozen=True)
class Event:
    """A contest of one algorithm: ours against each peer, and the bare limit."""

    title: str
    script: str
    how: str
    peers: dict[str, tuple[str, str, float]]  # module, class, how many times as fast we should be
    settings: dict[str, Any]  # of the peers' classes
    flags: str = ""  # of our script, which else runs by its defaults
    compiled: dict[str, float] = dataclasses.field(default_factory=dict)
    """How many times as fast as each peer we should be with --compile, if it does anything."""


def off_policy(name: str, script: str) -> Event:
    """Returns the contest of an algorithm that learns at every step."""
    peers = {"SB3": ("stable_baselines3", name, 1.5), "SBX": ("sbx", name, 1.0)}
    how = "networks of 2 x 256 units, batches of 256, one update a step"
    settings = {
        "batch_size": 256,
        "buffer_size": 1_000_000,
        "learning_starts": 100,
        "policy_kwargs": {"net_arch": [256, 256]},
    }
    flags = "--num_timesteps 1000000000 --start_steps 100 --learning_starts 100 -b 256 -s 256"
    goals = {"SB3": 1.8 if name == "SAC" else 1.6, "SBX": 1.15}
    return Event(name, script, how, peers, settings, flags, compiled=goals)


EVENTS = {
    "sac": off_policy("SAC", "run_hw4_sac"),
    "td3": off_policy("TD3", "run_hw4_td3"),
    "ddpg": off_policy("DDPG", "run_hw4_ddpg"),
    "ppo": Event(
        "PPO",
        "run_hw5_ppo",
        "networks of 2 x 64 units, 2048 steps an iteration, 10 epochs of minibatches of 64",
        {"SB3": ("stable_baselines3", "PPO", 2.0), "SBX": ("sbx", "PPO", 2.0)},
        {"n_steps": 2048, "batch_size": 64, "n_epochs": 10},
        "--n_iter 1000000 -b 2048",
        compiled={"SB3": 5.0, "SBX": 4.0},
    ),
    "trpo": Event(
        "TRPO",
        "run_hw5_trpo",
        "networks of 2 x 64 units, 2048 steps an iteration, 15 steps of conjugate gradient, 10 "
        "epochs of the critic in minibatches of 128",
        {"sb3-contrib": ("sb3_contrib", "TRPO", 1.5)},
        {"n_steps": 2048, "batch_size": 128, "n_critic_updates": 10, "cg_max_steps": 15},
        "--n_iter 1000000 -b 2048",
    ),
    "pg": Event(
        "Policy gradient",
        "run_hw2",
        "networks of 2 x 64 units, 2000 steps an iteration, one step of the policy and 5 of the "
        "baseline (A2C: one of both)",
        {"SB3's A2C": ("stable_baselines3", "A2C", 1.0)},
        {"n_steps": 2000},
        "--n_iter 1000000 -b 2000 --reward_to_go --nn_baseline --discount 0.99",
    ),
}


def run_contestant(turns: Turns, name: str) -> None:
    """Runs one of an event: `sac/ours`, `sac/compiled`, `sac/SB3`, `sac/bare`."""
    key, who = name.split("/")
    event = EVENTS[key]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    if who in ("ours", "compiled"):
        flags = f"--env_name {ENV} --no_gpu --eval_freq -1 {event.flags}"
        flags += " --compile" if who == "compiled" else ""
        run_script(turns, flags.split(), event.script, key, "n_steps" in event.settings)
    elif who == "bare":
        import bare_continuous

        bare_continuous.run_bare(turns, key, ENV)
    else:
        run_peer(turns, event, *event.peers[who][:2])


def run_peer(turns: Turns, event: Event, module: str, name: str) -> None:
    """Trains a peer with our settings."""
    import gymnasium as gym
    import numpy as np
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.noise import NormalActionNoise

    class Interrupt(BaseCallback):
        def _on_rollout_start(self) -> None:
            if "n_steps" in event.settings:
                turns.after_iteration(event.settings["n_steps"])

        def _on_step(self) -> bool:
            if "n_steps" not in event.settings:
                turns.before_step()
            return True

    env = gym.make(ENV, disable_env_checker=True)  # the checker would only slow it down
    settings = dict(event.settings)
    if name in ("TD3", "DDPG"):
        size = env.action_space.shape
        settings["action_noise"] = NormalActionNoise(np.zeros(size), np.full(size, 0.1))
    peer = getattr(importlib.import_module(module), name)
    peer("MlpPolicy", env, device="cpu", seed=1, **settings).learn(10**9, callback=Interrupt())


def hold(key: str, block: int, rounds: int, write: bool) -> None:
    """Holds one event and prints its tables."""
    event = EVENTS[key]
    ours = ("ours", "compiled") if event.compiled else ("ours",)
    labels = {f"{key}/{who}": who for who in (*ours, *event.peers)} | {f"{key}/bare": "bare limit"}
    threads = dict.fromkeys(labels, 1)
    # Ours learns as soon as it holds a batch of 256.
    warm_up = WARM_UP + 256 // block
    results = contest(__file__, threads, block, warm_up, rounds)
    goals: list[tuple[str, str, float | None]] = [
        (f"{key}/ours", f"{key}/{who}", goal) for who, (_, _, goal) in event.peers.items()
    ]
    goals.append((f"{key}/ours", f"{key}/bare", BARE_GOAL))
    goals += [(f"{key}/compiled", f"{key}/{who}", goal) for who, goal in event.compiled.items()]
    goals.append((f"{key}/compiled", f"{key}/ours", None))
    turn = f"of {block} steps" if "n_steps" not in event.settings else "of an iteration"
    how = (
        f"`{ENV}`, {event.how}. 1 thread each; {rounds} rounds {turn}. "
        "Median (middle 80 % of the rounds)."
    )
    title = f"{event.title} on HalfCheetah"
    publish(title, how, speed_tables(results, labels, goals), write)


def main() -> None:
    """Holds the contests, or runs one contestant for one of them."""
    args = contest_arguments(__doc__, block=200, rounds=12, events=EVENTS)
    if args.contestant:
        run_contestant(Turns(args.block), args.contestant)
        return
    for key in args.events or EVENTS:
        hold(key, args.block, args.rounds, args.write)


if __name__ == "__main__":
    main()
