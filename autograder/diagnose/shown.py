"""Prints a diagnosis for a student, in 80 columns, and gives the same to machines."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from autograder.base.text import one_line
from autograder.diagnose.findings import Evidence, Finding, of_column
from autograder.diagnose.illnesses import LOSSES
from autograder.diagnose.record import RunRecord
from autograder.grading.explained import WIDTH

BLOCKS, PLAIN = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588", "_.-~=+*#"
POINTS, NAME = 16, 22  # columns of a plot, and of a name
LOOKED_AT = (
    *("Train_AverageReturn", "Eval_AverageReturn", *LOSSES, "Exploration_Epsilon"),
    *("Clip_Fraction", "Explained_Variance", "Num_Param_Updates"),
)


def sparkline(values: Sequence[float], levels: str) -> str:
    """Draws numbers as one character each, the mean of its share of them; lowest to highest."""
    if not len(values):
        return ""
    parts = np.array_split(np.asarray(values), min(POINTS, len(values)))
    with np.errstate(all="ignore"):
        means = np.array([part.mean() for part in parts])
        spread = np.ptp(means)
    if not (spread > 0 and np.isfinite(spread)):
        return levels[0] * len(means)
    places = ((means - means.min()) / spread * (len(levels) - 1)).round().astype(int)
    return "".join(levels[place] for place in places)


def head(record: RunRecord) -> str:
    """Returns what was looked at, in two lines."""
    rows, task = len(record.run.log["Step"]), str(record.run.settings.get("env_name"))
    if kwargs := record.run.settings.get("env_kwargs"):
        task += f" {json.dumps(kwargs)}"
    what = f"{record.agent.name or one_line(record.run.script)} on {one_line(task)}"
    count = len(record.nets)
    nets = f"{count} network{'s' * (count > 1)}" if count else "no weights"
    unit = "iteration" if record.agent.on_policy else "step"
    plural, end = "s" * (rows != 1), "" if record.finished else ", not finished"
    last = f"{unit} {record.most('Step'):,.0f}"
    message = f"{what}: {rows} row{plural} of log.csv up to {last}, {nets}{end}"
    return "\n".join([*textwrap.wrap(record.run.name, WIDTH), *textwrap.wrap(message, WIDTH)])


def lines(record: RunRecord, found: Sequence[Finding], levels: str) -> Iterator[str]:
    """Yields the page: the findings, or that there is none, and the numbers looked at."""
    yield head(record)
    for remark in [*moment(record), *record.remarks]:
        yield wrapped(f"Note: {remark}.")
    if record.waits:
        yield "\n" + wrapped(begins(record))
        return
    for number, finding in enumerate(found, 1):
        yield "\n" + "\n".join(finding_lines(number, finding, found, levels))
    if not found:
        yield "\nNothing is found. The numbers looked at, from the first row to the last:\n"
        evidence = [of_column(record, name) for name in LOOKED_AT if len(record.column(name))]
        yield "\n".join(line for one in evidence for line in evidence_lines(one, levels))
        yield "\n" + wrapped(advice(record))


def begins(record: RunRecord) -> str:
    """Returns when learning begins, for a run that has not learned from anything yet."""
    rows, settings = len(record.run.log["Step"]), record.run.settings
    if record.agent.on_policy:
        steps = record.setting("batch_size")
        return (
            f"Learning has not begun: it begins with the first batch, of {steps:,.0f} steps. "
            "Until then there is nothing to diagnose."
        )
    known = "Learning has not begun: it" if rows or record.step else "There is no row yet. Learning"
    here = f", and the run is at step {record.step:,.0f}" if rows or record.step else ""
    flag = "--learning_starts" if settings.get("learning_starts") else "the first batch"
    text = f"{known} begins after step {record.begins:,.0f} ({flag}){here}."
    first = record.setting("scalar_log_freq")
    if not rows and first > 0:
        text += f" The first row comes at step {first:,.0f}."
    return f"{text} Until then there is nothing to diagnose."


def moment(record: RunRecord) -> Iterator[str]:
    """Yields what a reader must know of where the run is."""
    random = record.random_until
    if record.step <= random:
        until = f"all actions are random until step {random:,.0f} (--start_steps)"
        yield f"{until}, so returns cannot rise yet"


def advice(record: RunRecord) -> str:
    """Returns what to do where nothing is found."""
    if record.gain >= 1:
        return "The returns rise: by all these numbers, it learns."
    if math.isnan(record.gain):
        return "The log contains too few returns to say whether it learns: let it run on."
    begin = (
        "The returns have not risen by more than early episodes differ from each other. That is no "
        "illness: many tasks need more steps."
    )
    evaluations = record.column("Eval_AverageReturn")
    if record.gain <= -1 and (evaluations[-1:] <= evaluations[:1]).all():
        begin = "The returns fall, and none of these numbers says why; early on it may be chance."
    return (
        f"{begin} If it stays so, compare with a command of the handout and several seeds, and "
        "let `python -m autograder check` look at the code: a wrong sign leaves numbers like these."
    )


def finding_lines(
    number: int, finding: Finding, found: Sequence[Finding], levels: str
) -> Iterator[str]:
    """Yields the lines of one finding."""
    title = textwrap.wrap(f"{number}. {finding.words.title}", WIDTH - 12, subsequent_indent="   ")
    yield f"{title[0]:<{WIDTH - 10}}{finding.sure:>10}"
    yield from title[1:]
    if finding.after:
        cause = 1 + [other.name for other in found].index(finding.after)
        yield f"   Probably follows from {cause}: fix that first, and run again."
    for one in finding.evidence:
        yield from evidence_lines(one, levels, "   ")
    yield wrapped(finding.words.look, "   Look next: ", "   ")
    if finding.words.source:
        yield wrapped(finding.words.source, "   Read: ", "   ")


def evidence_lines(evidence: Evidence, levels: str, indent: str = "") -> list[str]:
    """Returns name, plot and words in columns."""
    plot = f"{sparkline(evidence.values, levels):<{POINTS}}  " if evidence.values else ""
    first = f"{indent}{one_line(evidence.name):<{NAME}} {plot}"
    return textwrap.wrap(
        one_line(evidence.message), WIDTH, initial_indent=first, subsequent_indent=" " * len(first)
    )


def wrapped(text: str, first: str = "", indent: str = "") -> str:
    """Returns a text in lines of `WIDTH`."""
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=indent)


def for_page(found: Sequence[Finding]) -> list[dict[str, Any]]:
    """Returns the findings as the page of a run shows them."""
    return [
        {
            "title": finding.words.title,
            "sure": finding.sure,
            "evidence": [f"{e.name}: {e.message}" for e in finding.evidence],
            "look": finding.words.look,
            "source": finding.words.source,
        }
        for finding in found
    ]


def as_dict(record: RunRecord, found: Sequence[Finding]) -> dict[str, Any]:
    """Returns the documented layout, see docs/autograder.md."""
    findings = [
        {
            "name": finding.name,
            "title": finding.words.title,
            "sure": finding.sure,
            "after": finding.after,
            "evidence": [{"name": e.name, "told": e.message} for e in finding.evidence],
            "look": finding.words.look,
            "source": finding.words.source,
        }
        for finding in found
    ]
    rows = len(record.run.log["Step"])
    return {
        "run": record.run.name,
        "algorithm": record.agent.name,
        "rows": rows,
        "waits": record.waits,
        "notes": list(record.remarks),
        "findings": findings,
    }
