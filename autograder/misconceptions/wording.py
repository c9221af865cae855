"""Text for what a judgement found, made for whoever may read it.

Names of a record are for those who write it: `phrases.toml` has what they are called in messages.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.base.results import Difference
from autograder.base.seen import Crash

FILE = Path(__file__).with_name("phrases.toml")
FEW = 3  # trials that are listed


def crash_message(crash: Crash) -> str:
    """Returns what was raised, and on which of the student's lines."""
    where = f" at {crash.file}" if crash.file else ""
    where += f":{crash.line}" if where and crash.line else ""
    where += f': "{crash.source}"' if where and crash.source else ""
    return f"{crash.kind}: {crash.text}{where}"


def in_words(found: Difference, answers: bool = True) -> str:
    """Returns a difference in words.

    Args:
        found: What is wrong.
        answers: Whether the right numbers may be read: not by whoever can ask again and again.
    """
    if found.responses and answers:
        return _table(found)
    if not found.quantity:
        return found.remark
    text = f"{found.quantity} {found.yours}".rstrip()
    if found.right:
        shown = answers or not found.secret
        text += f", expected {found.right}" if shown else ", which is wrong"
    if found.remark:
        text += f" {found.remark}"
    if found.relation:
        related = found.relation.text if answers else found.relation.without_numbers
        text += f"; yours is {related}"
    if found.sizes and answers and found.sizes[0] != "0":
        small, large = found.sizes
        text += f"; with values up to {small} both agree, with values near {large} they do not"
    if found.right_in:
        right = _listed(found.right_in)
        text += f"; all is right {right}, and wrong {_listed(found.wrong_in)}"
    return text


def _listed(trials: Sequence[str]) -> str:
    """Returns when that was, for a few trials: in words where no other trial is among them.

    "in the second call" explains nothing where the first one is wrong as well.
    """
    others = [trial for trial in trials if not trial_in_words(trial)]
    if not others:
        return ", ".join(trial_in_words(trial) for trial in trials[:FEW])
    names = [f'"{trial.replace("_", " ")}"' for trial in others[:FEW]]
    return f"in {', '.join(names + ['...'] * (len(others) > FEW))}"


def _table(found: Difference) -> str:
    """Returns how results change with each input, ours beside theirs: the numbers come first."""
    wide = max(len(one.yours) for one in found.responses)
    wider = max(len(one.right) for one in found.responses)
    lines = [f"how your {found.results} change with each input (* not as ours do):"]
    for one in found.responses:
        mark = "*" if one.differs else " "
        lines.append(f"{mark} yours {one.yours:<{wide}} ours {one.right:<{wider}}  {one.place}")
    return "\n".join(lines)


@functools.cache
def phrases() -> Mapping[str, str]:
    """Returns the phrases by name; one that ends with a period is a whole sentence."""
    return {name: text for name, text in _file().items() if isinstance(text, str)}


@functools.cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def trial_in_words(name: str) -> str:
    """Returns when a trial was, as the end of a sentence; "" where its name says it."""
    return str(_file()["trials"].get(name, ""))


def sentence_of(name: str) -> str:
    """Returns what is said where a flag of a record is wrong; "" for what is no flag."""
    phrase = phrases().get(name, "")
    return phrase if phrase.endswith(".") else ""


def noun_of(name: str) -> str:
    """Returns what a quantity of a record is called."""
    phrase = phrases().get(name, name)
    return name.replace("_", " ") if phrase.endswith(".") else phrase
