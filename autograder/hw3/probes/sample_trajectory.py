"""Plays rollouts in a scripted world: what is shown, taken and stored, however it ends."""

from __future__ import annotations

import functools
import zlib
from collections import Counter
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import patch

import gymnasium as gym
import numpy as np
import torch

from autograder.probing import Student, call_by_names

NEVER, RUNAWAY, MANY, ANSWERS = 10**6, 32, 40, 997
GIVEN_LENGTHS = (5, 3, 7, 4, 6)  # of the paths that the given functions are fed with
MIN_STEPS, NUM_PATHS, MAX_LENGTH = 13, 2, 29
VECTOR, FRAME = np.zeros(3, np.float32), np.zeros((4, 3, 2), np.uint8)
FIELDS = ("observation", "action", "reward", "next_observation", "terminal")


class RunawayError(BaseException):
    """A rollout that goes on and on."""


class Episode(NamedTuple):
    """How a path can end, and in what it is played."""

    end: int  # the step that ends the episode, from 1
    terminated: bool
    truncated: bool
    limit: int  # max_path_length
    components: int | None = None  # of an action; None: it is discrete
    like: np.ndarray = VECTOR  # an observation


def episodes(seed: int) -> dict[str, Episode]:
    """Draws an episode for each way in which a path can end; limits are far from other ends."""
    first, second, third, fourth = (
        int(n) for n in 3 + np.random.default_rng([285, 11, seed]).permutation(4)
    )
    return {
        "terminated": Episode(first, True, False, first + 4),
        "truncated": Episode(second, False, True, second + 5),
        "both": Episode(third, True, True, third + 7),
        "limit": Episode(NEVER, False, False, fourth),
        "terminated_at_limit": Episode(fourth, True, False, fourth),
        "truncated_at_limit": Episode(second, False, True, second),
        "one_step": Episode(NEVER, False, False, 1),
        "terminated_at_once": Episode(1, True, False, 5),
        "continuous": Episode(first, True, False, first + 4, 2),
        "one_component": Episode(second, False, True, second + 5, 1),
        "frames": Episode(third, True, False, third + 6, like=FRAME),
    }


@functools.cache
def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws what frames hold, answers, and rewards beyond 10: of both signs, and whole nowhere.

    The third frame is the second again.
    """
    rng = np.random.default_rng([285, 12, seed])
    frames = rng.uniform(-6, 6, (MANY, FRAME.size))
    frames[2] = frames[1]
    rewards = rng.uniform(11, 19, MANY) * np.resize([1, -1, -1, 1, 1], MANY)
    return frames, rng.uniform(1.1, 3, (ANSWERS, 2)) * rng.choice([-1, 1], (ANSWERS, 2)), rewards


class World(gym.Env[Any, Any]):
    """Plays one `Episode` over and over, and its policy; writes down what happens."""

    def __init__(self, episode: Episode, seed: int, form: str = "") -> None:
        """Begins before the first reset. `form` is how the policy answers, see `own_form`."""
        self.episode, self.seed, self.form = episode, seed, form
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, episode.like.shape)
        self.action_space: gym.Space[Any] = gym.spaces.Discrete(99, start=-49, seed=seed)
        if episode.components:
            size = (episode.components,)
            self.action_space = gym.spaces.Box(-np.inf, np.inf, size, seed=seed)
        self.draws, self.answers, self.rewards = drawn(seed)
        self.frames = self.steps = 0
        self.asked: Counter[bytes] = Counter()
        self.shown: list[np.ndarray] = []
        self.together: list[int] = []
        self.taken: list[Any] = []
        self.resets: list[int] = []  # the number of steps before each
        self.seeds: list[int | None] = []
        self.endless = False

    def _next_frame(self) -> np.ndarray:
        like = self.episode.like
        numbers = self.draws[self.frames % MANY, : like.size].reshape(like.shape)
        self.frames += 1
        return (abs(40 * numbers) if like.dtype == np.uint8 else numbers).astype(like.dtype)

    def reset(self, *, seed: Any = None, **_: Any) -> Any:
        """Begins an episode."""
        self.steps = 0
        self.seeds.append(seed)
        self.resets.append(len(self.taken))
        return self._next_frame(), {}

    def step(self, action: Any) -> Any:
        """Takes a step of the script; past the end it goes on."""
        self.taken.append(action)
        if len(self.taken) > RUNAWAY:
            raise RunawayError
        self.steps += 1
        ends = self.steps == self.episode.end
        flags = ends and self.episode.terminated, ends and self.episode.truncated
        return self._next_frame(), float(self.rewards[len(self.taken)]), *flags, {}

    def render(self, *_: Any, **__: Any) -> Any:
        """Returns a black picture."""
        return np.zeros((2, 2, 3), np.uint8)

    def get_action(self, obs: Any) -> Any:
        """Returns a batch of actions, which tell for what, and for which time, they were asked."""
        if isinstance(obs, tuple):  # what `reset` or `step` returned
            raise AttributeError("'tuple' object has no attribute 'shape'")
        array = np.asarray(obs, np.float64)
        alone = array.ndim == self.episode.like.ndim
        rows = array.reshape(1 if alone else len(array), -1)
        self.shown.append(rows[-1])
        self.together.append(len(rows) if hasattr(obs, "shape") else 0)
        if len(self.shown) > RUNAWAY:
            raise RunawayError
        answers = np.array([self._answer(row) for row in rows])
        answers = answers[0] if alone and "alone" in self.form else answers
        return torch.as_tensor(answers) if "tensor" in self.form else answers

    def _answer(self, row: np.ndarray) -> Any:
        place = zlib.crc32(row.tobytes()) + self.asked[row.tobytes()]
        self.asked[row.tobytes()] += 1
        answer = self.answers[place % ANSWERS]
        if self.episode.components is None:
            return int(16 * answer[0])
        return answer[: self.episode.components].astype(np.float32)


def play(student: Student, world: World) -> Any:
    """Plays a path; None if there is no end."""
    policy = SimpleNamespace(get_action=world.get_action)
    lengths = "max_path_length max_length"
    values = {"env": world, "policy": policy, lengths: world.episode.limit}
    try:
        return call_by_names(student.module("infrastructure.rollouts").sample_trajectory, values)
    except RunawayError:
        world.endless = True


def play_once(student: Student, world: World, seen: dict[str, Any]) -> None:
    """Keeps what was shown and taken, whatever happens, and the path's arrays."""
    path: Any = None
    try:
        path = play(student, world)
    finally:
        taken = [np.asarray(action) for action in world.taken]
        seen["goes_on_for_ever"] = world.endless
        seen["steps"] = len(taken)
        seen["steps_before_reset"] = [n for n in world.resets if n < max(len(taken), 1)]
        seen["observations_shown_at_once"] = world.together
        seen["observation_shown"] = world.shown
        seen["action_taken"] = taken
        seen["action_is_whole"] = [action.dtype.kind in "iu" for action in taken]
    seen["is_path"] = isinstance(path, dict)
    if isinstance(path, dict):
        seen |= {f"path[{name!r}]": path.get(name) for name in FIELDS}


def play_again(student: Student, world: World, seen: dict[str, Any]) -> None:
    """Plays some paths in one world, and notes whether all begin with one seed."""
    for _ in range(NUM_PATHS):
        play(student, world)
    seeds = {repr(seed) for seed in world.seeds}
    seen["every_reset_has_one_seed"] = len(seeds) == 1 and seeds != {"None"}


def call_given(student: Student, seen: dict[str, Any]) -> None:
    """Calls the given functions that collect several paths."""
    module = student.module("infrastructure.rollouts")
    played: list[np.ndarray] = []

    def stand_in(*_: Any, **__: Any) -> dict[str, Any]:
        if len(played) > len(GIVEN_LENGTHS):
            raise RecursionError("more paths are played than were asked for")
        rows = GIVEN_LENGTHS[len(played) % len(GIVEN_LENGTHS)]
        played.append(np.full(rows, len(played), np.float32))
        return dict.fromkeys(FIELDS, played[-1])

    with patch.object(module, "sample_trajectory", stand_in):
        paths, seen["steps_of_sample_trajectories"] = module.sample_trajectories(
            None, None, MIN_STEPS, MAX_LENGTH
        )
        seen["paths_of_sample_trajectories"] = [path["reward"][0] for path in paths]
        played.clear()
        paths = module.sample_n_trajectories(None, None, NUM_PATHS, MAX_LENGTH)
        seen["paths_of_sample_n_trajectories"] = [path["reward"][0] for path in paths]


def own_form(student: Student) -> str:
    """Says how the student's own policy answers a single observation.

    "alone": with an action rather than a batch of one; "tensor": with tensors; both; or neither.
    """
    for obs in (np.zeros(3, np.float32), torch.zeros(3)):  # some rollouts hand over tensors
        try:
            module = student.module("policies.MLP_policy")
            policy = module.MLPPolicyAC(2, 3, 1, 5, discrete=True, learning_rate=0.1)
            answer = policy.get_action(obs)
            tensor = "tensor" if isinstance(answer, torch.Tensor) else ""
            return tensor + ("alone" if np.ndim(answer) == 0 else "")
        except Exception:  # noqa: BLE001  (the student's policy may raise anything)
            continue
    return ""


def play_all(student: Student, seed: int, form: str) -> bool:
    """Plays every kind of episode; returns whether a policy that answers so is understood."""
    fits = True
    for name, episode in episodes(seed).items():
        world = World(episode, seed, form)
        trial = student.try_out(name, functools.partial(play_once, student, world))
        axes = 0 if episode.components is None else 1
        fits &= not trial.crash and all(np.ndim(action) == axes for action in world.taken)
    again = World(episodes(seed)["limit"], seed, form)
    student.try_out("again", functools.partial(play_again, student, again))
    return fits


def probe(student: Student, seed: int) -> None:
    """Plays as our policy answers; as the student's own does, where only that is understood."""
    if not play_all(student, seed, "") and (form := own_form(student)):
        before = dict(student.trials)
        if not play_all(student, seed, form):
            student.trials.update(before)
    student.try_out("given", functools.partial(call_given, student))
