"""DQN on LunarLander: steps per second of ours, of stable-baselines3, and the bare limit.

All have the same network of 2 x 64 units, batch 32, and one update per step. Ours uses one thread,
its default here; stable-baselines3 runs with one and with all, and the better one counts. Install
it with `pip install -c constraints.txt stable-baselines3`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from common import publish, usable_cpus
from contest import Turns, contest, contest_arguments, run_script, speed_tables

ENV = "LunarLander-v3"
LEARNING_STARTS = 1000
EXPLORATION = 0.02  # so nearly every step has its forward pass, as the bare limit's have
OURS = ["--env_name", ENV, "--no_gpu", "--exploration", str(EXPLORATION)]


def run_bare(turns: Turns) -> None:
    """Times the parts of a step alone."""
    import bare_limit

    bare_limit.run_bare(turns, OURS)


def run_peer(turns: Turns) -> None:
    """Trains stable-baselines3's DQN with our settings."""
    import gymnasium as gym
    from stable_baselines3 import DQN

    model = DQN(
        "MlpPolicy",
        gym.make(ENV, disable_env_checker=True),  # the checker would only slow it down
        learning_rate=1e-3,
        buffer_size=50_000,
        learning_starts=LEARNING_STARTS,
        batch_size=32,
        gamma=1.0,
        train_freq=1,
        target_update_interval=3_000,
        exploration_initial_eps=EXPLORATION,
        exploration_final_eps=EXPLORATION,
        policy_kwargs={"net_arch": [64, 64]},
        device="cpu",
        seed=1,
    )
    model.learn(10**9, callback=turns.peer_callback)


CONTESTANTS: dict[str, Callable[[Turns], None]] = {
    "ours": functools.partial(run_script, argv=OURS),
    "compiled": functools.partial(run_script, argv=[*OURS, "--compile"]),
    "sb3_one": run_peer,
    "sb3_all": run_peer,
    "bare": run_bare,
}


def main() -> None:
    """Holds the contest, or runs one contestant for it."""
    args = contest_arguments(__doc__, block=2000, rounds=30)
    if args.contestant:
        CONTESTANTS[args.contestant](Turns(args.block))
        return
    cpus = usable_cpus()
    threads = {"ours": 1, "compiled": 1, "sb3_one": 1, "sb3_all": cpus, "bare": 1}
    if cpus == 1:
        del threads["sb3_all"]
    warm_up = 1 + -(-LEARNING_STARTS // args.block)
    results = contest(__file__, threads, args.block, warm_up, args.rounds)
    labels = {
        "ours": "ours, 1 thread",
        "compiled": "ours, compiled, 1 thread",
        "sb3_one": "SB3, 1 thread",
        "sb3_all": f"SB3, {cpus} threads",
        "bare": "bare limit, 1 thread",
    }
    peers = [name for name in results if name.startswith("sb3")]
    peers.sort(key=lambda name: float(np.median([s["step"] for s in results[name]])))
    goals: list[tuple[str, str, float | None]] = [("ours", peers[0], 2.0)]
    goals += [("compiled", peers[0], 4.5), ("compiled", "ours", None)]
    goals += [("ours", other, None) for other in [*peers[1:], "bare"]]
    how = (
        f"`{ENV}`, batches of 32, an update every step, epsilon {EXPLORATION}; {args.rounds} "
        f"rounds of {args.block} steps. Median (middle 80 % of the rounds)."
    )
    publish("DQN on LunarLander", how, speed_tables(results, labels, goals), args.write)


if __name__ == "__main__":
    main()
