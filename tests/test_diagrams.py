"""Diagrams and the board are what their scripts make, and one can read them on a telephone."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from tests.running import CHROMIUM, ROOT, load_script

FOLDER = ROOT / "docs/images/diagrams"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.fixture(scope="module")
def build() -> ModuleType:
    return load_script("../docs/diagrams/build")  # `import build` may be that of docs/results


def test_the_files_are_what_the_scripts_draw(build: ModuleType) -> None:
    assert list(build.stale()) == [], "run python docs/diagrams/build.py, and look at the result"


def test_a_changed_a_missing_and_an_extra_file_are_noticed(
    build: ModuleType, tmp_path: Path
) -> None:
    for path in FOLDER.glob("*.svg"):
        shutil.copy(path, tmp_path)
    (tmp_path / "sandbox.svg").unlink()
    (tmp_path / "other.svg").write_text("<svg/>")
    changed = tmp_path / "course.svg"
    changed.write_text(changed.read_text().replace("a handout", "the handout"))
    assert list(build.stale(tmp_path)) == ["course.svg", "other.svg", "sandbox.svg"]


def test_bad_flags_get_one_line(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--chekc"]) == 2
    assert capsys.readouterr().err == "error: the one flag is --check\n"


def test_words_are_large_enough_and_each_picture_has_a_title() -> None:
    for path in FOLDER.glob("*.svg"):
        text = path.read_text("utf-8")
        assert "<title>" in text and "prefers-color-scheme:dark" in text
        sizes = [float(size) for size in re.findall(r'<text [^>]*font-size="([\d.]+)"', text)]
        assert min(sizes) >= 13, path.name  # of 420 units; an index within a word is smaller


def test_each_picture_is_on_a_page_and_has_words_for_who_cannot_see_it() -> None:
    shown = dict[str, str]()
    for page in PAGES:
        for words, name in re.findall(
            r"!\[([^\]]*)\]\([^)]*diagrams/(\w+\.svg)\)", page.read_text()
        ):
            shown[name] = words
    assert shown.keys() == {path.name for path in FOLDER.glob("*.svg")}
    assert all(len(words) > 30 for words in shown.values())


MEASURE = """<!DOCTYPE html><pre></pre>%s<script>
const beyond = svg => [...svg.querySelectorAll("text")].filter(t => {
  const box = t.getBBox(), whole = svg.viewBox.baseVal;
  return box.x < 1 || box.y < 0 || box.x + box.width > whole.width - 1
    || box.y + box.height > whole.height;
}).map(t => t.textContent);
document.querySelector("pre").textContent = JSON.stringify(
  [...document.querySelectorAll("svg")].flatMap(beyond));
</script>"""


def words_beyond_the_edge(drawings: list[str], folder: Path) -> list[str]:
    page = folder / "all.html"
    page.write_text(MEASURE % "".join(drawings), encoding="utf-8")
    command = [str(CHROMIUM), "--headless=new", "--disable-gpu", "--dump-dom", page.as_uri()]
    command[1:1] = [f"--user-data-dir={folder / 'profile'}"]
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # root has to; the page is our own
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search("<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert found
    return list(json.loads(html.unescape(found[1])))


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_no_word_lies_beyond_the_edge(tmp_path: Path) -> None:
    drawings = [path.read_text("utf-8") for path in sorted(FOLDER.glob("*.svg"))]
    control = drawings[0].replace("</svg>", '<text x="400" y="20">too far</text></svg>')
    assert words_beyond_the_edge([control, *drawings], tmp_path) == ["too far"]


@pytest.fixture(scope="module")
def board() -> ModuleType:
    return load_script("../docs/images/board")


@pytest.mark.slow
def test_the_board_is_what_check_prints(board: ModuleType) -> None:
    assert board.main(["--check"]) == 0, "run python docs/images/board.py, and look at the result"


def test_the_time_a_check_took_is_no_difference_and_a_word_is(board: ModuleType) -> None:
    assert board.digest("80 /100  in 7.4 s") == board.digest("80 /100  in 12.0 s")
    assert board.digest("80 /100  in 7.4 s") != board.digest("70 /100  in 7.4 s")
