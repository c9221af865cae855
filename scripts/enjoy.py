"""Plays the policy of a run: prints the score of each episode, and shows or films it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.infrastructure.base.config import cli, parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import MOST_SEED, flag, operand
from cs285.infrastructure.logging.logger import rounded
from cs285.infrastructure.logging.run_page import write_run_page

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym

    from cs285.infrastructure.rollouts import Policy


@dataclasses.dataclass(frozen=True)
class EnjoyConfig:
    """The flags of this script."""

    run_dir: str = operand("RUN_DIR", "folder of a run")
    episodes: int = flag(5, "episodes to play", "-n", positive=True)
    seed: int = flag(0, "seed of the environment and of a random policy", low=0, high=MOST_SEED)
    film: bool = flag(False, "film each episode, as WebM and GIF in the run folder's videos/")
    untrained: bool = flag(False, "play with freshly drawn weights, to compare with")
    epsilon: float = flag(
        None, "chance of a random action; default: as in the run's evaluations", low=0, high=1
    )
    window: bool = flag(False, "show the game in a window")
    weights: str = flag("policy.safetensors", "file in the run folder, of --save_params")
    itr: int = flag(
        -1, "number in the name of weights that --save_params kept; -1: the last", "-i", low=-1
    )
    len: int = flag(
        0,
        "longest episode, in environment steps; 0: to its end, or 1,000 in a task without a limit",
        "-l",
        "--max_episode_steps",
        low=0,
    )
    deterministic: bool = flag(
        False,
        "play what is likeliest, as evaluations of SAC, PPO and TRPO do; default: draw actions "
        "of policies that are distributions. Nothing is random with -d unless --epsilon is given",
        "-d",
    )
    norender: bool = flag(False, "no window, which is as it is without --window", "-nr")


def file_name(config: EnjoyConfig) -> str:
    """Returns the name of the file with the weights to play.

    Raises:
        UserError: If flags contradict each other.
    """
    if config.window and config.norender:
        raise UserError("--window shows the game and -nr does not: leave one out")
    if config.itr == -1:
        return config.weights
    if config.weights != EnjoyConfig.weights:
        raise UserError(f"--weights {config.weights} or -i {config.itr}: leave one out")
    return f"policy_{config.itr:09d}.safetensors"


def greedy_and_chance(policy: Any, config: EnjoyConfig) -> tuple[Any, float]:
    """Returns a policy without random actions, and the chance of one that is to be played."""
    own, policy = getattr(policy, "epsilon", 0.0), getattr(policy, "greedy", policy)
    if config.epsilon is not None:
        return policy, config.epsilon
    return policy, 0.0 if config.deterministic else own


def forget(policy: Any) -> None:
    """Draws all weights of a policy anew, as those of a network that has learned nothing."""
    for part in vars(policy).values():
        if hasattr(part, "modules"):
            for module in part.modules():
                if hasattr(module, "reset_parameters"):
                    module.reset_parameters()
        elif type(part).__module__.startswith("cs285."):
            forget(part)


def play_all(
    config: EnjoyConfig, env: gym.Env[Any, Any], policy: Policy, most: int, epsilon: float
) -> list[float]:
    """Plays all episodes, and films them if asked to; returns their scores."""
    from cs285.library.playing import play, write

    scores, run_dir = [], Path(config.run_dir)
    for number in range(1, config.episodes + 1):
        played = play(env, policy, most, epsilon, config.film)
        scores.append(played.score)
        print(f"episode {number}: {rounded(played.score)}", flush=True)
        if config.film:
            name = f"untrained_{number}" if config.untrained else f"episode_{number}"
            print(f"  {write(run_dir, name, env, played)}, and as .gif", flush=True)
    if config.film and (page := write_run_page(run_dir)):
        print(f"  {page} shows the films", flush=True)
    return scores


@cli
def main(argv: Sequence[str]) -> int:
    """Plays, as the command line says."""
    config, _ = parse_config(EnjoyConfig, argv, __doc__ or "")
    weights = file_name(config)
    from cs285.experiments.saved_policy import drawing, likeliest
    from cs285.infrastructure import pytorch_util as ptu
    from cs285.library.playing import Player

    # One observation at a time is too little to share between threads or to send to a GPU.
    ptu.set_up(config.seed, threads=1, no_gpu=True, which_gpu=0)
    render = "human" if config.window else "rgb_array" if config.film else None
    player = Player(Path(config.run_dir), render, weights=weights)
    env = player.env
    trained, here = player.document.get("env_made"), getattr(env.spec, "id", None)
    if trained and here and trained != here:
        print(f"note: trained in {trained}, plays in {here}", file=sys.stderr)
    policy, epsilon = greedy_and_chance(player.policy, config)
    if config.untrained:
        forget(policy)
    if epsilon > 0:
        print(f"chance of a random action: {epsilon:g}; --epsilon changes it")
    env.reset(seed=config.seed)
    policy = likeliest(policy) if config.deterministic else drawing(policy)
    env.action_space.seed(config.seed)
    most = config.len or player.longest("ep_len")
    if not config.len and player.unlimited:
        print(f"no time limit: an episode ends after {most:,} steps (--max_episode_steps)")
    scores = play_all(config, env, policy, most, epsilon)
    print(f"mean of {len(scores)}: {np.mean(scores):.1f} (std {np.std(scores):.1f})")
    env.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
