"""A scripted world for DQN's step: every frame, reward and index tells by its value what it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from autograder.homeworks.hw3.fakes.table_network import AskingNetwork
from autograder.running.probing import number_in, plain_array

NUM_ACTIONS, GREEDY, FRAME_SIZE = 5, 3, 3
FIRST_INDEX, INDEX_STEP = 40, 7  # of the fake buffer: no index equals a count of anything
NO_FRAME = -1.0  # the number of what is no whole frame
UNSEEDED = -3.0  # stands for the seed of a reset that was given none
SAMPLED = -500  # number of all that is drawn from memory, which nobody acts on
NO_ACTION = -1.0  # what stands for an action that is not one number
RECENT = 10_000  # what the actor ought to be shown: this plus the newest stored frame's number
Ends = tuple[bool, bool]
"""Whether a step terminates, and whether it truncates."""
ENDS: list[Ends] = [
    *[(False, False)] * 5, *[(True, False)] * 2, *[(False, True)] * 2, (True, True)
]  # fmt: skip
STEPS = len(ENDS) + 1


def script(seed: int) -> list[Ends]:
    """Returns how each of `STEPS` steps ends: after an ordinary first one, in any order."""
    order = np.random.RandomState(seed).permutation(len(ENDS))
    return [(False, False), *(ENDS[i] for i in order)]


def frame(number: float) -> np.ndarray:
    """Returns the frame that is known by `number`."""
    return np.array([number, number + 0.5, -number], np.float32)


def number_of(obs: Any) -> float:
    """Returns the number of a frame, or of a batch of one; else `NO_FRAME`."""
    array = plain_array(obs).astype(np.float64)
    if array.size != FRAME_SIZE or array.shape[-1] != FRAME_SIZE:
        return NO_FRAME
    first, second, third = array.reshape(-1).tolist()
    return float(first) if second == first + 0.5 and third == -first else NO_FRAME


def action_of(action: Any) -> float:
    """Returns an action, or any number, as one; else `NO_ACTION`."""
    return number_in(action, NO_ACTION)


def reward_of(seed: int, step: int) -> float:
    """Returns the reward of a step: never whole nor within [-1, 1], some beyond 10."""
    return (3.75 + 2.5 * step) * (-1.0) ** step + (seed % 97) / 500


@dataclass
class Call:
    """What one step did; frames by their numbers."""

    before: float = 0.0  # `last_obs` when it began
    began: int = 0  # at this time of the agent's clock
    stored: list[tuple[float, int, bool]] = field(default_factory=list)  # index; after a step?
    shown: list[float] = field(default_factory=list)  # what was acted on
    another_time: bool = False  # whether the schedule was asked about one
    chosen: float | None = None  # the action, before it is sent
    moved: float = 0.0  # the clock, until then
    steps: list[tuple[float, float]] = field(default_factory=list)  # action sent, frame that came
    effects: list[tuple[float, ...]] = field(default_factory=list)  # as stored
    resets: list[tuple[float, float]] = field(default_factory=list)  # frame that came, seed
    after: float | None = None  # `last_obs` in the end; None of a call that did not end
    index: float = 0.0  # that is kept then
    index_at_step: float = 0.0  # that was kept when the environment was stepped
    moved_in_all: float = 0.0


class SteppingFake(gym.Env[Any, Any]):
    """Environment and actor in one, with memory and critic: all is noted of the present call."""

    def __init__(self, seed: int = 0) -> None:
        """Begins before the first reset."""
        self.seed, self.script = seed, script(seed)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (FRAME_SIZE,), np.float32)
        self.action_space = gym.spaces.Discrete(NUM_ACTIONS, seed=seed)
        self.calls = [Call()]
        self.frames = int(np.random.default_rng([285, 36, seed]).integers(RECENT // 2))
        self.taken = 0
        self.newest = NO_FRAME
        self.buffer = StepBuffer(self)
        self.critic = StepCritic(self)
        self.agent: Any = None

    @property
    def call(self) -> Call:
        """The present call."""
        return self.calls[-1]

    def begin(self, agent: Any, time: int) -> None:
        """Begins a call at a time."""
        self.agent, agent.t = agent, time
        self.calls.append(Call(number_of(agent.last_obs), time))

    def end(self) -> None:
        """Ends the present call."""
        self.call.after = number_of(self.agent.last_obs)
        self.call.index = action_of(self.agent.replay_buffer_idx)
        self.call.moved_in_all = action_of(self.agent.t) - self.call.began

    def choose(self, action: Any) -> None:
        """Notes the action of the present call, and how its clock stands; once."""
        if self.call.chosen is None and self.agent is not None:
            self.call.chosen = action_of(action)
            self.call.moved = action_of(self.agent.t) - self.call.began
            self.call.index_at_step = action_of(self.agent.replay_buffer_idx)

    def next_frame(self) -> np.ndarray:
        """Returns a new frame."""
        self.frames += 1
        return frame(self.frames)

    def reset(self, *, seed: Any = None, **_: Any) -> Any:
        """Begins an episode."""
        obs = self.next_frame()
        self.call.resets.append((self.frames, UNSEEDED if seed is None else action_of(seed)))
        return obs, {}

    def step(self, action: Any) -> Any:
        """Takes a step of the script."""
        self.choose(action)
        terminated, truncated = self.script[self.taken % STEPS]
        reward = reward_of(self.seed, self.taken % STEPS)
        self.taken += 1
        obs = self.next_frame()
        self.call.steps.append((action_of(action), self.frames))
        return obs, reward, terminated, truncated, {}

    def get_action(self, obs: Any) -> np.ndarray:
        """Acts: the greedy action for whatever is shown."""
        self.call.shown.append(number_of(obs))
        return np.array([GREEDY])


class StepCritic:
    """The critic of a `SteppingFake`: whoever asks it for values need not ask the actor."""

    ob_dim, ac_dim = (FRAME_SIZE,), NUM_ACTIONS
    double_q, gamma, grad_norm_clipping = False, 0.97, 10.0

    def __init__(self, fake: SteppingFake) -> None:
        """Values the greedy action most, whatever it is shown."""
        self.fake, self.q_net = fake, AskingNetwork(self.qa_values)
        self.q_net_target = self.q_net

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns action values. Shape (*batch, NUM_ACTIONS)."""
        self.fake.call.shown.append(number_of(obs))
        values = np.zeros((*np.shape(obs)[:-1], NUM_ACTIONS), np.float32)
        values[..., GREEDY] = 1.0
        return values


class StepBuffer:
    """The replay buffer of a `SteppingFake`."""

    path_ended = False
    size, frame_history_len = 100, 1

    def __init__(self, fake: SteppingFake) -> None:
        """Stores nothing but events."""
        self.fake, self.next_idx, self.num_in_buffer = fake, FIRST_INDEX, 0

    def store_frame(self, frame: Any) -> int:
        """Stores a frame and returns its index."""
        self.fake.newest, idx = number_of(frame), self.next_idx
        self.next_idx += INDEX_STEP
        self.num_in_buffer += 1
        self.fake.call.stored.append((self.fake.newest, idx, self.fake.call.chosen is not None))
        return idx

    def encode_recent_observation(self) -> np.ndarray:
        """Returns what stands for the newest frames with their history."""
        return frame(RECENT + self.fake.newest)

    def store_effect(self, idx: Any, action: Any, reward: Any, done: Any) -> None:
        """Stores what followed a frame."""
        stored = (
            action_of(idx),
            action_of(action),
            action_of(reward),
            float(bool(done)),
        )
        self.fake.call.effects.append(stored)

    def end_path(self, last_frame: Any) -> None:
        """Gets the last frame of a cut episode."""

    def can_sample(self, batch_size: int) -> bool:
        """Returns whether as many transitions are stored."""
        return self.num_in_buffer > batch_size

    def sample(self, batch_size: int) -> tuple[np.ndarray, ...]:
        """Returns transitions of long ago, in the order of `train`."""
        obs, zeros = np.tile(frame(SAMPLED), (batch_size, 1)), np.zeros(batch_size, np.float32)
        return obs, zeros.astype(np.int64), zeros, obs.copy(), zeros.copy()

    sample_recent_data = sample_random_data = sample
