"""Memory and speed of the transition buffer, full of HalfCheetah played at random. Linux only."""

from __future__ import annotations

import argparse
import gc
import hashlib
from typing import Any

import gymnasium as gym
import numpy as np
from common import batch_times, publish, spread, table
from replay_memory import resident_bytes

from cs285.infrastructure.replay.transition_buffer import TransitionBuffer

ENV = "HalfCheetah-v5"
OB, AC = 17, 6
BATCH = 256
NUM_BATCHES = 5000


def fill(buffer: TransitionBuffer, env: gym.Env[Any, Any]) -> str:
    """Plays until the buffer is full; returns a hash of all that was stored, in its precision."""
    digest = hashlib.blake2b()
    ob, _ = env.reset(seed=0)
    env.action_space.seed(0)
    while buffer.num_added < buffer.size:
        ac = env.action_space.sample()
        next_ob, re, terminated, truncated, _ = env.step(ac)
        buffer.add(ob, ac, float(re), next_ob, terminated)
        for part in (ob, ac, re, next_ob, terminated):
            digest.update(np.asarray(part, np.float32).tobytes())
        ob = env.reset()[0] if terminated or truncated else next_ob
    return digest.hexdigest()


def main() -> None:
    """Fills a buffer, measures it and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transitions", type=int, default=1_000_000)
    parser.add_argument("--write", action="store_true", help="write the results file")
    args = parser.parse_args()

    env = gym.make(ENV, disable_env_checker=True)
    fill(TransitionBuffer(5000, OB, AC, seed=0), env)  # what playing itself takes is taken now
    gc.collect()
    before = resident_bytes()
    buffer = TransitionBuffer(args.transitions, OB, AC, seed=0)
    stored = fill(buffer, env)
    gc.collect()
    grown = resident_bytes() - before
    times = batch_times(buffer, BATCH, NUM_BATCHES)
    equal = hashlib.blake2b(buffer.rows.tobytes()).hexdigest() == stored

    rows = [
        ["transitions stored", f"{args.transitions:,}", ""],
        ["resident memory of the buffer", f"{grown / 1e9:.3f} GB", "at most 0.25 GB for a million"],
        [f"batch of {BATCH}, ms: median (middle 80 %)", spread(times, 3), ""],
        [f"batch of {BATCH}, ms: 99th percentile", f"{np.percentile(times, 99):.3f}", ""],
        ["the same bits as were stored", "yes" if equal else "no", "yes"],
    ]
    how = f"`{ENV}`, {OB} observations and {AC} actions as float32, played at random."
    publish("Replay of vectors", how, [table(["", "measured", "goal"], rows)], args.write)
    if not equal:
        raise SystemExit("the buffer lost transitions")


if __name__ == "__main__":
    main()
