"""Opens pages in Chromium, and records what they print and whom they ask for something."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.running import CHROMIUM


def opened(page: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Opens a page."""
    command = [
        str(CHROMIUM), "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr",
        "--virtual-time-budget=3000", *arguments, page.as_uri(),
    ]  # fmt: skip
    if os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # root has to; the page is our own
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def chromium(page: Path, folder: Path, *arguments: str) -> tuple[str, list[str]]:
    """Opens a page; returns what the console said, and whom the page asked for something."""
    log = folder / "net.json"
    done = opened(page, folder, f"--log-net-log={log}", *arguments)
    events = json.loads(log.read_text())["events"]
    asked = [event.get("params", {}) for event in events]
    # The browser itself asks for updates; what a page asks for has an origin.
    urls = {p["url"] for p in asked if p.get("initiator", "not an origin") != "not an origin"}
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return "\n".join(console), sorted(url for url in urls if not url.startswith("file:"))
