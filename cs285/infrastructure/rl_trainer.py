"""The training loop: collect, learn, log, save; it knows agents only through `Agent`."""

from __future__ import annotations

import dataclasses
import itertools
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TypeVar

import gymnasium as gym
import numpy as np
import safetensors.torch
import torch
from tqdm import tqdm

from cs285.infrastructure import envs, rollouts
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.checkpoint import CheckpointStore
from cs285.infrastructure.config import (
    UserError,
    config_from_dict,
    flag,
    read_config_json,
    reconcile,
    write_config_json,
)
from cs285.infrastructure.logger import Logger
from cs285.infrastructure.plotting import draw_learning_curve
from cs285.infrastructure.rollouts import PathDict, Policy

NUM_VIDEOS = 2
# However slow the disk: at most this part of the time goes into checkpoints and pictures.
SAVING_SHARE = 0.02


class Agent(Protocol):
    """What the trainer asks of an agent."""

    on_policy: bool
    """True: learns from whole paths of its present policy. False: steps its environment itself."""
    at_episode_start: bool
    """Whether the next step of the agent's environment is the first of an episode."""

    @property
    def actor(self) -> Policy:
        """The policy that is being learned."""

    def step_env(self) -> None:
        """Takes one step in the environment and stores it (agents that are not on-policy)."""

    def add_to_replay_buffer(self, paths: Sequence[PathDict]) -> None:
        """Stores freshly collected paths."""

    def sample(self, batch_size: int) -> tuple[np.ndarray, ...]:
        """Returns transitions to learn from: the five arguments of `train`."""

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> Mapping[str, float]:
        """Learns from one batch; returns losses by name, or nothing if it was not time to learn."""

    def scalars(self) -> dict[str, float]:
        """Returns further numbers to log."""

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the weights that acting needs."""

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree of all that training needs to go on exactly."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""


@dataclasses.dataclass(frozen=True)
class TrainerConfig:
    """The flags that every script has."""

    env_name: str
    exp_name: str

    seed: int = flag(1, "seed of everything random", low=0)
    no_gpu: bool = flag(False, "stay on the CPU even where there is a GPU", "-ngpu")
    which_gpu: int = flag(0, "number of the GPU to use", "-gpu_id", low=0)
    threads: int | None = flag(None, "CPU threads for tensor operations", positive=True)
    time_limit: str = flag(
        "auto",
        "what a time limit means: 'terminal', no future counts after it; 'bootstrap', the state "
        "it cut keeps its value; 'auto', terminal if the discount is 1",
        choices=("auto", "terminal", "bootstrap"),
    )
    data_dir: str = flag("data", "folder that run folders are made in")
    resume: str | None = flag(None, "run folder to go on with, from its last checkpoint")
    checkpoint_secs: float = flag(60.0, "seconds from one checkpoint to the next", positive=True)
    save_params: bool = flag(False, "keep the policy's weights of every log row, not just the last")


ConfigT = TypeVar("ConfigT", bound=TrainerConfig)


class RL_Trainer:  # noqa: N801  (the course's name)
    """Runs an agent for a number of iterations, and keeps log, checkpoints and weights."""

    def __init__(
        self,
        params: Mapping[str, Any],
        agent: Agent,
        env: gym.Env[Any, Any],
        eval_env: gym.Env[Any, Any],
        run_dir: Path,
    ) -> None:
        """Prepares a run.

        Args:
            params: The settings: ep_len, batch_size, train_batch_size, eval_batch_size,
                num_agent_train_steps_per_iter, and how often what is done, in iterations:
                scalar_log_freq, eval_freq, video_log_freq (-1: never).
            agent: Learns.
            env: What the agent learns in.
            eval_env: What it is evaluated in; the scores there are the environment's own.
            run_dir: Where everything is written.
        """
        self.params = params
        self.agent = agent
        self.env = env
        self.eval_env = eval_env
        self.run_dir = run_dir
        self.logger = Logger(run_dir)
        self.checkpoints = CheckpointStore(run_dir)
        self.first_itr = 0
        self.total_envsteps = 0
        self.best_return = -np.inf
        self.last_losses: dict[str, float] = {}
        self.seconds_before = 0.0  # spent before the run was resumed
        self.start_time = time.monotonic()
        self.next_checkpoint = self.start_time
        self.next_picture = self.start_time
        self.stop_requested = False

    # ---------------------------------------------------------------- the loop

    def run_training_loop(
        self, n_iter: int, collect_policy: Policy, eval_policy: Policy
    ) -> bool:
        """Trains until `n_iter` iterations are done or somebody presses Ctrl-C.

        Args:
            n_iter: Iterations of the whole run; for agents that step the environment themselves,
                environment steps.
            collect_policy: Plays the training paths.
            eval_policy: Plays the evaluation paths.

        Returns:
            Whether the run is complete.
        """
        with _StopSignals(self), self._progress_bar(n_iter) as bar:
            for itr in range(self.first_itr, n_iter):
                paths: list[PathDict] = []
                if self.agent.on_policy:
                    batch_size = self.params["batch_size"]
                    paths, steps = self.collect_training_trajectories(
                        itr, collect_policy, batch_size
                    )
                else:
                    self.agent.step_env()
                    steps = 1
                self.total_envsteps += steps
                self.agent.add_to_replay_buffer(paths)
                for log in self.train_agent():
                    self.last_losses.update(log)

                self._report(itr, itr + 1 == n_iter, paths, eval_policy, bar)
                bar.update()
                if not self._save_if_due(itr) and self.stop_requested and self._can_save():
                    self._save(itr)
                if self.stop_requested and self._can_save():
                    return False
        self._finish()
        return True

    def collect_training_trajectories(
        self, itr: int, collect_policy: Policy, batch_size: int
    ) -> tuple[list[PathDict], int]:
        """Plays fresh training paths.

        Args:
            itr: The iteration.
            collect_policy: Plays them.
            batch_size: Environment steps to collect, at least.

        Returns:
            The paths, and the number of environment steps in them.
        """
        # Whole paths of at most self.params["ep_len"] steps each, in self.env; `paths` and
        # `envsteps_this_batch` are what rollouts.sample_trajectories returns.
        # BEGIN SOLUTION hw3.trainer.collect -> paths, envsteps_this_batch
        paths, envsteps_this_batch = rollouts.sample_trajectories(
            self.env, collect_policy, batch_size, self.params["ep_len"]
        )
        # END SOLUTION
        return paths, envsteps_this_batch

    def train_agent(self) -> list[Mapping[str, float]]:
        """Lets the agent learn from its memory; returns what each of its updates logs."""
        all_logs: list[Mapping[str, float]] = []
        for _ in range(self.params["num_agent_train_steps_per_iter"]):
            # Sample self.params["train_batch_size"] transitions from the agent, train the agent
            # on them, and append what it logs to `all_logs`.
            # BEGIN SOLUTION hw3.trainer.train
            ob_no, ac_na, re_n, next_ob_no, terminal_n = self.agent.sample(
                self.params["train_batch_size"]
            )
            all_logs.append(self.agent.train(ob_no, ac_na, re_n, next_ob_no, terminal_n))
            # END SOLUTION
        return all_logs

    # ---------------------------------------------------------------- what people see

    def _progress_bar(self, n_iter: int) -> tqdm[Any]:
        """Returns a bar with speed and time left; where nobody watches it, it is drawn rarely."""
        unit = "iteration" if self.agent.on_policy else "step"
        bar = tqdm(total=n_iter, initial=self.first_itr, unit=f" {unit}s", dynamic_ncols=True)
        if not bar.fp.isatty():
            bar.mininterval = 30.0
        return bar

    def _report(
        self, itr: int, last: bool, paths: list[PathDict], eval_policy: Policy, bar: tqdm[Any]
    ) -> None:
        """Writes a log row, evaluates and films, each where its time has come."""
        row: dict[str, float] = {}
        if self._due("eval_freq", itr) or (last and self.params["eval_freq"] > 0):
            row.update(self._evaluate(eval_policy))
        if row or last or self._due("scalar_log_freq", itr):
            row = {**row, **self._train_scalars(paths), **self.last_losses, **self.agent.scalars()}
            seconds = self._seconds()
            row |= {"TimeSinceStart": seconds, "StepsPerSecond": self.total_envsteps / seconds}
            self.logger.log_scalars(itr + 1, row)
            bar.set_postfix(_headline(row), refresh=False)
            self._draw_curve()
            if self.params["save_params"]:
                self._save_policy(f"policy_{itr + 1:09d}.safetensors")
        if self._due("video_log_freq", itr):
            self._film(itr, eval_policy)

    def _due(self, name: str, itr: int) -> bool:
        """Tells whether it is the turn of what happens every `params[name]` iterations."""
        freq = self.params[name]
        first = self.agent.on_policy and itr == 0
        return freq > 0 and (first or (itr + 1) % freq == 0)

    def _train_scalars(self, paths: list[PathDict]) -> dict[str, float]:
        """Returns the statistics of training episodes: of this iteration, or of the last 100."""
        statistics = envs.episode_statistics(self.env)
        returns, lengths = list(statistics.return_queue), list(statistics.length_queue)
        if paths:
            returns = [float(path["reward"].sum()) for path in paths]
            lengths = [rollouts.get_pathlength(path) for path in paths]
        row = _summary("Train", returns, lengths)
        if returns:
            self.best_return = max(self.best_return, row["Train_AverageReturn"])
        row["Train_BestReturn"] = self.best_return if returns else np.nan
        row["Train_EnvstepsSoFar"] = self.total_envsteps
        return row

    def _evaluate(self, policy: Policy) -> dict[str, float]:
        """Plays `eval_batch_size` steps or more and returns the statistics of their paths."""
        paths, _ = rollouts.sample_trajectories(
            self.eval_env, policy, self.params["eval_batch_size"], self.params["ep_len"]
        )
        returns = [float(path["reward"].sum()) for path in paths]
        return _summary("Eval", returns, [rollouts.get_pathlength(path) for path in paths])

    def _film(self, itr: int, policy: Policy) -> None:
        """Films a few paths into run_dir/videos."""
        paths = rollouts.sample_n_trajectories(
            self.eval_env, policy, NUM_VIDEOS, self.params["video_len"], render=True
        )
        for number, path in enumerate(paths):
            fps = self.eval_env.metadata.get("render_fps", 30)
            self.logger.log_video(itr + 1, f"eval_{number}", path["image_obs"], fps)

    def _draw_curve(self) -> None:
        """Draws learning_curve.png again, unless that would take too much of the time."""
        now = time.monotonic()
        if now >= self.next_picture:
            draw_learning_curve(self.run_dir)
            self.next_picture = time.monotonic() + (time.monotonic() - now) / SAVING_SHARE

    # ---------------------------------------------------------------- saving and resuming

    def _seconds(self) -> float:
        """Returns the seconds trained so far, those before a resume included."""
        return self.seconds_before + time.monotonic() - self.start_time

    def _can_save(self) -> bool:
        """Tells whether the environment can be saved at this moment."""
        return envs.can_save(self.env, self.agent.at_episode_start)

    def _save_if_due(self, itr: int) -> bool:
        """Writes a checkpoint if its time has come and the environment allows it."""
        if time.monotonic() < self.next_checkpoint or not self._can_save():
            return False
        self._save(itr)
        return True

    def _save(self, itr: int) -> None:
        """Writes a checkpoint of everything, from which the run goes on exactly."""
        began = time.monotonic()
        state = {
            "next_itr": itr + 1,
            "total_envsteps": self.total_envsteps,
            "best_return": float(self.best_return),
            "last_losses": {name: float(loss) for name, loss in self.last_losses.items()},
            "seconds": self._seconds(),
            "agent": self.agent.state_dict(),
            "env": envs.env_state(self.env),
            "eval_env": envs.env_state(self.eval_env),
            "logger": self.logger.state_dict(),
            "rng": ptu.rng_state(),
        }
        self.checkpoints.save(itr + 1, state)
        self._save_policy("policy.safetensors")
        now = time.monotonic()
        pause = max(self.params["checkpoint_secs"], (now - began) / SAVING_SHARE)
        self.next_checkpoint = now + pause

    def restore(self) -> list[str]:
        """Goes back to the last whole checkpoint, or to the start if the run has none yet.

        Returns:
            Warnings about checkpoints that are damaged.
        """
        latest = self.checkpoints.load_latest()
        if latest is None:
            self.logger.load_state_dict({"rows": 0, "columns": []})
            return []
        _, state, warnings = latest
        self.first_itr = state["next_itr"]
        self.total_envsteps = state["total_envsteps"]
        self.best_return = state["best_return"]
        self.last_losses = state["last_losses"]
        self.seconds_before = state["seconds"]
        self.agent.load_state_dict(state["agent"])
        envs.restore_env(self.env, state["env"])
        envs.restore_env(self.eval_env, state["eval_env"])
        self.logger.load_state_dict(state["logger"])
        ptu.set_rng_state(state["rng"])
        self.next_checkpoint = time.monotonic() + self.params["checkpoint_secs"]
        return warnings

    def _save_policy(self, name: str) -> None:
        """Writes the policy's weights, whole or not at all."""
        weights = {k: v.detach().cpu().contiguous() for k, v in self.agent.policy_state_dict().items()}
        beside = self.run_dir / f"{name}.tmp"
        safetensors.torch.save_file(weights, beside)
        beside.replace(self.run_dir / name)

    def _finish(self) -> None:
        """Leaves the final weights and curve; checkpoints have done their work."""
        self._save_policy("policy.safetensors")
        draw_learning_curve(self.run_dir)
        self.logger.close()
        self.checkpoints.remove_all()


class _StopSignals:
    """Turns Ctrl-C and SIGTERM into a wish to stop, so that no step is left half done."""

    def __init__(self, trainer: RL_Trainer) -> None:
        self.trainer = trainer
        self.previous: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.previous[number] = signal.signal(number, self._request)

    def __exit__(self, *_: object) -> None:
        for number, handler in self.previous.items():
            signal.signal(number, handler)

    def _request(self, number: int, frame: FrameType | None) -> None:
        """Asks for a stop; the second time, stops at once."""
        if self.trainer.stop_requested:
            raise KeyboardInterrupt
        self.trainer.stop_requested = True
        tqdm.write("stopping: one moment for a checkpoint (Ctrl-C again stops at once)")


def _summary(prefix: str, returns: Sequence[float], lengths: Sequence[int]) -> dict[str, float]:
    """Returns the course's scalars of some episodes; nan where there are none."""
    returns, lengths = returns or [np.nan], lengths or [np.nan]  # type: ignore[list-item]
    return {
        f"{prefix}_AverageReturn": float(np.mean(returns)),
        f"{prefix}_StdReturn": float(np.std(returns)),
        f"{prefix}_MaxReturn": float(np.max(returns)),
        f"{prefix}_MinReturn": float(np.min(returns)),
        f"{prefix}_AverageEpLen": float(np.mean(lengths)),
    }


def _headline(row: Mapping[str, float]) -> dict[str, str]:
    """Returns the returns that the progress bar shows."""
    shown = {"train": "Train_AverageReturn", "best": "Train_BestReturn", "eval": "Eval_AverageReturn"}
    return {k: f"{row[name]:.1f}" for k, name in shown.items() if np.isfinite(row.get(name, np.nan))}


def train(trainer: RL_Trainer, n_iter: int, resume: bool) -> int:
    """Runs or resumes a training run from a script, and tells the person how it ended.

    Returns:
        The exit status: 0, or 130 if the run was interrupted.
    """
    for warning in trainer.restore() if resume else []:
        sys.stderr.write(f"warning: {warning}\n")
    sys.stderr.write(f"run folder: {trainer.run_dir}\n")
    policy = trainer.agent.actor
    if trainer.run_training_loop(n_iter, policy, policy):
        sys.stderr.write(f"done: {trainer.run_dir}/learning_curve.png shows how it went\n")
        return 0
    script = Path(sys.argv[0])
    sys.stderr.write(f"interrupted; go on with: python {script} --resume {trainer.run_dir}\n")
    return 130


def open_run(
    script: str,
    config: ConfigT,
    explicit_names: set[str],
    resolve: Callable[[ConfigT], ConfigT] = lambda config: config,
) -> tuple[ConfigT, Path]:
    """Makes the run's folder, or finds the one to resume.

    Args:
        script: Name of the script.
        config: What the command line asks for.
        explicit_names: The flags that were typed.
        resolve: Completes the settings of a new run.

    Returns:
        All settings of the run, and its folder.

    Raises:
        UserError: If the folder to resume is none, is finished, or was made with other settings.
    """
    if config.resume is None:
        config = resolve(config)
        name = f"hw3_{config.exp_name}_{config.env_name}_{time.strftime('%Y-%m-%d_%H-%M-%S')}"
        run_dir = new_run_dir(Path(config.data_dir), name)
        write_config_json(run_dir, config, script)
        return config, run_dir
    run_dir = Path(config.resume)
    document = read_config_json(run_dir)
    if document.get("script") != script:
        raise UserError(f"{run_dir} was made by scripts/{document.get('script')}.py: resume it with that")
    saved = config_from_dict(type(config), document["settings"])
    if (run_dir / "policy.safetensors").exists() and not (run_dir / "checkpoints").exists():
        raise UserError(f"{run_dir} is finished: there is nothing to resume")
    return reconcile(saved, config, explicit_names, run_dir), run_dir


def new_run_dir(data_dir: Path, name: str) -> Path:
    """Makes a folder for a run; a number is added to the name of one begun in the same second."""
    for number in itertools.count(1):
        run_dir = data_dir / (name if number == 1 else f"{name}_{number}")
        try:
            run_dir.mkdir(parents=True)
            return run_dir
        except FileExistsError as error:
            if not data_dir.is_dir():
                raise UserError(f"--data_dir {data_dir} is a file, not a folder") from error
    raise AssertionError("unreachable")
