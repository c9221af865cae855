"""Draws all pictures and comparison pages of the results again, by the commands that they name.

python docs/results/build.py            # all of them, with new numbers
python docs/results/build.py --check    # names those that are older than their data; status 1

The commands are those that stand in docs/results/*.md and docs/studies.md and write to
docs/results. A picture or a page keeps a digest of the runs that it shows and of its command's
flags, so neither a changed log nor a changed command goes unnoticed.
"""

from __future__ import annotations

import contextlib
import glob
import io
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "docs/results")]

import compare  # noqa: E402
import hw6_figures  # noqa: E402
import plot  # noqa: E402
from experiments import digest, load_runs  # noqa: E402

from cs285.infrastructure.base.config import UserError, parse_config  # noqa: E402

RESULTS = Path("docs/results")
COMMAND = re.compile(r"^python scripts/(plot|compare)\.py (.* -o docs/results/.*)$", re.MULTILINE)
IN_PAGE = re.compile(r'<meta name="data-digest" content="([^"]+)">')


def commands(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields the script, plot or compare, and the words of each command in the documents."""
    for document in [*sorted((root / RESULTS).glob("*.md")), root / "docs/studies.md"]:
        for script, words in COMMAND.findall(document.read_text(encoding="utf-8")):
            yield script, list(_expanded(shlex.split(words, comments=True), root))


def _expanded(words: Sequence[str], root: Path) -> Iterator[str]:
    """Expands patterns as a shell does that was started in `root`; quoted ones hold no paths."""
    for word in words:
        found = sorted(glob.glob(word, root_dir=root)) if "docs/results" in word else []
        yield from found or [word]


def wanted(script: str, words: Sequence[str]) -> tuple[Path, str]:
    """Returns what a command writes, and the digest that it would write into it."""
    if script == "plot":
        args, _ = parse_config(plot.PlotConfig, words, "")
        runs = plot.selected(load_runs(args.run_dirs), args.select, args.exclude)
        return Path(args.output), plot.source_of(runs, args)
    args, _ = parse_config(compare.CompareConfig, words, "")
    folders, *described = compare.run_dirs(args.run_dirs)
    return Path(args.output), digest(load_runs(folders), args, *described)


def kept(path: Path) -> str | None:
    """Returns the digest that a picture or a page keeps; None if it is not there, or keeps none."""
    if not path.exists():
        return None
    if path.suffix == ".html":
        found = IN_PAGE.search(path.read_text(encoding="utf-8"))
        return found[1] if found else None
    with Image.open(path) as picture:
        return picture.info.get("Source")


def stale(root: Path = ROOT) -> list[str]:
    """Returns the pictures and pages that are older than their data, or that nothing makes."""
    with contextlib.chdir(root):
        made = dict(wanted(*command) for command in commands(root))
        for name, (data, _) in hw6_figures.PICTURES.items():
            made[RESULTS / name] = hw6_figures.digest(RESULTS / "data" / data)
        there = {path for end in ("png", "html") for path in RESULTS.glob(f"*.{end}")}
        old = {path for path, asked in made.items() if kept(path) != asked}
        return sorted(map(str, old | (there - made.keys())))


def build(root: Path = ROOT) -> list[str]:
    """Draws everything, into `root`; returns the commands that failed."""
    failed = []
    with contextlib.chdir(root):
        for script, words in commands(root):
            with contextlib.redirect_stdout(io.StringIO()):
                status = {"plot": plot, "compare": compare}[script].main(words)
            if status:
                failed.append(f"python scripts/{script}.py {' '.join(words)}")
        for name, (_, draw) in hw6_figures.PICTURES.items():
            draw(RESULTS / name)
    return failed


def main(argv: Sequence[str]) -> int:
    """Builds or checks; returns the exit status."""
    if argv not in ([], ["--check"]):
        print("error: the one flag is --check", file=sys.stderr)
        return 2
    try:
        failed = [] if argv else build()
        old = stale()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    for name in old:
        print(f"older than its data, or made by no command: {name}", file=sys.stderr)
    return 1 if failed or old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
