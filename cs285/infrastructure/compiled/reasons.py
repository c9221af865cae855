"""Why an update stays plain, in one line: the reason, and the student's line."""

from __future__ import annotations

import re
from pathlib import Path

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)\n(?P<code>.*)')
_ADVICE = (
    ("builtin operator `print`", "it prints"),
    ("Data-dependent branching", "a branch depends on a number in a tensor"),
    ("data-dependent expression", "a number of Python depends on one in a tensor"),
    ("Data-dependent assertion", "an assertion depends on a number in a tensor"),
    ("SpeculationLog diverged", "torch cannot trace it"),
)


def of_error(error: BaseException) -> str:
    """Describes what torch could not trace or compile: a reason, and the line that it is about."""
    text = str(error)
    head = re.sub(r"\s+", " ", text.strip().partition("\n")[0])
    for mark, plain in _ADVICE:
        if mark in text:
            head = plain
            break
    else:
        cause = re.search(r"^(?:RuntimeError|ValueError|TypeError): (.+)", text, re.MULTILINE)
        inner = re.search(
            r"raised exception \w+\(\[?(?:ConstantVariable\(str: )?['\"]([^'\"]+)", text
        )
        head = inner[1] if inner else cause[1] if cause else head
    return f"{head[:200]}{line_in(text)}"


def of_guard(part: str) -> str:
    """Describes a value that is another one than at the time of the capture.

    Args:
        part: What torch's guard says: an expression, and as comments the line and its place.
    """
    expression, _, comments = part.partition("  #")
    expression = re.sub(r"[GL]\['method'\]\.__self__\.", "self.", expression.strip())
    expression = re.sub(r"[GL]\['method'\]\.", "", expression)
    place = re.search(r"(\S+\.py):(\d+) in (\S+)\s*$", comments)
    code = comments.partition("  # ")[0].strip(" #")
    where = f" ({Path(place[1]).name}, line {place[2]}: {code[:100]})" if place else ""
    if expression.startswith("tensor "):  # which says already how it differs
        return f"{expression.partition(' Guard failed')[0][:200]}{where}"
    return f"what it depends on has changed, it was: {expression[:150]}{where}"


def line_in(text: str) -> str:
    """Returns the innermost line of a student's that an error of torch's names, in brackets."""
    _, _, users = text.partition("from user code")
    frames = [m for m in _FRAME.finditer(users) if "site-packages" not in m["file"]]
    if not frames:
        return ""
    last = frames[-1]
    return f" ({Path(last['file']).name}, line {last['line']}: {last['code'].strip()[:100]})"
