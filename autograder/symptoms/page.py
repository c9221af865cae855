"""Pages about misconceptions: one for each blank, and a quiz for each homework. One file each."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.base.checks import Check
from autograder.base.results import Misconception
from autograder.base.seen import Seen
from autograder.misconceptions.catalogue import Question, checks_so_far, question
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.symptoms import equations, formulas, learning, records
from autograder.symptoms.equations import BlankText

TEMPLATES = Path(__file__).with_name("templates")
MOST_BYTES = 500_000
FLAGS = ("d", "c")  # inputs of formulas that are 0 or 1
Change = Callable[[dict[str, Any]], dict[str, Any]]
"""Returns the content of a page with more in it, such as links."""


class PageError(Exception):
    """A page cannot be made of what is written about a blank; one line says why."""


def explainable(homework: str) -> dict[str, Check]:
    """Returns the checks of a homework that a page can explain, by the blank's id."""
    return {check.id: check for check in checks_so_far(homework) if not check.beside}


def blank_page(check: Check, change: Change | None = None) -> str:
    """Returns the page of a blank.

    Raises:
        PageError: If an equation or a formula fits no misconception, or the page is too large.
    """
    text = rendered("blank.html", f"{check.title}: mistakes", described(check), change)
    if len(text.encode()) > MOST_BYTES:
        raise PageError(f"{check.id}: the page has {len(text.encode()):,} bytes")
    return text


def rendered(
    template: str, title: str, content: dict[str, Any], change: Change | None = None
) -> str:
    """Returns a template with its style, its script and its content, changed if so wanted."""
    content = change(content) if change else content

    def read(name: str) -> str:
        return (TEMPLATES / name).read_text(encoding="utf-8")

    data = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    parts = {
        "TITLE_OF_THE_PAGE": html.escape(title),
        "STYLE_OF_THE_PAGE": read("style.css"),
        "SCRIPT_OF_THE_PAGE": read("draw.js"),
        "DATA_OF_THE_PAGE": data.replace("<", "\\u003c"),
    }
    text = read(template)
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def described(check: Check) -> dict[str, Any]:
    """Returns the content of a blank's page, as plain values."""
    asked = question(check)
    written = equations.text_of(check.id)
    ids = mutation_set_of(asked).words
    require_fit(check.id, written, list(ids))
    ours, theirs = records.records_of(asked)
    data = learning.measured(check.id)
    named = [words for id, words in ids.items() if _is_named(asked, id)]
    return {
        "blank": check.id,
        "title": f"{check.title[:1].upper()}{check.title[1:]}: what goes wrong",
        "equation": equations.rendered(written.equation) if written.equation else "",
        "note": written.note,
        "formula": formula_of(written, named),
        "misconceptions": [
            misconception_of(check, words, written, (ours, theirs.get(words.id)), data)
            for words in named
        ],
        "learning": learning.described(data) if data else None,
    }


def _is_named(asked: Question, id: str) -> bool:
    """Returns whether a misconception is the blank's own, and no generic one."""
    generic = {
        mutation.misconception
        for point in mutation_set_of(asked).generic
        for mutation in point.mutations
    }
    return id not in generic


def require_fit(blank: str, written: BlankText, ids: list[str]) -> None:
    """Raises PageError if what is written by hand fits no misconception, or shows nothing."""
    keys = {equations.key_of(id, written) for id in ids}
    shared = equations.shared_keys(blank)
    for name, table in (("changes", written.changes), ("hints", written.hints)):
        if unknown := sorted(set(table) - keys - shared):
            raise PageError(f"{blank}: {name}: there is no misconception {', '.join(unknown)}")
    if written.numbers:
        if unknown := sorted(set(written.numbers["formulas"]) - keys - shared):
            raise PageError(f"{blank}: formulas: there is no misconception {', '.join(unknown)}")
        if wrong := formulas.problems(written.numbers):
            raise PageError(f"{blank}: {wrong[0]}")


def formula_of(written: BlankText, named: list[Misconception]) -> dict[str, Any] | None:
    """Returns the formulas of a blank, by the whole ids of misconceptions."""
    numbers = written.numbers
    if not numbers:
        return None
    by_key = {equations.key_of(words.id, written): words.id for words in named}
    return {
        "result": numbers["result"],
        "unit": numbers.get("unit", ""),
        "inputs": list(numbers["inputs"].items()),
        "flags": [name for name in FLAGS if name in numbers["inputs"]],
        "rows": numbers["rows"],
        "right": numbers["right"],
        "formulas": {by_key[k]: text for k, text in numbers["formulas"].items() if k in by_key},
    }


def misconception_of(
    check: Check,
    words: Misconception,
    written: BlankText,
    sides: tuple[Seen, Seen | None],
    data: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Returns what a page shows of one misconception."""
    key = equations.key_of(words.id, written)
    changes = written.changes.get(key)
    is_measured = data is not None and words.id in data["runs"]
    found: dict[str, Any] = {
        "id": words.id,
        "title": words.title,
        "text": words.explanation,
        "read": words.reference,
        "equation": equations.rendered(written.equation, changes) if changes else "",
        "learned": learning.sentence(data, words.id) if data and is_measured else "",
        **_recorded(*sides),
    }
    found["find"] = list(_how_to_find(check, written.hints.get(key, ""), found))
    return found


def _recorded(ours: Seen, theirs: Seen | None) -> dict[str, Any]:
    """Returns what the probe records of a misconception; one that it flags has no record."""
    if theirs is None:
        return {"crash": "", "sentences": [], "depends": None, "tables": []}
    return {
        "crash": records.crash_of(ours, theirs),
        "sentences": records.sentences_of(ours, theirs),
        "depends": records.dependence_of(ours, theirs),
        "tables": records.tables_of(ours, theirs),
    }


def _how_to_find(check: Check, hint: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yields what one can do to find a misconception, the quickest last."""
    if hint:
        yield f"From the log: {hint}"
    elif found["crash"]:
        yield "Run it: an error ends the first update. Read its last line, and the line above it."
    elif found["tables"]:
        yield "Call the function with three rows, and compute each row by hand."
    homework, _, short = check.id.partition(".")
    yield f"`python -m autograder check {homework} -k {short}` names it."


def quiz_page(homework: str, change: Change | None = None) -> str | None:
    """Returns the quiz of a homework; None where nothing was measured that it can ask about."""
    blanks = [
        content
        for id, check in explainable(homework).items()
        if learning.measured(id) and (content := described(check))
    ]
    if not blanks:
        return None
    title = f"Homework {homework.removeprefix('hw')}: which mistake is it?"
    return rendered("quiz.html", title, {"title": title, "blanks": blanks}, change)


def homework_page(homework: str, change: Change | None = None) -> str:
    """Returns the list of a homework's pages."""
    blanks = []
    for id, check in explainable(homework).items():
        asked, data = question(check), learning.measured(id)
        named = [one for one in mutation_set_of(asked).words if _is_named(asked, one)]
        trained = len(data["runs"]) - 1 if data else 0
        blanks.append({"id": id, "title": check.title, "count": len(named), "trained": trained})
    title = f"Homework {homework.removeprefix('hw')}: what goes wrong"
    quiz = f"{homework}.quiz.html" if any(blank["trained"] for blank in blanks) else ""
    content = {"title": title, "quiz": quiz, "blanks": blanks}
    return rendered("list.html", title, content, change)
