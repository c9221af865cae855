"""Memory and speed of the replay buffer, full of Ms. Pac-Man.

Other processes play, with the policy of a finished run (or at random); this one only stores what
they send, as training would, and so its growth is the buffer's. Each frame's hash is kept beside
the buffer; afterwards frames are drawn, decoded and compared with their hashes. Linux only.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import hashlib
import multiprocessing
import os
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np
from common import batch_times, publish, spread, table, usable_cpus

from cs285.infrastructure.replay.replay_buffer import MemoryOptimizedReplayBuffer

ENV = "MsPacman-v0"
HISTORY = 4
SHAPE = (84, 84)
BATCH = 32
NUM_BATCHES = 5000
EXPLORATION = 0.1  # chance of a random action, as at the end of a run

PathArrays = tuple[np.ndarray, np.ndarray, np.ndarray]  # frames, actions, rewards


def play(connection: Connection, run_dir: Path | None, seed: int) -> None:
    """Plays for ever, life after life, and sends each as a path."""
    import torch
    from safetensors.torch import load_file

    from cs285.agents.dqn_agent import DQNAgent
    from cs285.experiments.dqn import EXPERIMENT

    torch.set_num_threads(1)
    config = EXPERIMENT.config_class(
        env_name=ENV,
        seed=seed,
        learning_starts=0,
        buffer_size=1000,
        exploration=str(EXPLORATION if run_dir else 1.0),
    )
    config = EXPERIMENT.resolve(dataclasses.replace(config, no_gpu=True))
    agent = DQNAgent(EXPERIMENT.make_env(config, training=True), config)
    if run_dir:
        agent.critic.q_net.load_state_dict(load_file(run_dir / "policy.safetensors"))
    while True:
        connection.send(one_path(agent))


def one_path(agent: Any) -> PathArrays:
    """Plays one life with a DQN agent; its last step is terminal."""
    buffer = agent.replay_buffer
    frames: list[np.ndarray] = []
    actions, rewards = [], []
    while not frames or not buffer.path_ended:
        frames.append(agent.last_obs)
        agent.step_env()
        slot = agent.replay_buffer_idx % buffer.slots
        actions.append(buffer.action[slot])
        rewards.append(buffer.reward[slot])
    return np.stack(frames), np.array(actions), np.array(rewards)


def received_paths(run_dir: Path | None) -> Iterator[PathArrays]:
    """Yields paths of as many players as there are cores, until nobody asks for more."""
    context = multiprocessing.get_context("spawn")
    players, connections = [], []
    try:
        for seed in range(usable_cpus()):
            ours, theirs = context.Pipe()
            player = context.Process(target=play, args=(theirs, run_dir, seed), daemon=True)
            player.start()
            players.append(player)
            connections.append(ours)
        while True:
            for connection in wait(connections):
                assert isinstance(connection, Connection)
                yield connection.recv()
    finally:
        for player in players:
            player.terminate()
            player.join()


def hash_of(frame: np.ndarray) -> int:
    """Returns 64 bits that any change of the frame would change."""
    return int.from_bytes(hashlib.blake2b(frame.tobytes(), digest_size=8).digest(), "little")


def fill(
    buffer: MemoryOptimizedReplayBuffer, hashes: np.ndarray, run_dir: Path | None
) -> Iterator[int]:
    """Stores a transition for each place of `hashes`; yields how many there are now and then."""
    for frames, actions, rewards in received_paths(run_dir):
        last = len(frames) - 1
        for i, frame in enumerate(frames):
            idx = buffer.store_frame(frame)
            hashes[idx] = hash_of(frame)
            buffer.store_effect(idx, int(actions[i]), float(rewards[i]), i == last)
            if idx + 1 == len(hashes):
                return
        yield buffer.next_idx


def resident_bytes() -> int:
    """Returns the memory of this process that is really in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def count_equal(
    buffer: MemoryOptimizedReplayBuffer, hashes: np.ndarray, number: int
) -> tuple[int, int]:
    """Decodes random frames; returns how many were drawn, and how many equal what was stored."""
    rng = np.random.default_rng(0)
    idx_n = rng.integers(buffer.frames.first, buffer.next_idx, number)
    equal = [hash_of(buffer.frames.windows(idx_n[i : i + 1], 1)[0]) for i in range(number)]
    return number, int((np.array(equal, np.uint64) == hashes[idx_n]).sum())


def main() -> None:
    """Fills a buffer, measures it and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, help="folder of a finished run, for its policy")
    parser.add_argument("--transitions", type=int, default=1_000_000)
    parser.add_argument("--check", type=int, default=100_000, help="frames to compare")
    parser.add_argument("--write", action="store_true", help="write the results file")
    args = parser.parse_args()

    hashes = np.ones(args.transitions, np.uint64)  # ones, not zeros: in memory from now on
    before = resident_bytes()
    buffer = MemoryOptimizedReplayBuffer(args.transitions, HISTORY, SHAPE, np.uint8, seed=0)
    began = time.perf_counter()
    for number in fill(buffer, hashes, args.run):
        seconds = time.perf_counter() - began
        print(f"\r{number} transitions, {number / seconds:.0f} a second ", end="", flush=True)
    gc.collect()
    grown = resident_bytes() - before
    times = batch_times(buffer, BATCH, NUM_BATCHES)
    drawn, equal = count_equal(buffer, hashes, args.check)

    raw = args.transitions * SHAPE[0] * SHAPE[1]
    rows = [
        ["transitions stored", f"{args.transitions:,}", ""],
        ["resident memory of the buffer", f"{grown / 1e9:.3f} GB", "at most 0.55 GB for a million"],
        ["the same frames uncompressed, each once", f"{raw / 1e9:.2f} GB", ""],
        ["as two stacks of 4 a transition", f"{2 * HISTORY * raw / 1e9:.1f} GB", ""],
        [f"batch of {BATCH}, ms: median (middle 80 %)", spread(times, 3), "at most 1"],
        [f"batch of {BATCH}, ms: 99th percentile", f"{np.percentile(times, 99):.3f}", ""],
        ["frames decoded and equal to those stored", f"{equal:,} of {drawn:,}", "all"],
    ]
    who = f"the policy of `{args.run.name}`" if args.run else "a random policy"
    how = f"`{ENV}`, played by {who}; {NUM_BATCHES} batches of transitions, each with both stacks."
    print()
    publish("Replay memory", how, [table(["", "measured", "goal"], rows)], args.write)
    if equal != drawn:
        raise SystemExit("the buffer lost frames")


if __name__ == "__main__":
    main()
