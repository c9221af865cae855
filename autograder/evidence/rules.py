"""What a homework asks of handed-in runs: the types in which its rules are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Task:
    """An environment, as the judge knows it.

    Attributes:
        env_name: What the judge makes it by.
        names: The ids by which settings may call it.
        ob_dim: Components of an observation; 0 for images.
        ac_dim: Actions, or components of an action.
        discrete: Whether actions are choices.
        longest: Most steps of an episode.
        step_rewards: Least and most reward of a step that does not end the episode.
        end_rewards: The same of the last step.
        returns: Least and most return of an episode; wide, since beyond it a log is a lie.
        random: What random play returns, about.
        quantum: Every return is a multiple of this; 0 where returns are any number.
    """

    env_name: str
    names: tuple[str, ...]
    ob_dim: int
    ac_dim: int
    discrete: bool
    longest: int
    returns: tuple[float, float]
    random: float
    step_rewards: tuple[float, float] = (-1e9, 1e9)
    end_rewards: tuple[float, float] = (-1e9, 1e9)
    quantum: float = 0.0

    @property
    def images(self) -> bool:
        """Whether observations are stacks of frames."""
        return self.ob_dim == 0


@dataclass(frozen=True)
class Play:
    """How much the judge plays with handed-in weights.

    Attributes:
        first: Episodes of a first look.
        more: Episodes in all where the first look makes the claim doubtful.
        steps: No episode begins after so many steps, of both together.
    """

    first: int
    more: int
    steps: int


@dataclass(frozen=True)
class Question:
    """One check of handed-in runs.

    Attributes:
        id: Such as "hw3.runs.q2_dqn".
        title: What is run, in a few words.
        points: What it counts, on a board of its own.
        folders: Patterns of the run folders' names; the course's prefixes.
        script: Which script makes them.
        task: Their environment.
        settings: Setting -> what it must be, or a tuple of what it may be.
        steps: Iterations (actor-critic) or environment steps (all others) of a run.
        play: How much the judge plays.
        runs: How many right runs it takes, of different seeds.
        column: Which column of the log is the curve.
        reach: What the curve must reach at some time; None where the question promises nothing.
        peak: What the curve of at least one of the runs must reach.
        hold: What it must be at its end.
        holds: How many runs' weights must reach what was logged while they learned. One set of
            weights may fall far below the mean of those around it, all of them hardly ever do.
        proof: What the weights of one of the runs must reach, whatever the log claims.
        eval_steps: Least steps of an evaluation: a claim of fewer episodes is likely by chance.
        sweep: Whether the runs are to differ in one setting, instead of in seeds.
    """

    id: str
    title: str
    points: int
    folders: tuple[str, ...]
    script: str
    task: Task
    settings: Mapping[str, Any]
    steps: int
    play: Play
    runs: int = 1
    column: str = "Train_AverageReturn"
    reach: float | None = None
    peak: float | None = None
    hold: float | None = None
    holds: int = 1
    proof: float | None = None
    eval_steps: int = 400
    sweep: bool = False

    @property
    def dqn(self) -> bool:
        """Whether its agent is DQN."""
        return self.script.endswith("dqn")

    @property
    def portfolio(self) -> bool:
        """Whether its agent is a portfolio of others; else, and if it is no DQN, actor-critic."""
        return self.script == "run_hw6"

    @property
    def members(self) -> tuple[str, ...]:
        """The algorithms of a portfolio's members, in order."""
        words = str(self.settings["members"]).split(",")
        return tuple(word.partition(":")[0] for word in words)
