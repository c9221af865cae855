"""What a student does next: the last line of the board, a command, and a page to read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.base.checks import Check, checks, first_run, table_of
from autograder.base.results import BLANK, FAILED, GRADER_ERROR, Verdict
from autograder.source import PACKAGE, ROOT
from autograder.source.blanks import Place

COMMAND = "python -m autograder"
SYNTAX = "crash.syntax"
LINE = re.compile(r" at (\S+\.py:\d+)")
PAGES = "docs/misconceptions"  # in a handout
MUTATIONS = "autograder/homeworks/shared_mutations"  # in a clone, which makes its pages itself
DATA = Path("data")  # where runs are, unless somebody chose another folder


def next_step(
    homework: str,
    asked: Sequence[Check],
    verdicts: Sequence[Verdict],
    places: Mapping[str, Place],
    judges_runs: bool,
) -> str:
    """Returns what to do next.

    A file that cannot run comes first, then the next empty blank, then the first mistake. When all
    is right there follow the checks that were left out, a run, and the zip to hand in.

    Args:
        homework: Such as "hw3".
        asked: The checks that were asked for.
        verdicts: On these.
        places: Of the homework's blanks.
        judges_runs: Whether the grader judges runs of this homework, too.
    """
    if broken := _file_that_cannot_run(verdicts, places):
        return broken
    table = table_of(homework)
    judged = {one.id: one.verdict for one in verdicts}
    whole = is_whole(homework, asked)
    known_as_empty = {id for id, place in places.items() if place.empty}
    unjudged = [id for id in table if whole and id not in judged and id in known_as_empty]
    empty = [id for id in table if judged.get(id) == BLANK or id in unjudged]
    wrong = [id for id, verdict in judged.items() if verdict == FAILED]
    for ids, verb in ((empty, "fill in"), (wrong, "correct")):
        if ids:
            id = ids[0]
            place = f", {places[id]}" if id in places else ""
            number = f"blank {table.index(id) + 1}, " if id in table else ""
            return f"{verb} {number}{id}{place}"
    if any(one.verdict == GRADER_ERROR for one in verdicts):
        return "report the grader's error to your course; it costs you nothing"
    return _when_all_is_right(homework, asked, judges_runs)


def _file_that_cannot_run(verdicts: Sequence[Verdict], places: Mapping[str, Place]) -> str:
    """Returns which file to correct or to bring back before anything else; "" if all can run."""
    for verdict in verdicts:
        where = LINE.search(verdict.message)
        if where and any(one.id == SYNTAX for one in verdict.misconceptions):
            return f"make {PACKAGE}/{where[1]} valid Python"
        place = places.get(verdict.id)
        if place and not place.first:
            return f"bring back {PACKAGE}/{place.file}: copy it from the handout again"
    return ""


def command_for(homework: str, id: str) -> str:
    """Returns the command by which a student checks one part of a homework again."""
    if is_run(id):
        return f"{COMMAND} runs {homework} {DATA}"
    words = id.removeprefix(f"{homework}.").replace(".", " ")
    return f'{COMMAND} check {homework} -k "{words}"'


def is_whole(homework: str, asked: Sequence[Check]) -> bool:
    """Returns whether all checks with points were asked for."""
    known = {check.id for check in asked}
    return all(check.id in known for check in checks(homework) if check.points)


def _when_all_is_right(homework: str, asked: Sequence[Check], judges_runs: bool) -> str:
    """Returns what follows when nothing that was asked for is wrong."""
    if not is_whole(homework, asked):
        return f"{COMMAND} check {homework}"
    if first_run(homework) and not any(DATA.glob(f"{homework}_*")):
        return first_run(homework)
    pack = f"{COMMAND} pack {homework}" + " --runs" * judges_runs
    return f"make the runs of docs/{homework}/questions.md, then {pack}"


def page_of(blank: str) -> str:
    """Returns the page's path, or the command that makes it; "" where there is neither.

    A clone has the command, whether or not somebody has made pages for its site.
    """
    path = f"{PAGES}/{blank}.html"
    if not is_blank(blank):
        return ""
    if (ROOT / MUTATIONS).is_dir():
        return f"python -m autograder explain {blank}"
    return path if (ROOT / path).is_file() else ""


def in_handout(blank: str) -> str:
    """Returns the page's path in every handout; "" for what is no blank."""
    return f"{PAGES}/{blank}.html" if is_blank(blank) else ""


def is_blank(id: str) -> bool:
    """Returns whether a check is about one blank: others have no page of their own."""
    return not is_run(id) and ".given." not in id


def is_run(id: str) -> bool:
    """Returns whether a check is about training runs that are handed in."""
    return ".runs." in id
