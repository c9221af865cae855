"""The file of a new blank, with what must be written marked TODO."""

from __future__ import annotations

from pathlib import Path

from autograder.base.checks import HOMEWORKS

BLANK = """# TODO in one line: what the blank computes.
prefix = "{name}"

[blank]
id = "{blank}"
title = "{title}"
points = {points}

[page]
write = "`TODO`, shape `(n,)`: the TODO"
ask = "TODO: a question that leads to the usual mistake?"
read = "[TODO](background.md#TODO)."

[probe]
module = "{module}"
call = "TODO(x_n, scale)"
gives = ["TODO"]
results = "TODO"  # in the plural
[given]
x_n = "signed(7)"
scale = "uniform(0.6, 0.85)"
[cases]
large = {{x_n = "300 * x_n"}}
"one row" = {{rows = 1}}

[read]
SOURCE = "Author et al. year, equation TODO; docs/{homework}/background.md, TODO"

[generic]
result = {{array = "TODO", is = "the TODO"}}

[at]
"TODO" = {{sign = "-TODO", right = "TODO"}}

[words]
sign = ["TODO: what is wrong.", "TODO: what it does to learning, and where to look.", "SOURCE"]
"""


def write_new(blank: str, title: str, points: int, owner: str) -> Path:
    """Writes the file of a new blank; returns it.

    Args:
        blank: Its id.
        title: What the board calls it.
        points: What it counts.
        owner: The file of the code that is asked, as a path within `cs285`.

    Raises:
        FileExistsError: If it is there already.
        OSError: If it cannot be written.
    """
    homework, part, name = blank.split(".")
    file = HOMEWORKS / homework / "blanks" / f"{part}_{name}.toml"
    if file.exists():
        raise FileExistsError(f"{file} is there already")
    file.parent.mkdir(parents=True, exist_ok=True)
    module = owner.removesuffix(".py").replace("/", ".")
    values = {"blank": blank, "homework": homework, "name": name, "module": module}
    file.write_text(BLANK.format(**values, title=title, points=points), encoding="utf-8")
    return file
