"""Whether a log holds together: with itself, with the settings, and with what its task can give."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.evidence.events import Scalars
from autograder.evidence.rules import Question, Task
from autograder.evidence.run_folder import Run
from autograder.evidence.settings import Fault
from cs285.infrastructure.schedules import PiecewiseSchedule

REL, ABS = 1e-5, 1e-5  # means are written to the last bit; float32 sums and events are coarser
IMPOSSIBLE, CONFIG = "evidence.impossible", "evidence.log_disagrees_with_config"
STATISTICS = ("AverageReturn", "StdReturn", "MaxReturn", "MinReturn", "AverageEpLen")
COMMON = (
    *(f"Train_{name}" for name in STATISTICS),
    *("Train_BestReturn", "Train_EnvstepsSoFar", "TimeSinceStart", "StepsPerSecond"),
)
OF_DQN = ("Exploration_Epsilon", "Num_Param_Updates")
OF_ACTOR_CRITIC = tuple(f"Eval_{name}" for name in STATISTICS)
OF_PORTFOLIO = (*OF_ACTOR_CRITIC, "Best_Member", "Regret")
ALWAYS = ("Step", "Train_EnvstepsSoFar", "TimeSinceStart", "StepsPerSecond")


def log_faults(question: Question, run: Run) -> list[Fault]:
    """Returns what cannot be so in a run's log."""
    with np.errstate(all="ignore"):  # numbers may be as large as they like
        return list(_log_faults(question, run))


def _log_faults(question: Question, run: Run) -> Iterator[Fault]:
    needed = [*COMMON, *(OF_DQN if question.dqn else OF_ACTOR_CRITIC)]
    if question.portfolio:
        needed += [*OF_PORTFOLIO, *_plays(question)]
        run = _learned(run)
    if missing := [name for name in needed if name not in run.log]:
        yield "evidence.missing", f"log.csv has no column {', '.join(missing)}"
        return
    if not np.isfinite(run.last(question.column)):
        yield IMPOSSIBLE, f"the last row has no {question.column}"
    order = list(_order_faults(run))
    yield from order
    # A portfolio logs the losses of who plays, and algorithms do not all have the same.
    yield from _number_faults(run, needed if question.portfolio else list(run.log))
    for kind in ("Train", "Eval"):
        if f"{kind}_AverageReturn" in run.log:
            yield from _return_faults(question.task, run, kind)
    if order:  # what follows from steps would only say the same again
        return
    yield from _best_faults(run)
    if question.portfolio:
        yield from _portfolio_faults(question, run)
    else:
        yield from _dqn_faults(run) if question.dqn else _actor_critic_faults(question, run)


def _learned(run: Run) -> Run:
    """Leaves out the row of the untrained policy, which stands at step 0."""
    rows = slice(1 if run.log["Step"][0] == 0 and len(run.log["Step"]) > 1 else 0, None)
    log = {name: values[rows] for name, values in run.log.items()}
    return dataclasses.replace(run, log=log)


def _order_faults(run: Run) -> Iterator[Fault]:
    for name in ("Step", "Train_EnvstepsSoFar", "TimeSinceStart"):
        values = run.log[name]
        if not np.isfinite(values).all() or values[0] <= 0:
            yield IMPOSSIBLE, f"{name} is not a number above 0 in every row"
            continue
        for _, where in _first(run, np.diff(values, prepend=-np.inf) <= 0):
            yield "evidence.not_monotone", f"{name} does not rise {where}"


def _number_faults(run: Run, whole: Sequence[str]) -> Iterator[Fault]:
    """Infinite numbers, and gaps in columns that are to be whole and once had begun."""
    for name, values in run.log.items():
        wrong = np.isinf(values)
        if name in whole and not name.startswith("Eval_") and name not in ALWAYS:
            begun = np.logical_or.accumulate(np.isfinite(values))
            wrong |= begun & np.isnan(values)
        for row, where in _first(run, wrong):
            yield IMPOSSIBLE, f"{name} is {values[row]} {where}"


def _return_faults(task: Task, run: Run, kind: str) -> Iterator[Fault]:
    """Statistics of episodes that no episodes have, in this task or in any."""
    mean, std, most, least, length = (run.log.get(f"{kind}_{name}") for name in STATISTICS)
    if mean is None or std is None or most is None or least is None or length is None:
        yield "evidence.missing", f"log.csv has not all columns {kind}_..."
        return
    slack = ABS + REL * np.maximum(np.abs(most), np.abs(least))
    steps = length - 1
    rules = {
        "the mean return lies outside of the least and the largest": (mean < least - slack)
        | (mean > most + slack),
        "the spread of returns is larger than their range allows": (std < 0)
        | (std > (most - least) / 2 + slack),
        f"a return is beyond what {task.env_name} gives": (least < task.returns[0] - slack)
        | (most > task.returns[1] + slack),
        f"an episode has no length, or more than {task.longest:,} steps": (length < 1)
        | (length > task.longest),
        "the mean return does not fit the mean length": (
            mean < steps * task.step_rewards[0] + task.end_rewards[0] - slack
        )
        | (mean > steps * task.step_rewards[1] + task.end_rewards[1] + slack),
    }
    if task.quantum:
        rules[f"a score is no multiple of {task.quantum:g}"] = (most % task.quantum != 0) | (
            least % task.quantum != 0
        )
    numbers = np.isfinite(np.stack([mean, std, most, least, length]))
    rules["a row has not all of its five numbers"] = numbers.any(axis=0) & ~numbers.all(axis=0)
    there = numbers.any(axis=0)
    for text, broken in rules.items():
        for _, where in _first(run, broken & there):
            yield IMPOSSIBLE, f"{kind}: {text} {where}"


def _best_faults(run: Run) -> Iterator[Fault]:
    """The best mean, and the speed, follow from other columns."""
    best = np.fmax.accumulate(run.log["Train_AverageReturn"])
    yield from _follows(run, "Train_BestReturn", best, IMPOSSIBLE)
    speed = run.log["Train_EnvstepsSoFar"] / run.log["TimeSinceStart"]
    yield from _follows(run, "StepsPerSecond", speed, IMPOSSIBLE)


def _dqn_faults(run: Run) -> Iterator[Fault]:
    """The chance of a random action and the number of updates follow from the settings."""
    steps, settings = run.log["Step"], run.settings
    yield from _follows(run, "Train_EnvstepsSoFar", steps, CONFIG)
    try:
        schedule = PiecewiseSchedule.parse(str(settings["exploration"]))
        first, every = int(settings["learning_starts"]), int(settings["learning_freq"])
        batch = int(settings["batch_size"])
        calls = steps * int(settings["num_agent_train_steps_per_iter"])
        chance = np.array([schedule.value(call) for call in calls])
        updates = np.maximum(0, np.ceil(calls / every) - np.ceil(first / every))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        yield CONFIG, "the settings of exploration or of learning make no sense"
        return
    yield from _follows(run, "Exploration_Epsilon", chance, CONFIG)
    # The first updates wait until the memory holds a batch.
    counted = run.log["Num_Param_Updates"]
    for row, where in _first(run, ~((counted <= updates) & (counted >= updates - batch - 1))):
        yield CONFIG, f"Num_Param_Updates is {counted[row]:g} {where}"


def _actor_critic_faults(question: Question, run: Run) -> Iterator[Fault]:
    """An iteration takes a batch of steps, and at most the rest of an episode."""
    batch, longest = question.settings["batch_size"], question.task.longest
    taken, iterations = run.log["Train_EnvstepsSoFar"], run.log["Step"]
    broken = (taken < iterations * batch) | (taken > iterations * (batch + longest))
    for row, where in _first(run, broken):
        yield CONFIG, f"Train_EnvstepsSoFar is {taken[row]:.12g} {where}"


def _plays(question: Question) -> list[str]:
    """Returns the columns that count the members' episodes."""
    return [f"Plays_{number}" for number in range(len(question.members))]


def _portfolio_faults(question: Question, run: Run) -> Iterator[Fault]:
    """Members play whole episodes, one after another, and the best of them has played."""
    steps, best, cost = (run.log[name] for name in ("Step", "Best_Member", "Regret"))
    plays = np.stack([run.log[name] for name in _plays(question)])
    yield from _follows(run, "Train_EnvstepsSoFar", steps, CONFIG)
    who = np.where(np.isin(best, np.arange(len(plays))), best, 0).astype(int)
    rules = {
        "a number of episodes is none": ((plays < 0) | (plays % 1 != 0)).any(axis=0),
        "a number of episodes falls": (np.diff(plays, prepend=0) < 0).any(axis=0),
        "the steps are too many for the episodes": steps
        > (plays.sum(axis=0) + 1) * question.task.longest,
        "there are more episodes than steps": plays.sum(axis=0) > steps,
        "Best_Member is no member that has played": (who != best)
        | ((plays[who, np.arange(len(who))] == 0) & (plays.sum(axis=0) > 0)),
        "the regret is below 0": ~(cost >= -ABS - REL * np.fmax.reduce(np.abs(cost))),
    }
    for text, broken in rules.items():
        for _, where in _first(run, broken):
            yield IMPOSSIBLE, f"{text} {where}"


def _follows(run: Run, name: str, wanted: np.ndarray, mistake: str) -> Iterator[Fault]:
    """Compares a column with what follows from others."""
    for row, where in _first(run, ~np.isclose(run.log[name], wanted, REL, ABS, equal_nan=True)):
        told, right = run.log[name][row], wanted[row]
        yield mistake, f"{name} is {told:.6g}, but {right:.6g} follows {where}"


def _first(run: Run, broken: np.ndarray) -> Iterator[tuple[int, str]]:
    """Yields the first row in which something is broken, with its place in words, if any is."""
    for row in np.flatnonzero(broken)[:1]:
        yield int(row), _row(run, int(row))


def event_faults(run: Run, events: Scalars) -> list[Fault]:
    """Compares the log with the TensorBoard events, as far as there are any."""
    disagree, shared = "evidence.log_disagrees_with_events", 0
    for row, step in enumerate(run.log["Step"]):
        for name, values in run.log.items():
            number = events.get((int(step), name)) if np.isfinite(step) else None
            if number is None or not np.isfinite(values[row]):
                continue
            shared += 1
            if not math.isclose(values[row], number, rel_tol=REL, abs_tol=ABS):
                told = f"{name} is {values[row]:.6g} in log.csv and {number:.6g} in the events"
                return [(disagree, f"{told} {_row(run, row)}")]
    return [(disagree, "they have no row in common")] if events and not shared else []


def _row(run: Run, row: int) -> str:
    return f"at step {run.log['Step'][row]:.12g}"
