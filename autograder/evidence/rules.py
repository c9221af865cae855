"""The questions that a homework asks of handed-in runs, from its `evidence_rules.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.base import checks as homeworks


@dataclass(frozen=True)
class Task:
    """An environment, as the judge knows it."""

    env_name: str  # what the judge makes it by
    names: tuple[str, ...]  # the ids by which settings may call it
    ob_dim: int  # components of an observation; 0 for images
    ac_dim: int  # actions, or components of an action
    discrete: bool  # whether actions are choices
    longest: int  # most steps of an episode
    # Least and most return of an episode; wide, since nobody may claim more.
    returns: tuple[float, float]
    random: float  # what random play returns, about

    @property
    def images(self) -> bool:
        """Whether observations are stacks of frames."""
        return self.ob_dim == 0


@dataclass(frozen=True)
class Play:
    """How much the judge plays with handed-in weights."""

    first: int  # episodes of a first look
    more: int  # episodes in all where the first look makes the claim doubtful
    steps: int  # no episode begins after so many steps, of both together


@dataclass(frozen=True)
class RunQuestion:
    """One check of handed-in runs."""

    id: str  # such as "hw3.runs.q2_dqn"
    title: str  # what is run, in a few words
    points: int  # what it counts, on a board of its own
    folders: tuple[str, ...]  # patterns of the run folders' names; the course's prefixes
    script: str  # which script makes them
    task: Task  # their environment
    settings: Mapping[str, Any]  # setting -> what it must be, or a tuple of what it may be
    steps: int  # iterations ("pg" and "ppo") or environment steps of a run
    play: Play  # how much the judge plays
    # The kind of agent. "pg": its policy is drawn from; "ppo": its most likely action is played, so
    # TRPO is one too; "dqn", "ddpg", "sac"; "portfolio": of several. TD3's weights are DDPG's.
    agent: str = "pg"
    most_steps: int = 0  # where a longer run is welcome: of the longest; 0 for no longer one
    runs: int = 1  # how many right runs it takes, of different seeds
    column: str = "Train_AverageReturn"  # which column of the log is the curve
    # The number that the curve must reach at some time; None where the question promises nothing.
    reach: float | None = None
    peak: float | None = None  # what the curve of at least one of the runs must reach
    hold: float | None = None  # what it must be at its end
    # How many runs' weights must reach what was logged while they learned. One set of weights may
    # fall far below the mean of those around it, all of them hardly ever do.
    holds: int = 1
    # The mean that the weights of one of the runs must reach, whatever the log claims.
    proof: float | None = None
    # Least episodes of an evaluation, and least steps for runs of earlier versions, which counted
    # these: a claim of fewer is likely by chance.
    eval_episodes: int = 10
    eval_steps: int = 400
    sweep: bool = False  # whether the runs are to differ in one setting, instead of in seeds

    @property
    def dqn(self) -> bool:
        """Whether its agent is DQN."""
        return self.agent == "dqn"

    @property
    def portfolio(self) -> bool:
        """Whether its agent is a portfolio of others."""
        return self.agent == "portfolio"

    @property
    def kinds(self) -> str:
        """What its runs are called where they are counted."""
        return "runs" if self.sweep or self.runs == 1 else "runs of different seeds"

    def count(self, seeds: Sequence[int]) -> int:
        """Returns how many runs with these seeds count: a seed once, unless a setting varies."""
        return len(seeds) if self.sweep else len(set(seeds))

    @property
    def total(self) -> str:
        """The setting that says how long a run is."""
        return "n_iter" if self.agent in ("pg", "ppo") else "num_timesteps"

    @property
    def members(self) -> tuple[str, ...]:
        """The algorithms of a portfolio's members, in order."""
        words = str(self.settings["members"]).split(",")
        return tuple(word.partition(":")[0] for word in words)


def questions(homework: str) -> tuple[RunQuestion, ...]:
    """Returns the questions that a homework asks of handed-in runs; () if it asks none.

    A row of `questions` has the fields of a `RunQuestion`: its task is one of `tasks`, and its
    settings are joined from parts, some of them in `settings`. `why` is for who changes a number.

    Raises:
        autograder.base.text.UnknownHomeworkError: If there is no such homework.
    """
    homeworks.checks(homework)
    file = Path(__file__).parent.parent / "homeworks" / homework / "runs" / "evidence_rules.json"
    if not file.is_file():
        return ()
    plain = json.loads(file.read_text(encoding="utf-8"), object_hook=_with_tuples)
    tasks = {name: Task(**fields) for name, fields in plain["tasks"].items()}
    found = []
    for row in plain["questions"]:
        row.pop("why", None)
        settings: dict[str, Any] = {}
        for part in row["settings"]:
            settings |= plain["settings"][part] if isinstance(part, str) else part
        whole = {"task": tasks[row["task"]], "settings": settings, "play": Play(*row["play"])}
        found.append(RunQuestion(**{**row, **whole}))
    return tuple(found)


def _with_tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(one) if isinstance(one, list) else one for key, one in fields.items()}
