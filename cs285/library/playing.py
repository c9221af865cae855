"""Plays, films and values with what a run has left."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

from cs285.experiments import launch, registry
from cs285.experiments.limits import BOUND, path_lengths
from cs285.experiments.saved_policy import POLICY, drawing, likeliest, load_weights, loader
from cs285.infrastructure.base.config import config_from_dict, read_config_json
from cs285.infrastructure.base.env_record import find_module_again
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.films import Beside, write_gif, write_video
from cs285.infrastructure.training.open_run import WEIGHTS
from cs285.library.arguments import numbers
from cs285.library.show import Film

NO_NOISE = {"action_noise_std": 0.0}
"""The setting that adds noise to actions, as it is where there is none."""


class Player:
    """The policy of a run, in an environment as the run had."""

    def __init__(
        self, folder: Path, render: str | None = None, noise: bool = True, weights: str = POLICY
    ) -> None:
        """Loads the weights, and makes the environment.

        Args:
            folder: The run's folder.
            render: As `gymnasium.make` has it.
            noise: Whether the environment adds noise to actions where the run asked for that.
            weights: The file in the folder with the policy.

        Raises:
            UserError: If the folder has no such policy, or no picture can be made here.
        """
        from cs285.infrastructure import pytorch_util as ptu
        from cs285.infrastructure.environments.displays import why_no_pictures

        self.document = document = read_config_json(folder)
        script, settings = str(document.get("script")), document["settings"]
        find_module_again(document)
        if not noise:
            settings = settings | {n: v for n, v in NO_NOISE.items() if n in settings}
        load, tensors = loader(folder, script), load_weights(folder, weights)
        if render == "rgb_array" and (reason := why_no_pictures(settings["env_name"])):
            raise UserError(reason)
        ptu.init_gpu(use_gpu=False)  # one observation at a time is no work for a GPU
        try:
            self.env, self.policy = load(settings, tensors, render)
        except RuntimeError as error:
            if "loading state_dict" not in str(error):
                raise
            line = f"{folder / weights} contains no policy of the kind that config.json names"
            raise UserError(line) from None
        kind = registry.of_script(script).config_class
        self.config = config_from_dict(kind, settings, fill_in=True)

    def actions(self, obs: Any, deterministic: bool) -> Any:
        """Returns the task's own actions for one observation, or for a batch of them."""
        rows, single = rows_of(self.env, obs)
        policy = likeliest(self.policy) if deterministic else drawing(self.policy)
        actions = [task_action(self.env, action) for action in policy.get_action(rows)]
        return actions[0] if single else np.array(actions)

    def longest(self, name: str) -> int:
        """Returns the most steps of an episode: "ep_len" or "video_len" of `path_lengths`."""
        return path_lengths(self.config)[name] or BOUND

    @property
    def unlimited(self) -> bool:
        """Whether neither a flag of the run nor its task sets a limit."""
        return path_lengths(self.config)["path_bound"] is not None


def returns(player: Player, episodes: int, seed: int, deterministic: bool | None) -> np.ndarray:
    """Plays episodes; returns the return of each, shape (episodes,). See `Run.evaluate`."""
    from cs285.infrastructure.rl_trainer import play_episode

    policy = player.policy
    if deterministic is not None:
        policy = likeliest(policy) if deterministic else drawing(policy)
    seed_all(player, seed)
    most = player.longest("ep_len")
    played = [play_episode(player.env, policy, most)[0] for _ in range(episodes)]
    return np.array(played)


def film(player: Player, folder: Path, seed: int) -> Film:
    """Films an episode into the folder's videos/; see `Run.film`."""
    seed_all(player, seed)
    played = play(player.env, player.policy, player.longest("video_len"), shown=True)
    return Film(write(folder, f"seed_{seed}", player.env, played), played.score)


class Played(NamedTuple):
    """An episode: its return and, where it is filmed, its pictures and the policy's numbers."""

    score: float
    frames: list[np.ndarray]
    beside: Beside


def play(env: Any, policy: Any, most: int, epsilon: float = 0.0, shown: bool = False) -> Played:
    """Plays one episode, of `most` steps at most.

    Args:
        env: The environment.
        policy: Chooses the actions.
        most: Steps after which the episode is cut.
        epsilon: The chance of a random action instead.
        shown: Whether to keep a picture of each state acted in, and what the policy chose by.
    """
    obs, _ = env.reset()
    score, step, done, frames = 0.0, 0, False, []
    beside = Beside(getattr(policy, "greedy", policy))
    while not done and step < most:
        if shown:
            frames.append(np.asarray(env.render()))
        explore = epsilon > 0 and np.random.random() < epsilon
        action = env.action_space.sample() if explore else policy.get_action(obs)[0]
        if shown:
            beside.note(obs, action)
        obs, reward, terminated, truncated, _ = env.step(action)
        score, step, done = score + float(reward), step + 1, terminated or truncated
    return Played(score, frames, beside)


def write(folder: Path, name: str, env: Any, played: Played) -> Path:
    """Writes the film of an episode into the folder's videos/; returns the path of the WebM."""
    fps = env.metadata.get("render_fps", 30)
    frames = np.array(played.frames, np.uint8)
    path = write_video(folder, name, played.score, frames, fps)
    write_gif(path.with_suffix(".gif"), frames, fps)
    played.beside.write(path, fps)
    return path


def seed_all(player: Player, seed: int) -> None:
    """Seeds the environment, and what its policy draws from."""
    from cs285.infrastructure import pytorch_util as ptu

    ptu.seed_everything(seed)
    player.env.reset(seed=seed)
    player.env.action_space.seed(seed)


class Valuer:
    """The critic of a run's agent, with the weights that the run left when it was finished."""

    def __init__(self, folder: Path) -> None:
        """Builds the run's agent with a small memory, and loads the weights of all its networks.

        Raises:
            UserError: If the run is not finished.
        """
        from cs285.infrastructure import pytorch_util as ptu
        from cs285.infrastructure.training.run_folder import load_weights as load_all

        if not (folder / WEIGHTS).exists():
            raise UserError(f"{folder}: a run leaves its critic when it is finished; resume() it")
        document = read_config_json(folder)
        find_module_again(document)
        experiment = registry.of_script(str(document.get("script")))
        kind, settings = experiment.config_class, document["settings"]
        config = small(config_from_dict(kind, settings, fill_in=True))
        ptu.init_gpu(use_gpu=False)
        with launch.closing_environments():
            trainer = experiment.build(config, folder)
        load_all(trainer.agent.state_dict(), folder / WEIGHTS)
        agent = trainer.agent
        if hasattr(agent, "members"):  # of a portfolio: the member whose policy was saved
            best = next(iter(load_weights(folder))).partition(".")[0]
            agent = agent.members[int(best)]
        self.folder, self.env, self.agent = folder, trainer.eval_env, agent
        self.critic: Any = getattr(agent, "critic", None)
        self.name, self.reward_scale = registry.name_of(experiment.script), config.reward_scale

    def state_values(self, obs: Any) -> Any:
        """Returns V(s) for one observation, or for a batch of them; see `Run.v`."""
        if hasattr(self.critic, "q_net"):
            raise UserError(f"{self.name} learns no V(s), but Q(s, a): q(obs, ac)")
        if self.critic is None:
            raise UserError(f"this run of {self.name} learned no V(s): train with nn_baseline=True")
        rows, single = rows_of(self.env, obs)
        values = self._in_reward_units(self.critic.forward_np(rows)) / self.reward_scale
        return values[0] if single else values

    def _in_reward_units(self, values: np.ndarray) -> np.ndarray:
        """Returns what a critic predicts as returns, where it has learned standardised ones.

        Mean and deviation are no weights, so only a checkpoint has them.

        Raises:
            UserError: If the run has kept none.
        """
        from cs285.infrastructure.training.checkpoint import CheckpointStore

        if not hasattr(self.agent, "q_std"):
            return values
        latest = CheckpointStore(self.folder).load_latest()
        if latest is None:
            raise UserError(
                f"{self.folder}: its baseline predicts returns minus their mean, over their "
                "deviation, and only a checkpoint has these two: train with keep_checkpoint=True, "
                "and not in a study"
            )
        state = latest[1]["trainer"]["agent"]
        found: np.ndarray = values * np.float32(state["q_std"]) + np.float32(state["q_mean"])
        return found

    def values(self, obs: Any, ac: Any) -> Any:
        """Returns Q(s, a) for one observation, or for a batch of them; see `Run.q`."""
        if not hasattr(self.critic, "q_net"):
            hint = "" if self.critic is None else ", but V(s): v(obs)"
            raise UserError(f"{self.name} learns no Q(s, a){hint}")
        rows, single = rows_of(self.env, obs)
        discrete = hasattr(self.critic, "qa_values")
        if discrete:
            values = self.critic.qa_values(rows)
        if ac is None and not discrete:
            raise UserError("q needs an action: there are infinitely many of them")
        if ac is not None:
            actions = self._actions(numbers("ac", ac), len(rows))
            values = self._chosen(values, actions) if discrete else self._continuous(rows, actions)
        values = values / self.reward_scale
        return values[0] if single else values

    def _actions(self, actions: np.ndarray, count: int) -> np.ndarray:
        """Returns actions as rows, shape (count, ac_dim); UserError if they are of another shape.

        Numbers of discrete actions are one in a row.
        """
        space = self.env.unwrapped.action_space
        size = math.prod(space.shape)
        if actions.size != count * size:
            wanted = space.shape if count == 1 else (count, *space.shape)
            raise UserError(f"ac has shape {actions.shape}, wanted {wanted}")
        return actions.reshape(count, size)

    def _chosen(self, values: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Returns the value of one action in each row. Shape (n,)."""
        space = self.env.unwrapped.action_space
        first, last = int(space.start), int(space.start + space.n) - 1
        if not np.isin(actions, np.arange(first, last + 1)).all() or actions.dtype.kind not in "iu":
            raise UserError(f"ac takes numbers of actions, from {first} to {last}")
        chosen: np.ndarray = values[np.arange(len(values)), actions[:, 0] - first]
        return chosen

    def _continuous(self, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Returns the smallest of the critics' values, for actions in the task's bounds."""
        import torch

        from cs285.infrastructure import pytorch_util as ptu

        task: Any = self.env.unwrapped.action_space
        low, high = task.low.ravel(), task.high.ravel()
        own = 2.0 * (actions - low) / (high - low) - 1.0
        with torch.no_grad():
            q_kn = self.critic.q_net(ptu.from_numpy(rows), ptu.from_numpy(own))
        return ptu.to_numpy(q_kn.min(dim=0).values)


def small(config: Any) -> Any:
    """Returns settings with which an agent is quickly built: no films, and a small memory."""
    names = {"no_gpu": True, "resume": None, "load": None, "video_log_freq": -1}
    if getattr(config, "buffer_size", None):
        names["buffer_size"] = config.batch_size + getattr(config, "frame_history_len", 0)
    return dataclasses.replace(config, **names)


def rows_of(env: Any, obs: Any) -> tuple[np.ndarray, bool]:
    """Returns observations as the agent sees them, in a batch; and whether it was a single one.

    Args:
        env: The environment as the agent knows it.
        obs: What the task itself shows, or what the agent sees; one, or a batch.

    Raises:
        UserError: If it is neither.
    """
    shape, task = env.observation_space.shape, env.unwrapped.observation_space
    if not isinstance(task, gym.spaces.Box) and task.contains(obs):
        obs = gym.spaces.flatten(task, obs)
    array = numbers("obs", obs)
    array = array if array.dtype == np.uint8 and len(shape) == 3 else array.astype(np.float32)
    if array.shape in (shape, getattr(task, "shape", None)):
        return array.reshape(1, *shape), True
    if array.shape[1:] == shape:
        return array, False
    raise UserError(f"obs has shape {array.shape}, wanted {shape} or (n, {str(shape)[1:]}")


def task_action(env: Any, action: Any) -> Any:
    """Returns an agent's action as the task itself takes it, by all wrappers between them."""
    while isinstance(env, gym.Wrapper):
        if isinstance(env, gym.ActionWrapper):
            action = env.action(action)
        env = env.env
    return action
