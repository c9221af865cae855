"""Writes the table of what each question asks of runs into docs/autograder.md, from the rules.

python docs/results/asked_of_runs.py            # writes it
python docs/results/asked_of_runs.py --check    # ends with status 1 if it is older than the rules
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from autograder.base import checks as homeworks  # noqa: E402
from autograder.evidence.rules import RunQuestion, questions  # noqa: E402

PAGE = ROOT / "docs" / "autograder.md"
TABLE = re.compile(r"(### What each question asks\n\n.*?\n)\| check .*?\n\n", re.DOTALL)
HEAD = """| check | folders | runs | the curve must | the weights must play | points |
| --- | --- | --- | --- | --- | --- |
"""


def row(question: RunQuestion) -> str:
    """Returns the line of a question."""
    kind = " values of one setting" if question.sweep else " seeds"
    runs = f"{question.runs}{kind if question.runs > 1 else ''}"
    each = " each" if question.peak is not None else ""
    asked = [f"reach {question.reach:g}{each}"] if question.reach is not None else []
    asked += [f"{question.peak:g} once"] if question.peak is not None else []
    asked += [f"end above {question.hold:g}"] if question.hold is not None else []
    proof = "as the log ends"
    if question.proof is not None:
        proof = f"{question.proof:g}" + (", those of one" if question.runs > 1 else "")
    folders = ", ".join(f"`{pattern}`" for pattern in question.folders)
    cells = [f"`{question.id}`", folders, runs, ", ".join(asked), proof, str(question.points)]
    return "| " + " | ".join(cells) + " |\n"


def rows() -> Iterator[str]:
    """Yields a line for each question of all homeworks."""
    for homework in homeworks.names():
        yield from map(row, questions(homework))


def page() -> str:
    """Returns the page with the table as the rules are now."""
    text = PAGE.read_text(encoding="utf-8")
    return TABLE.sub(lambda found: found[1] + HEAD + "".join(rows()) + "\n", text, count=1)


def main() -> int:
    """Runs the command line."""
    text = page()
    if "--check" in sys.argv:
        return int(text != PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
