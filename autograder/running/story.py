"""A story: a whole agent trains in the student's own loop, where nothing is random.

Its file, `homeworks/hwN/stories/NAME.toml`, says how the agent is built, which of its networks and
parts are looked at, and which trainings there are; docs/authoring.md lists the tables. Nothing here
knows an answer: `misconceptions/stories` compares the notes with those of our own agent.
"""

from __future__ import annotations

import functools
import importlib
import operator
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from gymnasium.wrappers import FrameStackObservation

from autograder.base.seen import Crash
from autograder.running import scripted
from autograder.running.crashes import students_line
from autograder.running.declared_cases import value
from autograder.running.declared_words import WORDS, set_weights
from autograder.running.draws import seed_generators
from autograder.running.given_code import lines, owner_of, restored, rewritten
from autograder.running.guard import guarded
from autograder.running.probing import Student, plain_array
from autograder.running.story_notes import MOST_ROWS, Find, Notes
from autograder.running.story_numbers import joint_digest
from autograder.running.story_parts import noted, parts_of
from autograder.running.story_traces import (
    AS_GIVEN,
    BECAUSE,
    BEHIND,
    FIRST,
    KINDS,
    RAISED_IN,
    REWRITTEN,
)
from autograder.source.submission import forget_package

MOST_SECONDS = 12.0  # of the processor, for a training; it takes about one
PARAMS = {
    "video_log_freq": -1, "video_len": 10, "checkpoint_secs": 1e9, "target_return": None,
    "save_params": None, "eval_episodes": 2, "seed": 5, "ep_len": 2**31, "eval_freq": 25,
    "scalar_log_freq": 5,
}  # fmt: skip
"""What every trainer has; no path ends by its length."""
USUAL = {
    "actions": "components", "ends": (), "updates": 1, "size": 1.0, "level": 0.0, "pay": 1.0,
    "frames": False, "free": False, "noted": MOST_ROWS, "trainer": {}, "settings": {},
}  # fmt: skip
"""What every training has, unless its file says otherwise."""
SCORES = ("Train_AverageReturn", "Train_EnvstepsSoFar", "Eval_AverageReturn")


@dataclass(frozen=True)
class StoryOptions:
    """The keys of [story].

    Attributes:
        agent: "module:expression", which builds it; the expression sees the module's names, those
            of `doubles`, `env`, and the keys of a training.
        doubles: A module of ours.
        noise: Whether `torch.randn_like` plays from a list.
        draws: What the memory draws from a list: "rows", "frames", or "" for nothing.
        plays: Whether training plays actions from a list, and not the actor's.
        at_end: An expression: what is noted when the training is over.
        decides: Further streams by which an agent is right or wrong.
        log: Names that its log must have.
    """

    agent: str
    log: Sequence[str]
    doubles: str = ""
    noise: bool = False
    draws: str = ""
    plays: bool = False
    at_end: str = ""
    decides: Sequence[str] = ()


class Story:
    """One agent and its trainings, as its file declares them; it has the functions of a probe."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        """Takes the tables of its file that hold no answer."""
        self.how = StoryOptions(**tables["story"])
        self.networks: Mapping[str, Mapping[str, Any]] = tables["networks"]
        self.parts = parts_of(tables["parts"])
        usual = USUAL | tables.get("usual", {})
        self.trainings = {name: case_of(usual, own) for name, own in tables["trainings"].items()}

    def cases(self, seed: int) -> Mapping[str, Any]:
        """Returns what is tried. The seed has no part in it: the numbers were chosen with care."""
        return self.trainings

    def observe(self, student: Student, case: Any) -> Mapping[str, Any]:
        """Trains the student's agent; what is noted before a crash stays."""
        notes = Notes([part.name for part in self.parts], case.noted)
        try:
            self.train(student, case, notes)
        finally:
            if notes.raised_in:
                notes.note(RAISED_IN, [notes.parts[notes.raised_in]])
            arrays = notes.arrays()
            free = (BEHIND, KINDS, RAISED_IN)  # of a free training, no numbers are compared
            behind = {name: array for name, array in arrays.items() if name.endswith(free)}
            student.notes |= behind if case.free else arrays
        return {}

    def probe(self, student: Student, seed: int) -> None:
        """Tries all trainings up to a crash.

        Where given code was altered, all is tried with that as it was given as well. Where it was
        rewritten together with a blank, a difference may be an older handout's: only a crash in a
        blank counts.
        """
        tree, touched = student.finder.tree, student.finder.touched
        self._try_all(student)
        if rewritten(tree, touched):
            student.seen = student.seen.within(student.seen.crashes)
            for name in student.seen.crashes:
                student.seen.arrays[f"{name}/{REWRITTEN}"] = np.zeros((1, FIRST))
        elif texts := restored(tree, touched):
            original = tree.student
            forget_package()
            with patch.object(tree, "student", lambda path: texts.get(path) or original(path)):
                self._try_all(student, AS_GIVEN)
            forget_package()

    def _try_all(self, student: Student, ending: str = "") -> None:
        """Tries one training after the other, until one crashes or does not end.

        After a free one, which has no numbers, others may show whose fault a crash is.
        """
        for training, case in self.trainings.items():
            name = f"{training}{ending}"

            def experiment(record: dict[str, Any], case: Any = case) -> None:
                student.notes = record
                self.observe(student, case)

            with guarded(MOST_SECONDS):
                crash = student.try_out(name, experiment)
            if crash is None:
                continue
            arrays = student.seen.of(name)
            student.seen.drop(name)
            if crash.never_ends and not case.free:  # what is right may be slow
                return
            if crash.blank or crash.on_import:
                continue  # another check reports that
            blank = self._line_of(student, crash, student.errors[name])
            if blank is None:
                arrays.pop(RAISED_IN, None)
            student.seen.put(f"{name}{BECAUSE}{blank or ''}", arrays, crash)
            if not case.free:
                return

    def _line_of(self, student: Student, crash: Crash, error: BaseException) -> str | None:
        """Returns the blank on whose line something was raised, or "" for a line that was given.

        None: a line of given code that was changed, which is no part's; or a library complains of a
        number that is none, which may come from anywhere.
        """
        tree = student.finder.tree
        frames = list(traceback.walk_tb(error.__traceback__))[::-1]
        own = bool(students_line(frames[:1], str(tree.package)))
        if re.search(r"\bnan\b", crash.text) and not own:
            return None
        blank, line = owner_of(tree, frames)
        changed = line and line["source"] not in map(str.strip, lines(tree.handout(line["file"])))
        return None if changed and not blank else blank

    def train(self, student: Student, case: Any, notes: Notes) -> None:
        """Builds everything, and lets the student's own loop run."""
        torch.set_grad_enabled(True)  # in case an earlier training has switched it off for good
        seed_generators(5)
        env = scripted.noted_environment("steps", case, notes)
        eval_env = scripted.noted_environment("evaluation", case, notes)
        if case.frames:
            eval_env = FrameStackObservation(eval_env, 4, padding_type="zero")
        noise = scripted.listed_noise() if self.how.noise else torch.randn_like
        with patch.object(torch, "randn_like", noise), noted(self.parts, notes, self.doubles):
            agent = self.build(student, env, case)
            if self.how.draws and not case.free:
                getattr(scripted, f"script_{self.how.draws}")(agent)
            self._watch(agent, notes)
            trainer = self._trainer(student, agent, (env, eval_env), case, notes)
            notes.owners.append(trainer)
            if self.how.plays and not case.free:  # in the actor: a student may collect with that
                asked = agent.actor.get_action
                listed = scripted.Actions(env.action_space, asked, notes.note)
                agent.actor.get_action = listed.get_action
            trainer.run_training_loop(case.iterations, agent.actor, agent.eval_policy)
            vars(agent.actor).pop("get_action", None)
            if self.how.at_end and not case.free:
                value(self.how.at_end, {**self.doubles, "agent": agent, "note": notes.note})
            notes.note("kept", [notes.keeps_more])

    @functools.cached_property
    def doubles(self) -> Mapping[str, Any]:
        """The words of expressions: ours, and those of the file's own module."""
        where = self.how.doubles
        return {**WORDS, **(vars(importlib.import_module(f"autograder.{where}")) if where else {})}

    def build(self, student: Student, env: Any, case: Any) -> Any:
        """Returns the student's agent with fixed weights: values have a size and a level."""
        module, _, text = self.how.agent.partition(":")
        names = {**vars(student.module(module)), **self.doubles, "module": student.module}
        agent = value(text, {**names, **vars(case), "case": case, "env": env})
        for name, one in self.networks.items():
            network = self._find(agent, name)()
            if network is not None and "as" in one:
                network.load_state_dict(self._find(agent, one["as"])().state_dict())
            elif network is not None:
                scale = (case.size, case.level) if one.get("scaled") else ()
                set_weights(network, one["seed"], *scale)
        return agent

    def _find(self, agent: Any, network: str, key: str = "at") -> Find:
        """Returns what looks up a network, or its optimizer, as it is at that time."""
        return functools.partial(operator.attrgetter(self.networks[network][key]), agent)

    def _watch(self, agent: Any, notes: Notes) -> None:
        """Notes each call of `train` from now on: its batch, and all networks after it."""
        holders = {name: one for name, one in self.networks.items() if "optimizer" in one}
        notes.look_at(
            {name: self._find(agent, name) for name in self.networks},
            {name: self._find(agent, name, "optimizer") for name in holders},
        )
        owners = [getattr(agent, name, None) for name in ("critic", "actor")]
        notes.owners = [agent, *(owner for owner in owners if owner is not None)]
        original = agent.train

        def train(*args: Any, **kwargs: Any) -> Any:
            batch = [plain_array(one) for one in [*args, *kwargs.values()]]
            notes.note("batch", joint_digest(batch))
            notes.open.append("")  # given code: what its parts are given is no blank's
            log = original(*args, **kwargs)
            notes.open.pop()
            notes.end_update()
            return log

        agent.train = train

    def _trainer(
        self, student: Student, agent: Any, envs: tuple[Any, Any], case: Any, notes: Notes
    ) -> Any:
        """Returns the student's trainer, which writes rows of its log here and nothing to disk."""
        run, sizes = (
            scripted.Nothing(),
            dict.fromkeys(("batch_size", "train_batch_size"), case.batch),
        )

        def write_row(step: int, row: Mapping[str, float], *_: Any) -> None:
            scores = [row.get(name, 0.0) for name in SCORES]  # nan before the first episode ends
            notes.note("log", [*(name in row for name in self.how.log), *np.nan_to_num(scores)])

        run.write_row = write_row
        sizes["num_agent_train_steps_per_iter"] = case.updates
        module = student.module("infrastructure.rl_trainer")
        with patch.object(module, "RunFolder", lambda *_, **__: run):
            return module.RL_Trainer(PARAMS | sizes | case.trainer, agent, *envs, Path())


def case_of(usual: Mapping[str, Any], own: Mapping[str, Any]) -> SimpleNamespace:
    """Returns a training: what it says in place of the usual; of tables, all that both say."""
    both = {n: usual[n] | one for n, one in own.items() if isinstance(usual.get(n), dict)}
    return SimpleNamespace(**{**usual, **own, **both})
