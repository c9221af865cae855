"""The training loop: collect, learn, log, save. It knows agents only through two protocols."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
import torch
from tqdm import tqdm

from cs285.infrastructure import envs, logger, rollouts
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.checkpoint import CheckpointStore, stop_signals
from cs285.infrastructure.config import RunConfig
from cs285.infrastructure.plotting import draw_learning_curve
from cs285.infrastructure.rollouts import PathDict, Policy

utils = rollouts  # the name of that module in older handouts

SAVING_SHARE = 0.02  # most of the time that checkpoints, or pictures, may take on a slow disk


class OnPolicyAgent(Protocol):
    """What the trainer asks of an agent, which it hands whole paths of the present policy."""

    actor: Any
    """The `Policy` that plays while learning."""
    eval_policy: Any
    """The `Policy` that plays evaluations: the actor, or the actor without its noise."""

    def add_to_replay_buffer(self, paths: Sequence[PathDict]) -> None:
        """Stores freshly collected paths."""

    def sample(self, batch_size: int) -> Any:
        """Returns transitions to learn from: the five arguments of `train`."""

    @property
    def train(self) -> Callable[..., Mapping[str, float]]:
        """Learns from (ob_no, ac_na, re_n, next_ob_no, terminal_n); returns losses by name."""

    def scalars(self) -> dict[str, float]:
        """Returns further numbers to log."""

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the weights that acting needs."""

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree of all that training needs to go on exactly."""

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what `state_dict` returned."""


@runtime_checkable
class SteppingAgent(Protocol):
    """What it asks besides of one that steps its environment itself, and is handed no paths."""

    def step_env(self) -> None:
        """Takes a step, or as many as it learns from at once: params["steps_per_itr"]."""


class RL_Trainer:  # noqa: N801  (the course's name)
    """Runs an agent for a number of iterations, and keeps log, checkpoints and weights."""

    def __init__(
        self,
        params: Mapping[str, Any],
        agent: OnPolicyAgent,  # a SteppingAgent as well, or not
        env: Any,  # gym.Env, or several of them side by side
        eval_env: gym.Env[Any, Any],
        run_dir: Path,
    ) -> None:
        """Prepares a run of a script's settings `params` in `run_dir`, where everything is written.

        `eval_env` is for evaluation and videos; the scores there are the environment's own.
        """
        self.params = params
        self.agent = agent
        self.stepping = agent if isinstance(agent, SteppingAgent) else None
        self.steps_per_itr = params.get("steps_per_itr", 1)
        self.env = env
        self.eval_env = eval_env
        self.run_dir, self.stop_file = run_dir, run_dir / "stop"
        self.logger = logger.Logger(run_dir)
        self.checkpoints = CheckpointStore(run_dir)
        self.first_itr = self.total_envsteps = 0
        self.best_return = -np.inf
        self.last_losses: dict[str, float] = {}
        self.started = time.monotonic()  # moved back by the time before a resume
        self.next_checkpoint = self.started + params["checkpoint_secs"]
        self.next_picture = self.next_look = self.started
        self.stop_requested = ""  # why, if somebody or something asks the run to end
        self.best_evaluation = -np.inf

    def run_training_loop(self, n_iter: int, collect_policy: Policy, eval_policy: Policy) -> bool:
        """Trains until `n_iter` iterations are done or somebody asks for a stop.

        Args:
            n_iter: Iterations of the whole run; environment steps, for agents that take them.
            collect_policy: Plays the training paths.
            eval_policy: Plays the evaluation paths.

        Returns:
            Whether the run is complete.
        """
        self.bar = self._progress_bar(n_iter)
        with stop_signals(self.ask_to_stop), closing(self.logger), self.bar:
            if self.params.get("log_untrained") and self.params["eval_freq"] > 0 == self.first_itr:
                self.perform_logging(-1, False, [], eval_policy)
            for itr in range(self.first_itr, n_iter):
                paths: list[PathDict] = []
                if self.stepping is not None:
                    self.stepping.step_env()
                    steps = self.steps_per_itr
                else:
                    paths, steps = self.collect_training_trajectories(
                        itr, collect_policy, self.params["batch_size"]
                    )
                self.total_envsteps += steps
                self.agent.add_to_replay_buffer(paths)
                for log in self.train_agent():
                    self.last_losses.update(log)
                self.bar.update()
                self.perform_logging(itr, itr + 1 == n_iter, paths, eval_policy)
                if itr + 1 < n_iter and self._save_if_due(itr) and self.stop_requested:
                    self.stop_file.unlink(missing_ok=True)  # so that it can go on
                    return False
        self._finish()
        return True

    def ask_to_stop(self) -> None:
        """Ends the run at the next moment that can be saved; asked again, at once."""
        if self.stop_requested == "interrupted":
            raise KeyboardInterrupt
        self.stop_requested = "interrupted"
        tqdm.write("stopping: one moment for a checkpoint (Ctrl-C again stops at once)")

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

    def perform_logging(
        self, itr: int, last: bool, paths: list[PathDict], eval_policy: Policy
    ) -> None:
        """Evaluates, films and writes a row of the log, each where its time has come."""
        row: dict[str, float] = {}
        if self._due("video_log_freq", itr):
            self._film(itr, eval_policy)
        if self._due("eval_freq", itr) or (last and self.params["eval_freq"] > 0):
            row = _path_scalars("Eval", self._evaluate(eval_policy))
        if row or last or self._due("scalar_log_freq", itr):
            seconds = time.monotonic() - self.started
            row |= {**self._train_scalars(paths), **self.last_losses, **self.agent.scalars()}
            row |= {"TimeSinceStart": seconds, "StepsPerSecond": self.total_envsteps / seconds}
            self.logger.log_scalars(itr + 1, row)
            if "Eval_AverageReturn" in row:
                self._tell_evaluation(row)
            self._draw_curve()
            if self.params["save_params"]:
                self._save_policy(f"policy_{itr + 1:09d}.safetensors")

    def _tell_evaluation(self, row: Mapping[str, float]) -> None:
        """Prints a row of the table, keeps the best policy, and ends where enough is reached."""
        mean, target = row["Eval_AverageReturn"], self.params["target_return"]
        self.bar.update(0)  # the table's head stands above its first row
        tqdm.write(logger.table_row(row, mean > self.best_evaluation), file=sys.stderr)
        if mean > self.best_evaluation:
            self.best_evaluation = mean
            self._save_policy("best_policy.safetensors")
        if target is not None and mean >= target:
            self.stop_requested = f"--target_return {target:g} is reached"

    def _due(self, name: str, itr: int) -> bool:
        """Tells whether it is the turn of what happens every `params[name]` iterations."""
        freq = self.params[name]
        first = itr == 0 and self.stepping is None
        return freq > 0 and (first or (itr + 1) % freq == 0)

    def _train_scalars(self, paths: list[PathDict]) -> dict[str, float]:
        """Returns the statistics of training episodes: of this iteration, or of the last 100."""
        if paths:
            row = _path_scalars("Train", paths)
        else:
            statistics = envs.layer_with("return_queue", self.env)
            row = logger.summary(
                "Train", list(statistics.return_queue), list(statistics.length_queue)
            )
        self.best_return = float(np.fmax(self.best_return, row["Train_AverageReturn"]))
        best = self.best_return if np.isfinite(self.best_return) else np.nan
        return row | {"Train_BestReturn": best, "Train_EnvstepsSoFar": self.total_envsteps}

    def _evaluate(self, policy: Policy) -> list[PathDict]:
        """Plays whole paths: at least `eval_batch_size` steps, and `eval_episodes` if given."""
        num_steps, max_length = self.params["eval_batch_size"], self.params["ep_len"]
        paths, _ = rollouts.sample_trajectories(self.eval_env, policy, num_steps, max_length)
        missing = max(0, self.params.get("eval_episodes", 1) - len(paths))
        return paths + rollouts.sample_n_trajectories(self.eval_env, policy, missing, max_length)

    def _film(self, itr: int, policy: Policy) -> None:
        """Films a few paths into run_dir/videos."""
        paths = rollouts.sample_n_trajectories(
            self.eval_env, policy, 2, self.params["video_len"], render=True
        )
        fps = self.eval_env.metadata.get("render_fps", 30)
        for number, path in enumerate(paths, start=1):
            what, score = f"step_{itr + 1:09d}_episode_{number}", float(path["reward"].sum())
            self.logger.log_video(what, score, path["image_obs"], fps)

    def _draw_curve(self) -> None:
        """Draws learning_curve.png again, unless that would take too much of the time."""
        began = time.monotonic()
        if began >= self.next_picture:
            draw_learning_curve(self.run_dir)
            self.next_picture = began + (time.monotonic() - began) / SAVING_SHARE

    def _save_if_due(self, itr: int) -> bool:
        """Writes a checkpoint if it is time or a stop is asked for; returns whether it did."""
        now = time.monotonic()
        if now >= self.next_look:  # at a disk, not more often than anybody could wait for
            self.next_look = now + 0.2
            if self.stop_file.exists():
                self.stop_requested = f"stopped by {self.stop_file}"
        wanted = self.stop_requested or now >= self.next_checkpoint
        if not wanted:
            return False
        began = time.monotonic()
        self.checkpoints.save(itr + 1, self.state_dict(itr + 1))
        self._save_policy("policy.safetensors")
        now = time.monotonic()
        pause = max(self.params["checkpoint_secs"], (now - began) / SAVING_SHARE)
        self.next_checkpoint = now + pause
        return True

    def _saved_envs(self) -> list[Any]:
        return [envs.layer_with("load_state_dict", one) for one in (self.env, self.eval_env)]

    def state_dict(self, next_itr: int) -> dict[str, Any]:
        """Returns a state tree of everything, from which the run goes on exactly."""
        return {
            "next_itr": next_itr,
            "so_far": (self.total_envsteps, self.best_return, self.best_evaluation),
            "last_losses": {name: float(loss) for name, loss in self.last_losses.items()},
            "seconds": time.monotonic() - self.started,
            "agent": self.agent.state_dict(),
            "envs": [one.state_dict() for one in self._saved_envs()],
            "logger": self.logger.state_dict(),
            "rng": ptu.rng_state(),
        }

    def restore(self) -> bool:
        """Goes back to the last whole checkpoint; returns False if the run has none yet."""
        latest = self.checkpoints.load_latest()
        if latest is None:
            return False
        _, state, warnings = latest
        for warning in warnings:
            tqdm.write(f"warning: {warning}", file=sys.stderr)
        self.first_itr = state["next_itr"]
        self.total_envsteps, self.best_return, self.best_evaluation = state["so_far"]
        self.last_losses = state["last_losses"]
        self.started -= state["seconds"]
        self.agent.load_state_dict(state["agent"])
        for one, its in zip(self._saved_envs(), state["envs"], strict=True):
            one.load_state_dict(its)
        self.logger.load_state_dict(state["logger"])
        ptu.set_rng_state(state["rng"])
        return True

    def _save_policy(self, name: str) -> None:
        """Writes the policy's weights, whole or not at all."""
        ptu.save_tensors(self.agent.policy_state_dict(), self.run_dir / name)

    def _finish(self) -> None:
        """Leaves the final weights and curve; checkpoints have done their work."""
        weights = ptu.weights_in(self.agent.state_dict())
        ptu.save_tensors(weights, self.run_dir / "weights.safetensors")
        draw_learning_curve(self.run_dir)
        self._save_policy("policy.safetensors")  # last: a policy without checkpoints is finished
        self.checkpoints.remove_all()

    def _progress_bar(self, n_iter: int) -> logger.ProgressBar:
        unit = "steps" if self.steps_per_itr == 1 else "iterations"
        warm_up = self.params.get("learning_starts", 0)
        head = [f"run folder: {self.run_dir}"]
        asked, made = self.params["env_name"], getattr(self.env.spec, "id", None)
        if made != asked:
            head.insert(0, f"note: {asked} is no longer shipped; {made} stands for it")
        if warm_up >= n_iter:
            head.append(f"note: nothing is learned in {n_iter} steps: --learning_starts {warm_up}")
        if self.params["eval_freq"] > 0:
            head.append(logger.TABLE_HEAD)
        scores = functools.partial(logger.scores, envs.layer_with("return_queue", self.env))
        return logger.ProgressBar(n_iter, self.first_itr, unit, warm_up, "\n".join(head), scores)


def _path_scalars(prefix: str, paths: list[PathDict]) -> dict[str, float]:
    """Returns the course's scalars of some paths."""
    returns = [float(path["reward"].sum()) for path in paths]
    return logger.summary(prefix, returns, [rollouts.get_pathlength(path) for path in paths])


def set_up(config: RunConfig, *environments: Any) -> None:
    """Chooses the device, and seeds everything random; each environment differently."""
    ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
    for number, env in enumerate(environments):
        env.reset(seed=config.seed + number)
        env.action_space.seed(config.seed + number)


def train(trainer: RL_Trainer, n_iter: int, resume: bool) -> int:
    """Runs or resumes a training run, and tells how it ended; returns 130 if by Ctrl-C, else 0."""
    agent = trainer.agent
    begun = resume and trainer.restore()
    if not begun and trainer.params["load"] is not None:
        ptu.load_weights(agent.state_dict(), Path(trainer.params["load"]) / "weights.safetensors")
    if trainer.run_training_loop(n_iter, agent.actor, agent.eval_policy):
        sys.stderr.write(f"done: see {trainer.run_dir / 'learning_curve.png'}\n")
        return 0
    sys.stderr.write(f"{trainer.stop_requested}; ")
    sys.stderr.write(f"go on with: python {sys.argv[0]} --resume {trainer.run_dir}\n")
    return 130 if trainer.stop_requested == "interrupted" else 0
