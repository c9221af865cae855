"""The report in a real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from autograder.classroom.policy import Policy
from autograder.reports.classroom import load
from autograder.reports.pages import write_pages
from tests.autograder import fake_class

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


def chromium(page: Path, folder: Path, *arguments: str) -> tuple[str, list[str]]:
    """Opens a page; returns what the console said, and whom the page asked for something."""
    log = folder / "net.json"
    command = [
        str(CHROMIUM), "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}",
        "--enable-logging=stderr", "--virtual-time-budget=3000", *arguments, page.as_uri(),
    ]  # fmt: skip
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # root has to; the page is our own
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    events = json.loads(log.read_text())["events"]
    asked = [event.get("params", {}) for event in events]
    # The browser itself asks for updates; what a page asks for has an origin.
    urls = {p["url"] for p in asked if p.get("initiator", "not an origin") != "not an origin"}
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return "\n".join(console), sorted(url for url in urls if not url.startswith("file:"))


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
