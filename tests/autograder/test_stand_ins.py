"""What stands for a neighbour has what the real one has: nobody is asked about our fakes."""

from __future__ import annotations

import numpy as np
from torch import nn

from autograder.homeworks.hw3.fakes.stepping import StepBuffer, SteppingFake
from cs285.configs.dqn import DQNConfig
from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure.replay.replay_buffer import MemoryOptimizedReplayBuffer

# What only the critic's own update is about.
OF_UPDATE = {
    *("optimizer", "learning_rate_scheduler", "weights", "loss", "gradient_step", "kept"),
    *("settings", "step_sizes", "set_step_size"),
    *("update", "update_target_network", "double_q_values"),
}
# The arrays of the real buffer: who writes into them writes past its methods.
ARRAYS = {"kept", "rng", "frames", "slots", "history", "action", "reward", "done", "has_effect"}


def public(thing: object) -> set[str]:
    """Returns the public names of an object that are not those of all states or modules."""
    common = set(dir(nn.Module)) | {"state_dict", "load_state_dict"}
    return {name for name in dir(thing) if not name.startswith("_")} - common


def real_critic() -> DQNCritic:
    """Returns our critic."""
    return DQNCritic((3,), 5, DQNConfig(learning_rate="1", adam_eps=1e-8, frame_history_len=1))


def test_the_critic_beside_step_env() -> None:
    real = public(real_critic())
    assert {"q_net", "qa_values", "gamma"} <= real
    assert not real - OF_UPDATE - public(SteppingFake().critic)


def test_the_buffer_beside_step_env() -> None:
    real = public(MemoryOptimizedReplayBuffer(10, 1, (3,), np.dtype(np.float32), 0))
    assert not real - ARRAYS - public(StepBuffer(SteppingFake()))
