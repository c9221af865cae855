"""The site of the documents, built strictly and opened in a real browser.

A sample of its pages in CI; with CS285_ALL=1 in the environment, all of them.
"""

from __future__ import annotations

import functools
import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from autograder.release import explained
from autograder.reports.linked_pages import linked
from autograder.symptoms import page as symptoms
from tests.browser import chromium, opened
from tests.running import ALL, CHROMIUM, ROOT

pytest.importorskip("material", reason="needs the extra [docs]")
pytestmark = pytest.mark.slow

SAMPLE = ("index", "hw3", "hw3/background", "hw3/questions", "hw4/background", "hw5/background")
SAMPLE += ("results/hw4", "results/performance", "instructor", "autograder")
WIDTHS = (400, 1280)
# A window has a least width, a frame has none.
FRAMES = """<!DOCTYPE html><meta name="color-scheme" content="light dark"><pre></pre>
%s
<script>
const frames = [...document.querySelectorAll("iframe")];
const count = (d, what) => d.querySelectorAll(what).length;
function measure(frame) {
  const d = frame.contentDocument, all = what => [...d.querySelectorAll(what)];
  return {
    path: new URL(frame.src).pathname, width: d.documentElement.clientWidth,
    scrolled: Math.max(d.documentElement.scrollWidth, d.body.scrollWidth),
    formulas: count(d, 'script[type^="math/tex"]'),
    rendered: count(d, ".arithmatex .katex"), wrong: count(d, ".katex-error"),
    dollars: all("article p, article li").filter(e => /\\$\\S|\\\\frac/.test(
      [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join(""))).length,
    wide: all("div.arithmatex").filter(e => e.scrollWidth > e.clientWidth).length,
    broken: all("img").filter(e => !e.naturalWidth).map(e => e.src),
    paper: getComputedStyle(d.body).backgroundColor,
  };
}
onload = () => setTimeout(() => {  // the page chooses light or dark a moment after it was loaded
  document.querySelector("pre").textContent = JSON.stringify(frames.map(measure));
}, 500);
</script>"""
SEARCH = """<!DOCTYPE html><pre></pre>
<iframe src="%s" style="width: 1280px; height: 900px"></iframe>
<script>
const wait = ms => new Promise(done => setTimeout(done, ms));
onload = async () => {
  const d = document.querySelector("iframe").contentDocument;
  const input = d.querySelector('[data-md-component="search-query"]');
  input.focus();
  for (let i = 0; i < 60 && !d.querySelector(".md-search-result__item"); i++) {
    input.value = "truncated";
    input.dispatchEvent(new Event("keyup", {bubbles: true}));
    input.dispatchEvent(new Event("input", {bubbles: true}));
    await wait(250);
  }
  document.querySelector("pre").textContent = JSON.stringify(
    [...d.querySelectorAll(".md-search-result__link")].map(link => link.href));
};
</script>"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


def pages(site: Path) -> list[Path]:
    """The pages to open; comparison pages are no part of the site's design."""
    whole = [path for path in site.rglob("*.html") if "md-content" in path.read_text("utf-8")]
    whole = sorted(path for path in whole if path.name != "404.html")
    return whole if ALL else [site / f"{name}.html" for name in SAMPLE]


def read_pre(done: str) -> Any:
    found = re.search("<pre>(.*?)</pre>", done, re.DOTALL)
    assert found
    return json.loads(html.unescape(found[1]))


def measured(
    asked: list[tuple[Path, int]], folder: Path, dark: bool = False
) -> tuple[list[dict[str, Any]], list[str]]:
    """Opens pages, each at a width; returns what was measured, and lines of the console."""
    frame = '<iframe src="{}" style="width: {}px; height: 900px; border: 0"></iframe>'
    outer = folder / "frames.html"
    outer.write_text(
        FRAMES % "\n".join(frame.format(path.as_uri(), width) for path, width in asked)
    )
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    done = opened(outer, folder, "--dump-dom", "--allow-file-access-from-files", scheme)
    return read_pre(done.stdout), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_nothing_on_the_site_names_another_host(site: Path) -> None:
    """What a page loads; links that a reader may follow are others."""
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(?:https?:)?//[^\">]+")
    found = {match[0] for path in pages(site) for match in loads.finditer(path.read_text("utf-8"))}
    assert not found
    assert not [path for path in site.rglob("*") if path.suffix in (".csv", ".py", ".pyc")]


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_a_wrong_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "wrong.html"
    page.write_text(
        '<p><img src="no.png"><script>console.error("oops")</script><div style="width: 900px">wide'
    )
    (found,), console = measured([(page, 400)], tmp_path)
    assert found["scrolled"] > 400 and found["broken"] and "oops" in "".join(console)


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_a_wrong_formula_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "formulas.html"
    assets = (ROOT / "docs/assets").as_uri()
    formula = '<span class="arithmatex"><script type="math/tex">{}</script></span>'
    scripts = [
        f'<script src="{assets}/{name}"></script>' for name in ("katex/katex.min.js", "math.js")
    ]
    page.write_text(
        "<!DOCTYPE html>"
        + formula.format("a &gt; b")
        + formula.format(r"\frac{a")
        + "".join(scripts)
    )
    (found,), console = measured([(page, 400)], tmp_path)
    assert (found["formulas"], found["rendered"]) == (2, 1)
    assert "KaTeX parse error" in "".join(console)


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_every_formula_is_there_and_nothing_is_wider_than_the_screen(
    site: Path, tmp_path: Path
) -> None:
    todo = [(path, width) for path in pages(site) for width in WIDTHS]
    formulas = 0
    for begin in range(0, len(todo), 10):
        found, console = measured(todo[begin : begin + 10], tmp_path)
        assert console == []
        for (path, width), page in zip(todo[begin : begin + 10], found, strict=True):
            assert (page["width"], page["scrolled"]) == (width, width), path
            assert page["formulas"] == page["rendered"] and not page["wrong"], path
            assert page["dollars"] == 0 and page["broken"] == [], path
            formulas += page["formulas"]
    assert formulas > 300


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_a_page_asks_nobody_and_is_dark_in_the_dark(site: Path, tmp_path: Path) -> None:
    console, asked = chromium(
        site / "hw3/background.html", tmp_path, f"--screenshot={tmp_path / 'page.png'}"
    )
    assert (console, asked) == ("", [])
    papers = []
    for dark in (False, True):  # a profile each, for a browser remembers what it chose
        folder = tmp_path / str(dark)
        folder.mkdir()
        papers.append(measured([(site / "hw3.html", 400)], folder, dark)[0][0]["paper"])
    light, dark = (sum(map(float, re.findall(r"[\d.]+", paper)[:3])) for paper in papers)
    assert light > 700 and dark < 150


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_search_works_from_the_disk(site: Path, tmp_path: Path) -> None:
    outer = tmp_path / "search.html"
    outer.write_text(SEARCH % (site / "index.html").as_uri())
    wait = "--virtual-time-budget=20000"
    done = opened(outer, tmp_path, "--dump-dom", "--allow-file-access-from-files", wait)
    links = read_pre(done.stdout)
    assert any("hw3/background.html" in link for link in links)


@pytest.mark.skipif(not CHROMIUM, reason="needs Chromium, which is not installed")
def test_a_page_on_misconceptions_is_drawn_and_leads_into_the_site(
    site: Path, tmp_path: Path
) -> None:
    change = functools.partial(linked, "hw6")
    folder = site / "misconceptions"
    folder.mkdir(exist_ok=True)  # a clone may have made its pages
    ((name, text),) = explained.pages("hw6", "hw6.ucb.index", change=change)
    page = folder / name
    page.write_text(text, "utf-8")
    (folder / "hw6.html").write_text(symptoms.homework_page("hw6", change), "utf-8")
    found, console = measured([(page, width) for width in WIDTHS], tmp_path)
    assert console == [] and all(one["scrolled"] == one["width"] for one in found)
    drawn = opened(page, tmp_path, "--dump-dom").stdout
    links = re.findall(r'<a href="([^"#]+)(?:#([^"]+))?', drawn[drawn.index("<body") :])
    inside = [(address, anchor) for address, anchor in links if "://" not in address]
    assert len(inside) >= 5
    for address, anchor in inside:
        target = site / urljoin(f"misconceptions/{name}", address)
        assert target.is_file(), address
        assert not anchor or f'id="{anchor}"' in target.read_text("utf-8"), (address, anchor)
