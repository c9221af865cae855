"""The board of `check` as HTML, for a notebook: light or dark, and narrow or wide."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

SIGNS = {  # verdict -> sign, word, ink, paper
    "passed": ("&#10003;", "passed", "#0f5138", "#d5ede3"),
    "failed": ("&#10007;", "wrong", "#8a2410", "#fbe0d9"),
    "blank": ("&#9675;", "not filled yet", "#4d5560", "#e9edf1"),
    "grader_error": ("!", "grader error", "#7a4a00", "#fdebc8"),
}
# A row is a line where there is room for it, and several on a telephone; a notebook's own style
# would keep a table, its code and its words on one line.
ROW = "display:flex;flex-wrap:wrap;gap:0 1em;align-items:baseline;padding:.15em 0"
WRAP = "white-space:normal;overflow-wrap:anywhere"
PRE = "white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal;font-family:monospace"
NOTE = "border-left:4px solid {colour};padding:.4em .8em;margin:.3em 0;max-width:60em;" + WRAP


def table(report: Mapping[str, Any]) -> str:
    """Returns the report of `check --json` as a table, a row for each check.

    Args:
        report: As docs/autograder.md describes it.
    """
    rows = "".join(row(one) for one in report["results"] if is_shown(one))
    notes = "".join(note(text) for text in report["notes"])
    total = f"{report['score']} of {report['max_score']} points, {report['seconds']:.1f} s"
    return f"{rows}{notes}<small>{total}</small>"


def is_shown(result: Mapping[str, Any]) -> bool:
    """Returns whether a result has a line: given parts have one only if they are broken."""
    return bool(result["max_points"]) or result["verdict"] != "passed"


def row(result: Mapping[str, Any]) -> str:
    """Returns the row of a check, and below it what was found.

    The verdict is first: on a telephone the end of a wide row is out of sight.
    """
    sign, word, ink, paper = SIGNS[result["verdict"]]
    look = f"background:{paper};color:{ink};padding:0 .5em;white-space:nowrap"
    cells = (
        ("9em", f'<span style="{look}">{sign} {word}</span>'),
        ("19em", f'<code style="{WRAP};padding:0">{html.escape(result["id"])}</code>'),
        ("4em", f"{result['points']}&nbsp;/&nbsp;{result['max_points']}"),
        ("auto", html.escape(result["title"])),
    )
    line = "".join(f'<span style="flex:0 1 {width}">{cell}</span>' for width, cell in cells)
    found = "".join(misconception(one) for one in result["mistakes"])
    if result["message"] and result["verdict"] not in ("passed", "blank"):
        found += f'<pre style="{PRE}">{html.escape(result["message"])}</pre>'
    return f'<div style="{ROW}">{line}</div>{found}'


def misconception(found: Mapping[str, str]) -> str:
    """Returns the words about a named mistake."""
    title, text, source = (html.escape(found[k]) for k in ("title", "explanation", "reference"))
    words = f"<b>{title}</b><br>{text}<br><small>Read: {source}</small>"
    return f'<div style="{NOTE.format(colour="#b23a1e")}">{words}</div>'


def note(text: str) -> str:
    """Returns a remark in a box."""
    return f'<div style="{NOTE.format(colour="#767676")}">{html.escape(text)}</div>'


def printed(lines: Sequence[str]) -> str:
    """Returns what a program printed."""
    text = html.escape("\n".join(lines).rstrip())
    return f'<pre style="{PRE}">{text}</pre>' if text else ""
