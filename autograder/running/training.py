"""Trains a student's agent in the student's own loop, where nothing is random, and notes all of it.

A homework declares an agent as a `Beside`, with a few trainings of it:

    DQN = Beside(agent=build, parts=PARTS, networks={...}, trained={...}, log=("Training Loss",))

Its functions `cases` and `observe` are those of a probe, so `experiments` runs it as any other, for
the student and for ours; `probe` is for the student alone. Nothing here knows an answer.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import gymnasium as gym
import numpy as np
import torch
from gymnasium.wrappers import FrameStackObservation, RecordEpisodeStatistics

from autograder.base.record import Trial
from autograder.running import scripted
from autograder.running.as_given import restored, rewritten
from autograder.running.blame import BECAUSE, Contract, culprit
from autograder.running.draws import seed_generators
from autograder.running.guard import guarded
from autograder.running.probing import Student
from autograder.running.scripted import Actions, Ends, ScriptedEnv
from autograder.running.streams import Streams, WeightSketch, joint_digest
from autograder.running.traces import AS_GIVEN, CONTRACT
from autograder.running.watching import Part, Trained, Watch, watched
from autograder.source.submission import forget_package

MOST_SECONDS = 12.0  # of the processor, for a training; it takes about one
FREE_SECONDS = 4.0  # for a free one; it takes a tenth
NEVER = {"video_log_freq": -1, "video_len": 10, "checkpoint_secs": 1e9}
EVALUATIONS = {"eval_episodes": 2, "seed": 5}
BATCH = ("ob_no", "ac_na", "re_n", "next_ob_no", "terminal_n")


def _counting(streams: Streams, updates_due: Callable[[], int]) -> Callable[[], int]:
    """Returns an agent's `updates_due` that notes a step without an update: it counts, too."""

    def counted() -> int:
        updates = updates_due()
        if not updates:
            streams.note("batch", joint_digest([()] * len(BATCH)))
            streams.next()
        return updates

    return counted


class _NoFolder:
    """The folder of a run that writes nothing: whatever is asked of it, it does nothing."""

    write_row: Callable[..., None]

    def __getattr__(self, name: str) -> _NoFolder:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> _NoFolder:
        return self

    def __enter__(self) -> _NoFolder:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def watched(self, env: Any) -> Any:
        """Returns the environment as it is."""
        return env

    def save_if_due(self, *_: object) -> bool:
        """Returns that nobody asks for a stop."""
        return False


@dataclass(frozen=True)
class Training:
    """One training of an agent.

    Attributes:
        iterations: Of the trainer's loop.
        sizes: The trainer's settings that matter.
        settings: The agent's settings, for whoever builds it.
        ends: The episodes of both worlds.
        pay: The size of rewards.
        frames: Whether observations are images, stacked by fours, or else vectors.
        discrete: Whether an action is one choice, or else has two components.
        noted: How many calls of each world are noted; enough for all but long paths.
        free: Whether the agent acts and draws as it likes. So it must run, and is not compared.
    """

    iterations: int
    sizes: Mapping[str, int]
    settings: Mapping[str, Any]
    ends: Ends
    pay: float = 1.0
    frames: bool = False
    discrete: bool = True
    noted: int = 1000
    free: bool = False

    @property
    def history(self) -> int:
        """Frames in an observation."""
        return 4 if self.frames else 1


@dataclass(frozen=True)
class Beside:
    """An agent that is trained beside ours.

    Attributes:
        trainings: What is tried, by the names that students read.
        agent: Builds the student's agent in an environment, with fixed weights.
        parts: What is watched of it.
        networks: Stream -> where the agent has a network; compared after each call of `train`.
        trained: Name -> where the agent has the object with an optimizer ("": it is the agent
            itself), and that network.
        log: The documented names in the log.
        script: Lets the agent's memory draw from a script.
        scripted_actions: Whether training plays actions from a list; else the agent's own choices,
            which are not random then.
        contracts: What its parts promise each other, see `blame`.
        at_end: Notes more when the training is over.
    """

    trainings: Mapping[str, Training]
    agent: Callable[[Student, gym.Env[Any, Any], Training], Any]
    parts: Sequence[Part]
    networks: Mapping[str, str]
    trained: Mapping[str, tuple[str, str]]
    log: tuple[str, ...]
    script: Callable[[Any], None] = lambda agent: None
    scripted_actions: bool = False
    contracts: Sequence[Contract] = ()
    at_end: Callable[[Any, Streams], None] = field(default=lambda agent, streams: None)

    def cases(self, seed: int) -> Mapping[str, Training]:
        """Returns what is tried. The seed has no part in it: the numbers were chosen with care."""
        return self.trainings

    def observe(self, student: Student, case: Training) -> dict[str, np.ndarray]:
        """Trains the student's agent; returns its streams."""
        streams = Streams()
        try:
            self._train(student, case, streams)
        except BaseException:  # what was seen before a crash stays
            student.notes.update(streams.arrays())
            raise
        return {} if case.free else streams.arrays()

    def probe(self, student: Student, seed: int) -> None:
        """Tries all up to a crash; finds the blank whose fault that is.

        Where given code was altered, all is tried with that as it was given as well. Where it was
        rewritten together with a blank, a difference may be an older handout's: only a crash in a
        blank counts.
        """
        cases = self.cases(seed)
        all_ran = all(self._try(student, name, case) for name, case in cases.items())
        tree = student.finder.tree
        if rewritten(tree, student.finder.touched):
            crashed = {n: t for n, t in student.trials.items() if t.crash}
            student.trials.clear()
            student.trials.update({n: t for n, t in crashed.items() if not n.endswith(BECAUSE)})
            return
        texts = restored(tree, student.finder.touched)
        if not (all_ran and texts):
            return
        original = tree.student
        forget_package()
        with patch.object(tree, "student", lambda path: texts.get(path) or original(path)):
            for name, case in cases.items():
                if not case.free:
                    self._try(student, f"{name}{AS_GIVEN}", case)
        forget_package()

    def _try(self, student: Student, name: str, case: Training) -> bool:
        """Tries one training; returns whether another one may say more."""

        def experiment(record: dict[str, Any]) -> None:
            student.notes = record
            record.update(self.observe(student, case))

        with guarded(FREE_SECONDS if case.free else MOST_SECONDS):
            trial = student.try_out(name, experiment)
        crash = trial.crash
        if crash is None:
            return True
        error = student.errors[name]
        del student.trials[name]
        if crash.never_ends and not case.free:  # what is right may be slow
            return False
        if crash.blank or crash.on_import or not crash.file or name.endswith(AS_GIVEN):
            return True
        blank, line, why = culprit(student, experiment, self.contracts, crash, error)
        if crash.never_ends and not blank:
            return False
        if why:
            trial.arrays[CONTRACT] = np.ones(1)
        with_why = replace(crash, **line, text=crash.text + why)
        student.trials[f"{name}{BECAUSE}{blank}"] = Trial(trial.arrays, with_why)
        return False

    def _train(self, student: Student, case: Training, streams: Streams) -> None:
        """Builds everything, and lets the student's own loop run."""
        torch.set_grad_enabled(True)  # in case an earlier training has switched it off for good
        seed_generators(5)
        observations = scripted.FRAMES if case.frames else scripted.VECTORS
        actions = scripted.CHOICE if case.discrete else scripted.COMPONENTS

        def environment(name: str, ends: Ends) -> ScriptedEnv:
            def note(call: list[float]) -> None:
                if len(streams.rows.get(name, ())) == case.noted:
                    return
                acts = call[1:] if name == "steps" else [0.0]  # an evaluation may draw actions
                streams.note(name, [call[0], *acts])

            return ScriptedEnv(observations, actions, ends, case.pay, note)

        env: Any = RecordEpisodeStatistics(environment("steps", case.ends), buffer_length=100)
        eval_env: Any = environment("evaluation", case.ends[::-1])
        if case.history > 1:
            eval_env = FrameStackObservation(eval_env, case.history, padding_type="zero")
        watch = Watch(streams)
        with watched(self.parts, watch):
            agent = self.agent(student, env, case)
            if not case.free:
                self.script(agent)
            self._note_training(agent, watch)
            trainer = self._trainer(student, agent, (env, eval_env), case, streams)
            watch.owners = {**watch.owners, "trainer": trainer}
            # In the actor, for a student may collect with that.
            if self.scripted_actions and not case.free:
                asked = agent.actor.get_action
                agent.actor.get_action = Actions(actions, asked, streams.note).get_action
            trainer.run_training_loop(case.iterations, agent.actor, agent.eval_policy)
            vars(agent.actor).pop("get_action", None)
            streams.note("kept", [watch.keeps_more])
            self.at_end(agent, streams)

    def _trainer(
        self, student: Student, agent: Any, envs: tuple[Any, Any], case: Training, streams: Streams
    ) -> Any:
        """Returns the student's trainer, which writes rows of its log here and nothing to disk."""

        def write_row(step: int, row: Mapping[str, float], *_: Any) -> None:
            streams.note("log", [name in row for name in self.log])
            names = ("Train_AverageReturn", "Train_EnvstepsSoFar", "Eval_AverageReturn")
            scores = [row.get(name, 0.0) for name in names]  # nan before the first training episode
            streams.note("returns", list(np.nan_to_num(scores)))

        module = student.module("infrastructure.rl_trainer")
        never = dict.fromkeys(("target_return", "save_params"))
        run = _NoFolder()
        run.write_row = write_row
        once = {"num_agent_train_steps_per_iter": 1}
        params = {**NEVER, **EVALUATIONS, **never, **once, **case.sizes}
        with patch.object(module, "RunFolder", lambda *_, **__: run):
            return module.RL_Trainer(params, agent, *envs, Path())

    def _note_training(self, agent: Any, watch: Watch) -> None:
        """Notes each call of `train` from now on: its batch, and all networks after it."""
        streams, find = watch.streams, operator.attrgetter
        # Of an agent without a critic, what follows from one is not noted.
        networks = {n: p for n, p in self.networks.items() if find(p)(agent) is not None}
        sketches = {name: WeightSketch(find(place)(agent)) for name, place in networks.items()}
        trained = {}
        for name, (owner, place) in self.trained.items():
            network = find(place)(agent)
            if network is None:
                continue
            now = functools.partial(find(place), agent)
            whose = find(owner)(agent) if owner else agent
            trained[name] = Trained(whose, network, now, WeightSketch(network))
        original = agent.train

        def train(*args: Any, **kwargs: Any) -> Any:
            named = dict(zip(BATCH, args, strict=False)) | kwargs
            streams.note("batch", joint_digest([named.get(name, ()) for name in BATCH]))
            log = original(*args, **kwargs)
            streams.end()
            for name, place in networks.items():
                streams.note(name, sketches[name].of(find(place)(agent)))
            streams.next()
            watch.weigh()
            return log

        agent.train, agent.updates_due = train, _counting(streams, agent.updates_due)
        owners = {n: p for n in ("critic", "actor") if (p := getattr(agent, n, None)) is not None}
        watch.begin({"agent": agent, **owners}, trained)
