"""A scripted world for `step_env`: every frame, reward and index tells by its value what it is."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from autograder.hw3.table_network import AskingNetwork

NUM_ACTIONS, GREEDY, FRAME_SIZE = 5, 3, 3
FIRST_INDEX, INDEX_STEP = 40, 7  # of the fake buffer: no index equals a count of anything
PAIR = -2.0  # number of what Gymnasium's reset returns, if nobody took the frame out of it
UNSEEDED = -3.0  # stands for the seed of a reset that was given none
SAMPLED = 500  # number of all that is drawn from memory, which nobody acts on
NO_ACTION, SEVERAL = -1.0, -2.0  # what stands for an action that is not one number
RECENT = 1000  # what the actor ought to be shown: this plus the newest stored frame's number
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


def frame(number: int) -> np.ndarray:
    """Returns the frame that is known by `number`."""
    return np.array([number, number + 0.5, -number], np.float32)


def number_of(obs: Any) -> float:
    """Returns the number of a frame or of a stack; PAIR for a frame with facts; -1 for neither."""
    if isinstance(obs, tuple) and len(obs) == 2 and isinstance(obs[1], dict):
        return PAIR
    try:
        return float(np.asarray(obs, np.float64).reshape(-1)[0])
    except Exception:  # noqa: BLE001
        return -1.0


def action_of(action: Any) -> float:
    """Returns an action as a number, or what stands for none, or for an array of several."""
    try:
        array = np.asarray(action, np.float64)
    except Exception:  # noqa: BLE001
        return NO_ACTION
    return float(array.reshape(-1)[0]) if array.size == 1 else SEVERAL


def reward_of(seed: int, step: int) -> float:
    """Returns the reward of a step: never whole nor within [-1, 1], some beyond 10."""
    return (3.75 + 2.5 * step) * (-1.0) ** step + (seed % 97) / 500


class StepWorld(gym.Env[Any, Any]):
    """Environment, replay buffer and actor in one; all that happens goes on one tape."""

    def __init__(self, seed: int = 0, endless: bool = False) -> None:
        """Begins before the first reset; `endless`: no step ends anything."""
        self.seed = seed
        self.script = [(False, False)] if endless else script(seed)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (FRAME_SIZE,), np.float32)
        self.action_space = gym.spaces.Discrete(NUM_ACTIONS)
        self.tape: list[tuple[str, float, float, float, float]] = []
        self.cut_frame: np.ndarray | None = None  # what the handout's agent asks its environment
        self.frames = 0
        self.steps = 0
        self.next_idx = FIRST_INDEX
        self.newest = -1.0
        self.buffer = StepBuffer(self)
        self.critic = StepCritic(self)
        self.agent: Any = None
        self.now = 0  # what the agent's clock showed when the call began

    def note(self, what: str, *numbers: float) -> None:
        """Writes an event on the tape."""
        padded = [*(float(n) for n in numbers), 0.0, 0.0, 0.0, 0.0][:4]
        self.tape.append((what, *padded))  # type: ignore[arg-type]

    def clock(self) -> float:
        """Returns how far the agent's clock has moved in this call."""
        return 0.0 if self.agent is None else number_of(self.agent.t) - self.now

    def _next_frame(self) -> np.ndarray:
        self.frames += 1
        return frame(self.frames)

    def _ends(self) -> Ends:
        """Returns how the step to come ends."""
        return self.script[self.steps % len(self.script)]

    def put(self, number: float) -> int:
        """Writes on the tape that a frame is stored; returns its index."""
        idx, self.newest = self.next_idx, number
        self.next_idx += INDEX_STEP
        self.note("store_frame", number, idx)
        return idx

    def play(self, action: Any) -> np.ndarray:
        """Goes on by one step, in the place of whoever should; returns the frame to go on from."""
        self.frames, self.steps = self.frames + 1 + any(self._ends()), self.steps + 1
        self.note("stood_in", action_of(action), self.frames, self.clock())
        return frame(self.frames)

    def reset(self, *, seed: Any = None, **_: Any) -> Any:
        """Begins an episode."""
        obs = self._next_frame()
        self.note("reset", self.frames, UNSEEDED if seed is None else number_of(seed))
        return obs, {}

    def step(self, action: Any) -> Any:
        """Takes a step of the script."""
        terminated, truncated = self._ends()
        reward = reward_of(self.seed, self.steps)
        self.steps += 1
        obs = self._next_frame()
        self.note("step", action_of(action), self.frames, self.clock())
        self.cut_frame = obs if truncated and not terminated else None
        return obs, reward, terminated, truncated, {}

    def get_action(self, obs: Any) -> np.ndarray:
        """Acts: the greedy action for whatever is shown."""
        self.note("get_action", number_of(obs))
        return np.array([GREEDY])


class StepCritic:
    """The critic of a `StepWorld`: whoever asks it for values need not ask the actor."""

    ac_dim, ob_dim, double_q, gamma, grad_norm_clipping = (
        NUM_ACTIONS,
        (FRAME_SIZE,),
        False,
        0.9,
        10.0,
    )

    def __init__(self, world: StepWorld) -> None:
        """Values the greedy action most, whatever it is shown."""
        self.world = world
        self.q_net = AskingNetwork(self.qa_values)
        self.q_net_target = AskingNetwork(self.qa_values, shift=1)

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns action values. Shape (*batch, NUM_ACTIONS)."""
        self.world.note("get_action", number_of(obs))
        values = np.zeros((*np.shape(obs)[:-1], NUM_ACTIONS), np.float32)
        values[..., GREEDY] = 1.0
        return values


class StepBuffer:
    """The replay buffer of a `StepWorld`."""

    path_ended = False
    size, frame_history_len = 100, 1

    def __init__(self, world: StepWorld) -> None:
        """Stores nothing but events."""
        self.world = world

    @property
    def next_idx(self) -> int:
        """The index that the next stored frame will get."""
        return self.world.next_idx

    @property
    def num_in_buffer(self) -> int:
        """How many frames are stored."""
        return (self.world.next_idx - FIRST_INDEX) // INDEX_STEP

    def store_frame(self, frame: Any) -> int:
        """Stores a frame and returns its index."""
        return self.world.put(number_of(frame))

    def encode_recent_observation(self) -> np.ndarray:
        """Returns what stands for the newest frames with their history."""
        self.world.note("encode", self.world.newest)
        return frame(int(RECENT + self.world.newest))

    def store_effect(self, idx: Any, action: Any, reward: Any, done: Any) -> None:
        """Stores what followed a frame."""
        self.world.note("effect", action_of(idx), action_of(action), number_of(reward), bool(done))

    def end_path(self, last_frame: Any) -> None:
        """Is told the last frame of a cut episode."""
        self.world.note("end_path", number_of(last_frame))

    def can_sample(self, batch_size: int) -> bool:
        """Never."""
        return False

    def sample(self, batch_size: int) -> tuple[np.ndarray, ...]:
        """Returns transitions of long ago, in the order of `train`."""
        obs, zeros = np.tile(frame(SAMPLED), (batch_size, 1)), np.zeros(batch_size, np.float32)
        return obs, zeros.astype(np.int64), zeros, obs.copy(), zeros.copy()
