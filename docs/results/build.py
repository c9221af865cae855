"""Makes what the documents show of the results: pictures, their words, tables, comparison pages.

python docs/results/build.py            # all of them, with new numbers
python docs/results/build.py --check    # names those that differ from their data; status 1

`figures.py` and `hw6_figures.py` describe the pictures. A picture keeps a digest of its data and of
the code that draws it. Its words for those who cannot see it are written wherever a page shows it,
and its table stands between two comments of the page. The comparison pages are made by commands
that stand in docs/results/*.md and docs/studies.md, and keep a digest too.
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

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(HERE)]

import compare  # noqa: E402
import figures  # noqa: E402
import hw6_figures  # noqa: E402
import look  # noqa: E402
from experiments import digest, load_runs  # noqa: E402
from series import Picture, Setting  # noqa: E402

from cs285.infrastructure.base.config import parse_config  # noqa: E402
from cs285.infrastructure.base.errors import UserError  # noqa: E402
from cs285.infrastructure.logging.plotting import RANDOM_PLAY  # noqa: E402

RESULTS = Path("docs/results")
CODE = (HERE / "look.py", HERE.parent / "diagrams/svg.py", RANDOM_PLAY)
COMMAND = re.compile(r"^python scripts/compare\.py (.* -o docs/results/.*)$", re.MULTILINE)
IN_PAGE = re.compile(r'<meta name="data-digest" content="([^"]+)">')
IN_PICTURE = re.compile(r"<dc:source>([^<]+)</dc:source>")
SHOWN = re.compile(r"!\[[^\]]*\]\(((?:[\w.]+/)*)(\w+)\.svg\)")
TABLE = re.compile(r"(<!-- table of (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def pictures(data: Path) -> dict[str, Picture]:
    """Reads everything that is drawn from `data`, by the names of the pictures."""
    parts = (figures.homework_2, figures.homework_3, figures.homework_4, figures.homework_5)
    return {one.name: one for part in (*parts, hw6_figures.homework_6) for one in part(data)}


def source_of(picture: Picture) -> str:
    """Returns the digest that a picture keeps."""
    return picture.digest(b"".join(path.read_bytes() for path in CODE))


def table(picture: Picture) -> str:
    """Returns the table of a picture, the best setting first, as its panels are."""
    heads = [head for head, _ in picture.columns]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    extra = sorted(picture.table_only, key=lambda s: picture.mean(s.seeds))
    for setting in [*picture.by_value(), *extra]:
        lines.append(_row(picture, setting.label, setting))
        for name, seeds in setting.peers.items():
            lines.append(_row(picture, f"{setting.label}, {name}", Setting(name, seeds)))
    return "\n".join(lines)


def table_named(name: str, found: dict[str, Picture]) -> str:
    """Returns the table of a picture, or the one that compares several settings of two."""
    if name == "hw6_choosing":
        tasks = {"1e-3 alone": found["hw6_cartpole"], "DDPG alone": found["hw6_pendulum"]}
        return hw6_figures.choosing(tasks)
    return table(found[name])


def _row(picture: Picture, label: str, setting: Setting) -> str:
    cells = " | ".join(text(setting.seeds) for _, text in picture.columns)
    return f"| {label} | {cells} |"


def written(page: str, found: dict[str, Picture]) -> str:
    """Returns a page with the words and the tables that its pictures ask for."""

    def words(match: re.Match[str]) -> str:
        folder, name = match.groups()
        if name not in found or folder.rstrip("/").endswith("diagrams"):
            return match[0]
        return f"![{found[name].alt()}]({folder}{name}.svg)"

    def rows(match: re.Match[str]) -> str:
        return f"{match[1]}\n{table_named(match[2], found)}\n\n{match[3]}"

    return TABLE.sub(rows, SHOWN.sub(words, page))


def pages(root: Path) -> list[Path]:
    """Returns the pages that may show a picture of the results."""
    return [*sorted((root / "docs").rglob("*.md")), *root.glob("README.md")]


def commands(root: Path) -> Iterator[list[str]]:
    """Yields the words of each command of the documents that makes a comparison page."""
    for document in [*sorted((root / RESULTS).glob("*.md")), root / "docs/studies.md"]:
        text = document.read_text(encoding="utf-8").replace("\\\n", " ")
        for words in COMMAND.findall(text):
            yield list(_expanded(shlex.split(words, comments=True), root))


def _expanded(words: Sequence[str], root: Path) -> Iterator[str]:
    """Expands patterns as a shell does that was started in `root`; quoted ones hold no paths."""
    for word in words:
        found = sorted(glob.glob(word, root_dir=root)) if "docs/results" in word else []
        yield from found or [word]


def wanted(words: Sequence[str]) -> tuple[Path, str]:
    """Returns what a command writes, and the digest that it would write into it."""
    args, _ = parse_config(compare.CompareConfig, words, "")
    folders, *described = compare.run_dirs(args.run_dirs)
    return Path(args.output), digest(load_runs(folders), args, *described)


def kept(path: Path) -> str | None:
    """Returns the digest that a picture or a page keeps; None if it is not there, or keeps none."""
    if not path.exists():
        return None
    pattern = IN_PAGE if path.suffix == ".html" else IN_PICTURE
    found = pattern.search(path.read_text(encoding="utf-8"))
    return found[1] if found else None


def stale(root: Path = ROOT) -> list[str]:
    """Returns the files that differ from their data, or that nothing makes."""
    with contextlib.chdir(root):
        found = pictures(root / RESULTS / "data")
        made = dict(wanted(command) for command in commands(root))
        made |= {RESULTS / f"{name}.svg": source_of(one) for name, one in found.items()}
        there = {path for end in ("png", "svg", "html") for path in RESULTS.glob(f"*.{end}")}
        old = {path for path, asked in made.items() if kept(path) != asked}
        texts = {page.relative_to(root): page.read_text(encoding="utf-8") for page in pages(root)}
        old |= {page for page, text in texts.items() if written(text, found) != text}
        return sorted(map(str, old | (there - made.keys())))


def build(root: Path = ROOT) -> list[str]:
    """Makes everything, into `root`; returns the commands that failed."""
    failed = []
    with contextlib.chdir(root):
        found = pictures(root / RESULTS / "data")
        for name, picture in found.items():
            text = look.draw(picture, source_of(picture))
            (RESULTS / f"{name}.svg").write_text(text, encoding="utf-8")
        for page in pages(root):
            text = page.read_text(encoding="utf-8")
            if written(text, found) != text:
                page.write_text(written(text, found), encoding="utf-8")
        for words in commands(root):
            with contextlib.redirect_stdout(io.StringIO()):
                status = compare.main(words)
            if status:
                failed.append(f"python scripts/compare.py {' '.join(words)}")
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
        print(f"differs from its data, or made by nothing: {name}", file=sys.stderr)
    return 1 if failed or old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
