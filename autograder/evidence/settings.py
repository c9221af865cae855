"""Whether a run was made with the settings that its question asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autograder.base.text import one_line
from autograder.evidence.rules import RunQuestion
from autograder.evidence.run_folder import Run

Fault = tuple[str, str]  # a misconception's id, and a line about where it is

LEAST_SHARE = 0.9  # of the steps that a question asks for
SAME_THING = ("time_limit",)  # goes with the discount, so a sweep of that may change it too


def total_steps(question: RunQuestion, run: Run) -> int:
    """Returns how many steps or iterations the settings ask for; 0 if they do not say."""
    total = run.settings.get(question.total)
    return total if isinstance(total, int) else 0


def setting_faults(question: RunQuestion, run: Run) -> Iterator[Fault]:
    """Yields what is wrong with a run's settings, one by one."""
    if run.script != question.script:
        yield "evidence.wrong_setting", f"made by {one_line(run.script)}, not by {question.script}"
        return
    env_name = run.settings.get("env_name")
    if env_name not in question.task.names:
        yield "evidence.wrong_setting", f"env_name is {_shown(env_name)}"
    if kwargs := run.settings.get("env_kwargs"):
        yield "evidence.wrong_setting", f"env_kwargs is {_shown(kwargs)}, an easier task perhaps"
    name = evaluation_rule(run)
    least = question.eval_steps if name == "eval_batch_size" else question.eval_episodes
    evaluated = run.settings.get(name)
    if not isinstance(evaluated, int) or evaluated < least:
        line = f"{name} is {_shown(evaluated)}, at least {least} are asked for"
        yield "evidence.wrong_setting", line
    if eval_epsilon(run) is None:
        shown = _shown(run.settings["eval_epsilon"])
        yield "evidence.wrong_setting", f"eval_epsilon is {shown}, no chance from 0 to 1"
    if not question.sweep:
        for name in different(question, run):
            yield "evidence.wrong_setting", f"{name} is {_shown(run.settings.get(name))}"
    yield from _step_faults(question, run)


def eval_epsilon(run: Run) -> float | None:
    """Returns the chance of a random action in a run's evaluations; None if its settings lie.

    Runs of older versions have no such setting: their evaluations drew nothing.
    """
    chance = run.settings.get("eval_epsilon", 0.0)
    valid = isinstance(chance, int | float) and not isinstance(chance, bool) and 0 <= chance <= 1
    return float(chance) if valid else None


def evaluation_rule(run: Run) -> str:
    """Returns the setting by which a run's evaluations ended.

    It is a number of episodes. Runs of earlier versions had whole episodes until there were so many
    steps, and say how many.
    """
    counted = run.settings.get("eval_batch_size") is None
    return "eval_episodes" if counted else "eval_batch_size"


def different(question: RunQuestion, run: Run) -> list[str]:
    """Returns the settings in which a run differs from what is asked for."""
    wanted = question.settings.items()
    allowed = {name: one if isinstance(one, tuple) else (one,) for name, one in wanted}
    return [name for name, values in allowed.items() if run.settings.get(name) not in values]


def _step_faults(question: RunQuestion, run: Run) -> Iterator[Fault]:
    """Compares the steps that the question asks for, those in the settings, and those done."""
    total, last = total_steps(question, run), run.last("Step")
    longest = max(question.steps, question.most_steps)
    if total > longest or last > total:
        most = min(total, longest)
        yield "evidence.too_many_steps", f"{max(total, last):.12g} of at most {most} steps"
    elif total < LEAST_SHARE * question.steps:
        yield "evidence.too_short", f"the settings ask for {total} of {question.steps} steps"
    elif not last >= total:  # it may be no number
        yield "evidence.unfinished", f"{last:.12g} of {total} steps"


def sweep_faults(question: RunQuestion, runs: Sequence[Run]) -> Iterator[Fault]:
    """Yields what is wrong with runs that should differ in one setting alone."""
    varied: set[str] = set()
    for run in runs:
        names = [name for name in different(question, run) if name not in SAME_THING]
        if len(names) > 1:
            yield "evidence.sweep", f"{run.name} changes {', '.join(names)}"
        varied.update(names)
    if len(varied) > 1:
        yield "evidence.sweep", f"together they change {', '.join(sorted(varied))}"
    elif not varied:
        yield "evidence.sweep", "none of them changes anything"
    else:
        (name,) = varied
        values = {_shown(run.settings.get(name)) for run in runs}
        if len(values) < question.runs:
            message = ", ".join(sorted(values))
            yield "evidence.sweep", f"{name} has {len(values)} different values: {message}"


def judged(question: RunQuestion, run: Run) -> Mapping[str, Any]:
    """Returns what makes a run the run it is: its seed and the settings that decide it.

    What is not set is left out, so that it is the same run for rules that ask for more settings.
    Only `load` stays, which gradebooks have.
    """
    names = ("seed", "env_name", *question.settings)
    values = {name: run.settings.get(name) for name in names}
    return {"script": run.script} | {
        n: v for n, v in values.items() if v is not None or n == "load"
    }


def _shown(value: Any) -> str:
    return "missing" if value is None else one_line(repr(value))
