"""Short real trainings, whose weights and logs tell whether a change of the source is one at all.

Training is exact: with one thread and one seed, two runs of the same code end with the same bits.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from autograder.source.importing import Tree, imported_from
from benchmarks.mutation.exercise import Lines, recorded
from benchmarks.mutation.scenarios import SCENARIOS, Scenario, TinyTask
from tests.running import load_script


class FramesNetwork(torch.nn.Module):
    """A small Q-network for stacks of frames."""

    def __init__(self, inputs: int, actions: int) -> None:
        """Builds one layer."""
        super().__init__()
        self.layer = torch.nn.Linear(inputs, actions)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Returns the action values."""
        values: torch.Tensor = self.layer(frames.flatten(1).float() / 255.0)
        return values


@dataclass(frozen=True)
class Trained:
    """What a training left.

    Attributes:
        digest: Of its log and its weights.
        files: Those within cs285 that it depends on.
        lines: By file, the lines that it ran, as far as they were recorded.
    """

    digest: str
    files: list[str]
    lines: dict[str, list[int]]


def train(tree: Tree, name: str, folder: Path, watched: Collection[str] | None = None) -> Trained:
    """Runs a scenario with a package.

    Args:
        tree: The package.
        name: The scenario's.
        folder: Empty; for the run.
        watched: Files within cs285 whose lines are recorded, which takes time; None: all.

    Raises:
        RuntimeError: If the script ends with another status than 0; and whatever it raises.
    """
    scenario = SCENARIOS[name]
    gym.register(
        id="Mutant-v0",
        entry_point=lambda **settings: TinyTask(**settings),
        kwargs=dict(scenario.tiny_task),
        max_episode_steps=scenario.limit,
    )
    quiet = watched is not None and not watched
    nothing: contextlib.AbstractContextManager[Lines] = contextlib.nullcontext({})
    recording = nothing if quiet else recorded(tree.package, watched)
    for module in [name for name in sys.modules if "run_hw" in name]:
        del sys.modules[module]  # a script that another package's modules are bound to
    with imported_from(tree) as finder, recording as lines:
        script = load_script(scenario.script)
        from cs285.experiments import registry

        quicken(registry.of_script(scenario.script), scenario)
        words = [*scenario.flags.split(), "--env_name", "Mutant-v0", "--no_gpu"]
        status = script.main([*words, "--threads", "1", "--data_dir", str(folder)])
        if status:
            raise RuntimeError(f"the script ends with status {status}")
        found = digest(next(folder.iterdir()))
    return Trained(found, sorted(finder.touched), {p: sorted(n) for p, n in lines.items()})


def quicken(experiment: Any, scenario: Scenario) -> None:
    """Leaves out what takes long and does not learn; stacks frames where the scenario has them."""
    from cs285.infrastructure.base import config as configuration
    from cs285.infrastructure.environments import env_state
    from cs285.infrastructure.training import run_folder

    def nothing(*args: Any) -> None:
        return None

    vars(configuration)["_git_commit"] = vars(run_folder)["draw_learning_curve"] = nothing
    if scenario.frames == 1:
        return

    def make_env(config: Any, training: bool, render: str | None = None) -> Any:
        env = gym.wrappers.RecordEpisodeStatistics(gym.make("Mutant-v0", disable_env_checker=True))
        whole: Any = env_state.SeededResets(env)
        return (
            whole
            if training
            else gym.wrappers.FrameStackObservation(whole, scenario.frames, padding_type="zero")
        )

    def new_agent(env: Any, config: Any, eval_env: Any) -> Any:
        from cs285.agents.dqn_agent import DQNAgent

        size = scenario.frames * int(np.prod(env.observation_space.shape))
        own = SimpleNamespace(part=lambda _: FramesNetwork(size, int(env.action_space.n)))
        settings = dataclasses.replace(config, frame_history_len=scenario.frames)
        return DQNAgent(env, settings, own)

    experiment.make_env, experiment.new_agent = make_env, new_agent


def digest(run_dir: Path) -> str:
    """Returns a hash of a finished run's log, the clock left out, and of all its weights."""
    from cs285.infrastructure.logging.logger import WALL_CLOCK_COLUMNS, read_log

    found = hashlib.sha256()
    for column, values in read_log(run_dir).items():
        if column not in WALL_CLOCK_COLUMNS:
            found.update(column.encode() + values.tobytes())
    found.update((run_dir / "weights.safetensors").read_bytes())
    return found.hexdigest()
