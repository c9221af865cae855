"""The report in a real browser."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder.__main__ import main
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.policy import Policy
from autograder.classroom.policy_file import read_policy
from autograder.reports import items
from autograder.reports.classroom import Classroom, load
from autograder.reports.pages import write_pages
from tests.autograder import fake_class
from tests.autograder.mixed_class import mixed_class
from tests.browser import chromium, opened
from tests.running import CHROMIUM

# A window has a least width, a frame has none. Reports run no script, the page around them does.
FRAMES = """
<!DOCTYPE html><meta name="color-scheme" content="light dark"><pre></pre>
%s
<script>
const frames = [...document.querySelectorAll("iframe")];
const number = (e, name) => parseFloat(getComputedStyle(e)[name]);
const lengths = (d, parts, whole, name) => [...d.querySelectorAll(parts)].map(
  e => number(e, name) / number(e.closest(whole), name));
function broken(element) {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), found = [];
  while (text.nextNode()) for (const word of text.currentNode.data.matchAll(/[^\\s]+/g)) {
    const range = element.ownerDocument.createRange();
    range.setStart(text.currentNode, word.index);
    range.setEnd(text.currentNode, word.index + word[0].length);
    if (range.getClientRects().length > 1) found.push(word[0]);
  }
  return found;
}
function measure(frame) {
  const d = frame.contentDocument, root = d.documentElement, all = s => [...d.querySelectorAll(s)];
  const outside = e => e.getBoundingClientRect().right
    > e.closest("section").getBoundingClientRect().right;
  return {
    width: root.clientWidth, scrolled: root.scrollWidth,
    cut: all("th, td").filter(outside).map(e => e.textContent.trim()),
    broken: all("h1, h2, thead th, .problems td:nth-child(2)").flatMap(broken),
    names: all(".problems tbody th").flatMap(broken),
    row: Math.max(0, ...all(".scores tbody tr").map(e => e.getBoundingClientRect().height)),
    mistakes: lengths(d, ".mistakes .length", ".track", "width"),
    blanks: lengths(d, ".bar i", ".bar", "width"),
    histogram: all(".histogram i").map(e => number(e, "height")),
    dark: frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches,
    paper: all("body, section, .heads div").map(e => getComputedStyle(e).backgroundColor),
    ink: all("h1, td, svg text:not(.on-dark), .legend li").map(e => {
      const style = getComputedStyle(e);
      return e.closest("svg") ? style.fill : style.color;
    }),
    band: all(".band").map(e => getComputedStyle(e).fill),
  };
}
onload = () => document.querySelector("pre").textContent = JSON.stringify(frames.map(measure));
</script>
"""


def measured(
    pages: Sequence[tuple[Path, int]], folder: Path, dark: bool = False
) -> list[dict[str, Any]]:
    """Lays out pages, each at a width; returns what the browser measured."""
    outer = folder / "frames.html"
    frame = '<iframe src="{}" style="width: {}px; height: 900px; border: 0"></iframe>'
    inner = "\n".join(frame.format(page.as_uri(), width) for page, width in pages)
    outer.write_text(FRAMES % inner)
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    done = opened(outer, folder, "--dump-dom", "--allow-file-access-from-files", scheme)
    found = re.search("<pre>(.*)</pre>", done.stdout, re.DOTALL)
    assert found
    return list(json.loads(html.unescape(found[1])))


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_in_a_browser_nothing_is_asked_and_the_figures_are_there(tmp_path: Path) -> None:
    from PIL import Image

    control = tmp_path / "control.html"
    control.write_text("<script>console.error('oops'); fetch('http://example.com/')</script>")
    console, asked = chromium(control, tmp_path, f"--screenshot={tmp_path / 'control.png'}")
    assert "oops" in console
    assert asked == ["http://example.com/"]

    book, _ = fake_class.fill(tmp_path / "book", 300)
    write_pages(load(book, Policy()), tmp_path / "out")
    book.close()
    picture = tmp_path / "page.png"
    arguments = ["--window-size=1250,3000", f"--screenshot={picture}"]
    out = tmp_path / "out"
    for page in (*(out / "students").glob("etc-*"), out / "index.html"):
        assert chromium(page, tmp_path, *arguments) == ("", []), page
    with Image.open(picture) as image:
        found = {color: count for count, color in image.convert("RGB").getcolors(10**6) or []}
    assert found[0x8C, 0xC9, 0xB0] > 50_000  # passed, in histogram and heat map
    assert found[0xB2, 0x3A, 0x1E] > 10_000  # wrong, and how often each mistake was made
    assert found[0x9C, 0x4A, 0x00] > 200  # the median of the learning curves


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Classroom]:
    """Classes with and without a deadline, large and small, by the folder of their pages."""
    if not CHROMIUM:
        pytest.skip("needs Chromium, which is not installed")
    top = tmp_path_factory.mktemp("classes")
    for number in (30, 1):
        fake_class.fill(top / f"{number}", number)[0].close()
    mixed_class(top / "mixed")
    found = {}
    for folder in (top / "30", top / "1", top / "mixed"):
        file = folder / "policy.toml"
        policy = read_policy(file) if file.exists() else Policy()
        with closing(Gradebook(folder)) as book:
            found[folder / "report"] = load(book, policy)
        write_pages(found[folder / "report"], folder / "report")
    return found


@pytest.mark.slow
def test_nothing_is_cut_off_at_any_width(classes: dict[Path, Classroom], tmp_path: Path) -> None:
    students = [next((folder / "students").iterdir()) for folder in classes]
    pages = [*(folder / "index.html" for folder in classes), *students]
    asked = [(page, width) for page in pages for width in (1280, 800, 400)]
    for (page, width), found in zip(asked, measured(asked, tmp_path), strict=True):
        assert (found["width"], found["scrolled"]) == (width, width), page
        assert found["cut"] == [], (page, width)
        assert found["broken"] == [], (page, width)
        assert found["row"] < 100, (page, width)


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_a_long_text_breaks_no_word_beside_it(tmp_path: Path) -> None:
    folder = mixed_class(tmp_path / "mixed")
    with closing(Gradebook(folder)) as book:
        book.set_students([("s1", "Maximiliana Featherstonehaugh", None)])
    decide = ["override", str(folder), "s1", "hw3.dqn.act", "--points", "4"]
    assert main([*decide, "--because", "The course staff has read the whole of it. " * 10]) == 0
    assert main(["report", str(folder)]) == 0
    asked = [(folder / "report" / "index.html", width) for width in (1280, 800, 400)]
    for found in measured(asked, tmp_path):
        assert (found["broken"], found["names"]) == ([], [])
        assert (found["scrolled"], found["cut"]) == (found["width"], [])


@pytest.mark.slow
def test_a_bar_is_as_long_as_its_share(classes: dict[Path, Classroom], tmp_path: Path) -> None:
    asked = [(folder / "index.html", width) for folder in classes for width in (1280, 400)]
    rooms = [room for room in classes.values() for _ in range(2)]
    for room, found in zip(rooms, measured(asked, tmp_path), strict=True):
        graded = len(room.graded)
        shares = [len(one.who) / graded for one in items.misconceptions(room.graded)]
        assert found["mistakes"] == pytest.approx(shares, abs=0.01)
        parts = [s for item in items.items(room) for s in item.shares.values() if s]
        assert found["blanks"] == pytest.approx(parts, abs=0.01)
        bins = items.bins([student.points for student in room.graded], room.most)
        counts = [count for _, _, count in bins]
        most = max(found["histogram"])
        assert most > 100
        assert found["histogram"] == pytest.approx([most * n / max(counts) for n in counts], abs=1)


@pytest.mark.slow
def test_dark_pages_are_dark(classes: dict[Path, Classroom], tmp_path: Path) -> None:
    def light(color: str) -> float:
        return sum(float(part) for part in re.findall(r"[\d.]+", color)[:3]) / (3 * 255)

    folder = next(iter(classes))
    asked = [(page, 1280) for page in (folder / "index.html", *(folder / "students").iterdir())]
    for dark in (False, True):
        for found in measured(asked[:3], tmp_path, dark):
            assert found["dark"] is dark
            assert all((light(color) < 0.2) is dark for color in found["paper"])
            assert all((light(color) > 0.5) is dark for color in found["ink"])
            assert all((light(color) < 0.4) is dark for color in found["band"])
