"""Plays the policy of a run: prints the score of each episode, and shows or films it."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import run_hw3_actor_critic as ac_script  # type: ignore[import-not-found]  # beside this one
import run_hw3_dqn as dqn_script  # type: ignore[import-not-found]  # beside this one

from cs285.infrastructure.config import (
    UserError,
    cli,
    config_from_dict,
    flag,
    operand,
    parse_config,
    read_config_json,
)
from cs285.infrastructure.logger import Logger, rounded

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym

    from cs285.infrastructure.rollouts import Policy

GIF_BYTES = 3_000_000  # most that a page should have to load
GIF_WIDTH, GIF_SPEED = 320, 15.0  # pixels; pictures a second, at most


@dataclasses.dataclass(frozen=True)
class EnjoyConfig:
    """The flags of this script."""

    run_dir: str = operand("RUN_DIR", "folder of a run")
    episodes: int = flag(5, "episodes to play", "-n", positive=True)
    seed: int = flag(0, "seed of the environment and of a random policy", low=0)
    film: bool = flag(False, "film each episode, as WebM and GIF in the run folder's videos/")
    epsilon: float = flag(0.0, "chance of a random action; DQN learned with some", low=0, high=1)
    window: bool = flag(False, "show the game in a window")
    weights: str = flag("policy.safetensors", "file in the run folder, of --save_params")


def load_weights(run_dir: Path, name: str) -> dict[str, Any]:
    """Reads a policy's weights; raises UserError if there are none, or they are damaged."""
    import safetensors.torch

    try:
        return safetensors.torch.load_file(run_dir / name)
    except FileNotFoundError:
        raise UserError(f"{run_dir / name} is not there: the run has saved no policy yet") from None
    except safetensors.SafetensorError as error:
        raise UserError(f"{run_dir / name} is damaged: {error}") from None


def config_of(config_class: Any, settings: dict[str, Any]) -> Any:
    """Returns a run's settings; what another version did not know has its default."""
    fields = dataclasses.fields(config_class)
    return config_from_dict(config_class, {f.name: settings.get(f.name, f.default) for f in fields})


def load_dqn(settings: dict[str, Any], weights: dict[str, Any], render: str | None) -> Any:
    """Returns the environment and the greedy policy of a DQN run."""
    from cs285.critics.dqn_critic import DQNCritic
    from cs285.policies.argmax_policy import ArgMaxPolicy

    config = config_of(dqn_script.DQNConfig, settings)
    env = dqn_script.make_env(config, training=False, render=render)
    critic = DQNCritic(dqn_script.agent_params(env, config), dqn_script.optimizer_spec(config))
    critic.q_net.load_state_dict(weights)
    return env, ArgMaxPolicy(critic)


def load_actor_critic(settings: dict[str, Any], weights: dict[str, Any], render: str | None) -> Any:
    """Returns the environment and the policy of an actor-critic run."""
    from cs285.infrastructure import envs
    from cs285.policies.MLP_policy import MLPPolicyAC

    config = config_of(ac_script.ACConfig, settings)
    env = envs.make_env(config.env_name, ep_len=config.ep_len, render=render)
    params = ac_script.agent_params(env, config)
    names = ("ac_dim", "ob_dim", "n_layers", "size", "discrete")
    policy = MLPPolicyAC(*(params[name] for name in names))
    policy.load_state_dict(weights)
    return env, policy


def loader(run_dir: Path, script: str) -> Callable[..., Any]:
    """Returns what loads the policies of a script: (settings, weights, render) -> env, policy."""
    known = {"run_hw3_dqn": load_dqn, "run_hw3_actor_critic": load_actor_critic}
    if script in known:
        return known[script]
    if not Path(__file__).with_name(f"{script}.py").exists():
        raise UserError(f"{run_dir} was begun by scripts/{script}.py, which is not here")
    load: Callable[..., Any] = importlib.import_module(script).load_policy
    return load


def play(
    env: gym.Env[Any, Any], policy: Policy, epsilon: float, film: bool
) -> tuple[float, list[np.ndarray]]:
    """Plays one episode; returns its score and, to film it, its pictures."""
    obs, _ = env.reset()
    score, done, frames = 0.0, False, []
    while not done:
        if film:
            frames.append(np.asarray(env.render()))
        explore = epsilon > 0 and np.random.random() < epsilon
        action = env.action_space.sample() if explore else policy.get_action(obs)[0]
        obs, reward, terminated, truncated, _ = env.step(action)
        score += float(reward)
        done = terminated or truncated
    return score, frames


def write_gif(path: Path, frames: np.ndarray, fps: float) -> None:
    """Writes frames, RGB of shape (time, height, width, 3), as a GIF that a page loads quickly."""
    from PIL import Image

    height, width = frames.shape[1:3]
    scale = min(1.0, GIF_WIDTH / width)
    size = (round(width * scale), round(height * scale))
    every = max(1, round(fps / GIF_SPEED))
    while True:
        pictures = [Image.fromarray(frame).resize(size).quantize(64) for frame in frames[::every]]
        milliseconds = round(1000 * every / fps)
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=milliseconds, loop=0
        )
        if path.stat().st_size <= GIF_BYTES or len(pictures) == 1:
            return
        every *= 2


def film(env: gym.Env[Any, Any], run_dir: Path, number: int, score: float, frames: Any) -> Path:
    """Writes an episode as WebM, and as GIF beside it; returns the path of the former."""
    fps = env.metadata.get("render_fps", 30)
    path = Logger(run_dir).log_video(f"episode_{number}", score, np.array(frames), fps)
    write_gif(path.with_suffix(".gif"), np.array(frames), fps)
    return path


@cli
def main(argv: Sequence[str]) -> int:
    """Plays, as the command line says."""
    config, _ = parse_config(EnjoyConfig, argv, __doc__ or "")
    run_dir = Path(config.run_dir)
    document = read_config_json(run_dir)
    load = loader(run_dir, str(document.get("script")))
    weights = load_weights(run_dir, config.weights)
    from cs285.infrastructure import pytorch_util as ptu

    # One observation at a time is too little to share between threads or to send to a GPU.
    ptu.set_up(config.seed, threads=1, no_gpu=True, which_gpu=0)
    render = "human" if config.window else "rgb_array" if config.film else None
    env, policy = load(document["settings"], weights, render)
    env.reset(seed=config.seed)
    env.action_space.seed(config.seed)
    scores = []
    for number in range(1, config.episodes + 1):
        score, frames = play(env, policy, config.epsilon, config.film)
        scores.append(score)
        print(f"episode {number}: {rounded(score)}", flush=True)
        if config.film:
            print(f"  {film(env, run_dir, number, score, frames)}, and as .gif", flush=True)
    print(f"mean of {len(scores)}: {np.mean(scores):.1f} (std {np.std(scores):.1f})")
    env.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
