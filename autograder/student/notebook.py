"""What the cells of a homework's notebook call: fill a blank, check, train, and look.

The student's code runs in processes of its own. So a cell that was changed counts at once, nothing
has to be imported anew, and an endless loop does not take the notebook with it.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from autograder.source import PACKAGE, ROOT
from autograder.student import children, tables, writing
from autograder.student.shown_runs import NoRun, ShownRun, draw, shown

__all__ = ["begin", "check", "draw", "pack", "train"]

NEEDED = (
    *("cv2", "filelock", "gymnasium", "lz4", "matplotlib", "safetensors"),
    *("tensorboardX", "torch", "tqdm"),
)
EMPTY = "is not filled yet"
POLL = 0.5  # seconds between looks at a run
DATA = ROOT / "data"


def begin() -> None:
    """Installs what is missing, and makes the cell magics `%%blank` and `%%own` known."""
    from IPython import get_ipython

    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        _display(tables.note("installing what is missing: this takes some minutes"))
        words = ["-m", "pip", "install", "-q", "-e", str(ROOT)]
        subprocess.run([sys.executable, *words], check=True)
    shell = get_ipython()
    shell.register_magic_function(blank, "cell")
    shell.register_magic_function(own, "cell")
    _display(tables.note(f"Your blanks are written into {ROOT / PACKAGE}."))


def blank(line: str, cell: str) -> None:
    """Writes the cell into a blank and checks that: `%%blank hw3.dqn.targets`."""
    id = line.strip()
    try:
        place = writing.fill(id, cell, ROOT / PACKAGE)
    except (writing.UnknownBlankError, OSError) as error:
        _display(tables.note(str(error)))
        return
    if writing.is_empty(id, cell):
        _display(tables.note(f"{id} {EMPTY}: write your code in the place of its TODO"))
        return
    _display(tables.note(f"written to {place}"))
    check(id)


def check(words: str = "", homework: str = "") -> None:
    """Judges the blanks that have these words in their names, and shows a table.

    Args:
        words: As -k of `check` takes them; none: all blanks.
        homework: Such as "hw3"; needed only without an id in `words`.
    """
    homework = homework or words.partition(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        call = ["-m", "autograder", "check", homework, "--json", str(file)]
        done = children.run(call + (["-k", words] if words else []))
        if file.is_file():
            _display(tables.table(json.loads(file.read_text(encoding="utf-8"))))
        else:
            _display(tables.printed([children.last_line(done)]))


def pack(homework: str) -> None:
    """Makes the zip to hand in, and shows what is in it and what is open."""
    done = children.run(["-m", "autograder", "pack", homework, "--runs"])
    if done.returncode == 2:  # no run yet
        done = children.run(["-m", "autograder", "pack", homework])
    _display(tables.printed([done.stdout or done.stderr]))


def own(line: str, cell: str) -> None:
    """Runs the cell in a process of its own, and shows what it prints and draws: `%%own`.

    Raises:
        RuntimeError: If the code raises; an empty blank is only reported.
    """
    del line
    from IPython.display import Image, display

    with tempfile.TemporaryDirectory() as folder:
        done = children.run(["-m", "autograder.student.cell", folder], cell)
        if done.stdout:
            _display(tables.printed(done.stdout.splitlines()))
        for picture in sorted(Path(folder).glob("*.png")):
            display(Image(data=picture.read_bytes()))
    if done.returncode and EMPTY in (last := children.last_line(done)):
        _display(tables.note(last.partition("BlankError: ")[2] or last))
    elif done.returncode:
        _display(tables.printed(done.stderr.splitlines()))
        raise RuntimeError(children.last_line(done))


def train(command: str) -> ShownRun | NoRun:
    """Trains in a process of its own, and shows the curve while it runs.

    Args:
        command: As the handout has it, on one line or several: "python scripts/run_hw3_dqn.py ...".

    Returns:
        The run; a `NoRun` if the script ended before it began.
    """
    from IPython.display import display

    words = shlex.split(command.replace("\\\n", " "))
    words = words[1:] if words[:1] == ["python"] else words
    before = set(DATA.glob("*"))
    handle = display(shown(tables.note("training ...")), display_id=True)
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "errors.txt"
        process = children.start([*words, "-ngpu"], errors)
        try:
            written = 0
            while process.poll() is None:
                time.sleep(POLL)
                written = _update(handle, before, written)
        finally:
            if process.poll() is None:
                process.terminate()  # the run saves a checkpoint, as after Ctrl-C
                process.wait()
        last = children.last_of(errors.read_text(encoding="utf-8", errors="replace"))
    new = _new(before)
    result = ShownRun(new) if new and not process.returncode else NoRun(last)
    if handle:  # outside of a notebook there is none
        handle.update(shown(result._repr_html_()))
    return result


def _update(handle: Any, before: set[Path], written: int) -> int:
    """Shows the curve of the newest run if it was drawn anew; returns when it was."""
    new = _new(before)
    curve = new / "learning_curve.png" if new else None
    if new is None or curve is None or not curve.is_file():
        return written
    now = curve.stat().st_mtime_ns
    if now != written and handle:
        handle.update(shown(ShownRun(new)._repr_html_()))
    return now


def _new(before: set[Path]) -> Path | None:
    """Returns the folder of the run that began after others were there."""
    new = [f for f in set(DATA.glob("*")) - before if (f / "config.json").is_file()]
    return max(new, key=lambda f: f.stat().st_mtime) if new else None


def _display(text: str) -> None:
    from IPython.display import display

    display(shown(text))
