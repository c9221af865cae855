"""Makes the notebooks of homeworks from percent scripts, which share text and blanks with handouts.

A script of `notebooks/` has these marks, each alone in its line:

    {{start}}                   in a code cell: finds or unpacks the tree, and prepares it
    {{text: Double DQN}}        in a text cell: the section of the handout with this heading
    {{blank: hw3.dqn.targets}}  in a text cell: what to write, and the method around it

A code cell that is nothing but `%%blank ID` gets the comment and the TODO of that blank.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import re
import textwrap
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from autograder.base.checks import checks, table_of
from autograder.release import papers
from autograder.source import ROOT, reference

FOLDER = "notebooks"
JUPYTEXT = "jupytext"
MARK = re.compile(r"\{\{(\w+)(?:: ([^}]+))?\}\}")
HEADING = re.compile(r"^(#+) (.+)$")
EMPTY_BLANK = re.compile(r"%%blank (hw\d+\.\w+\.\w+)\s*")
START = """\
import os, sys, zipfile
from pathlib import Path

def is_tree(folder):
    return (folder / "autograder").is_dir() and (folder / "cs285").is_dir()

tree = next(filter(is_tree, (Path.cwd(), *Path.cwd().parents)), None)
if tree is None:  # as in Colab: upload the handout's zip beside this notebook
    for name in Path.cwd().glob("{homework}*.zip"):
        with zipfile.ZipFile(name) as archive:
            if any(path.endswith("autograder/__main__.py") for path in archive.namelist()):
                archive.extractall()
    tree = next(filter(is_tree, Path.cwd().iterdir()), None)
if tree is None:
    raise FileNotFoundError("upload {homework}.zip, the handout, beside this notebook")
os.chdir(tree)
sys.path.insert(0, str(tree))
from autograder.student.notebook import begin, check, draw, pack, train

begin()"""


def homeworks() -> list[str]:
    """Returns the homeworks that have a notebook."""
    return sorted(file.stem for file in (ROOT / FOLDER).glob("hw*.py"))


def can_build() -> bool:
    """Returns whether the library that reads percent scripts is installed."""
    return importlib.util.find_spec(JUPYTEXT) is not None


def build(homework: str, there: Collection[str] | None = None) -> str:
    """Returns a homework's notebook as text; the same source makes the same text.

    Args:
        homework: Such as "hw3".
        there: The paths of the tree that it is for; links elsewhere become text. None: all stay.

    Raises:
        ValueError: If a mark names what is not there.
    """
    script = (ROOT / FOLDER / f"{homework}.py").read_text(encoding="utf-8")
    book = importlib.import_module(JUPYTEXT).reads(script, fmt="py:percent")
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            cell.source = code(homework, cell.source)
        else:
            cell.source = text(homework, cell.source, there)
    book.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    book.nbformat, book.nbformat_minor = 4, 5
    return json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def code(homework: str, source: str) -> str:
    """Returns a code cell with its marks replaced."""
    if source.strip() == "# {{start}}":
        return START.format(homework=homework)
    blank = EMPTY_BLANK.fullmatch(source.strip())
    if not blank:
        return source
    return "\n".join([f"%%blank {blank[1]}", *textwrap.dedent(task(blank[1])).splitlines()])


def text(homework: str, source: str, there: Collection[str] | None) -> str:
    """Returns a text cell with its marks replaced, and its links as seen from `notebooks/`."""

    def replaced(mark: re.Match[str]) -> str:
        if mark[1] == "text":
            return section(homework, mark[2], there)
        if mark[1] == "blank":
            return description(homework, mark[2], there)
        raise ValueError(f"{FOLDER}/{homework}.py: unknown mark {mark[0]}")

    return MARK.sub(replaced, source)


def pages(homework: str) -> Iterator[Path]:
    """Yields the pages of a handout."""
    yield ROOT / f"docs/{homework}.md"
    yield from sorted((ROOT / f"docs/{homework}").glob("*.md"))


def section(homework: str, heading: str, there: Collection[str] | None) -> str:
    """Returns what is below a heading of a handout, up to the next one of its rank or above.

    Raises:
        ValueError: If no page has the heading.
    """
    for page in pages(homework):
        lines = papers.sections(page.read_text(encoding="utf-8"), ()).splitlines()
        for number, line in enumerate(lines):
            found = HEADING.match(line)
            if found and found[2].strip() == heading:
                rest = _until(lines[number + 1 :], len(found[1]))
                return _from_notebooks("\n".join(rest).strip(), page, there)
    raise ValueError(f"{FOLDER}/{homework}.py: no page of the handout has the heading {heading!r}")


def _until(lines: list[str], rank: int) -> Iterator[str]:
    """Yields the lines before the next heading of a rank, or of a higher one."""
    fenced = False
    for line in lines:
        fenced ^= line.lstrip().startswith("```")
        found = HEADING.match(line)
        if found and not fenced and len(found[1]) <= rank:
            return
        yield line


def _from_notebooks(text: str, page: Path, there: Collection[str] | None) -> str:
    """Returns a page's text with links that lead from `notebooks/` to the same places."""
    path = page.relative_to(ROOT).as_posix()

    def moved(link: re.Match[str]) -> str:
        target = papers.resolved(path, link[3])
        if not target or (there is not None and target not in there):
            return link[2]
        return f"{link[1]}[{link[2]}](../{target}{link[4] or ''})"

    text = papers.LINK.sub(moved, text)
    own = f"](../{path}#"  # a link within the page
    return text.replace("](#", own)


def description(homework: str, blank: str, there: Collection[str] | None) -> str:
    """Returns the text above a blank's cell: its name, its task and the method around it.

    Raises:
        ValueError: If there is no such blank.
    """
    check = next((one for one in checks(homework) if one.id == blank), None)
    if check is None:
        raise ValueError(f"{FOLDER}/{homework}.py: there is no blank {blank}")
    path, function, around = place(blank)
    number = table_of(homework).index(blank) + 1
    lines = [
        f"### Blank {number}: {check.title} ({check.points} points)",
        "",
        f"`{blank}`, in `{function}` of `cs285/{path}`. {question(homework, blank, there)}".strip(),
        "",
        "<details><summary>The code around it</summary>",
        "",
        "```python",
        textwrap.dedent(around),
        "```",
        "",
        "</details>",
    ]
    return "\n".join(lines)


def question(homework: str, blank: str, there: Collection[str] | None) -> str:
    """Returns what the handout's table asks about a blank; nothing where it has no such row."""
    for page in pages(homework):
        for line in page.read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            if line.startswith("|") and len(cells) > 2 and f"`{blank}`" in cells[:2]:
                asked = cells[-1] if cells[-1].endswith("?") else ""
                return _from_notebooks(f"*Ask yourself:* {asked}" if asked else "", page, there)
    return ""


def place(blank: str) -> tuple[str, str, str]:
    """Returns the file of a blank, the function around it, and the code of that as given out.

    Raises:
        ValueError: If there is no such blank.
    """
    homework = blank.partition(".")[0]
    for path, given in reference.given_out(homework).items():
        if f'TODO("{blank}")' in given:
            line = _line_of(blank, given)
            name, node = _function_at(ast.parse(given), line)
            lines = given.splitlines()[node.lineno - 1 : node.end_lineno]
            return path, name, "\n".join(_without_docstring(lines, node))
    raise ValueError(f"there is no blank {blank}")


def task(blank: str) -> str:
    """Returns the comment above a blank, and its TODO, as they are given out."""
    path, _, _ = place(blank)
    lines = reference.given_out(blank.partition(".")[0])[path].splitlines()
    last = _line_of(blank, "\n".join(lines))
    first = last
    while lines[first - 2].lstrip().startswith("#"):
        first -= 1
    return "\n".join(lines[first - 1 : last])


def _line_of(blank: str, given: str) -> int:
    return next(n for n, line in enumerate(given.splitlines(), 1) if f'TODO("{blank}")' in line)


def _function_at(
    tree: ast.Module | ast.ClassDef, line: int, above: str = ""
) -> tuple[str, ast.FunctionDef]:
    """Returns the name of the outermost function around a line, and the function."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.lineno <= line <= (
            node.end_lineno or 0
        ):
            if isinstance(node, ast.FunctionDef):
                return above + node.name, node
            return _function_at(node, line, f"{above}{node.name}.")
    raise ValueError(f"no function is around line {line}")


def _without_docstring(lines: list[str], node: ast.FunctionDef) -> list[str]:
    """Returns a function's lines with only the equations of its docstring, which are indented."""
    first = node.body[0]
    if not ast.get_docstring(node) or len(node.body) == 1:
        return lines
    begin, end = first.lineno - node.lineno, (first.end_lineno or 0) - node.lineno
    summary = [lines[begin].removesuffix('"""') + '"""']
    equations = [line for line in lines[begin + 1 : end] if " = " in line]
    if equations:
        summary = [lines[begin].removesuffix('"""'), "", *equations, f'{" " * first.col_offset}"""']
    return [*lines[:begin], *summary, *lines[end + 1 :]]


def source_lines(notebook: str) -> Iterator[tuple[int, str]]:
    """Yields the number of each cell of a notebook, and each of its lines; of outputs as well.

    Args:
        notebook: The text of an .ipynb file.
    """
    book: dict[str, Any] = json.loads(notebook)
    for number, cell in enumerate(book["cells"]):
        texts = ["".join(cell["source"]), json.dumps(cell.get("outputs", ""))]
        for line in "\n".join(texts).splitlines():
            yield number, line
