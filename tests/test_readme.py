"""The README's first commands come in an order in which they work."""

from __future__ import annotations

from tests.running import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_a_bare_linux_needs_comes_before_the_command_that_needs_it() -> None:
    start = README[README.index("## Start") :]
    for package, needed_by in {
        "git": "git clone",
        "python3-venv": "python3 -m venv",
        "libgl1": "pip install",
        "libglib2.0-0": "pip install",
    }.items():
        line = next(line for line in start.splitlines() if line.startswith("apt-get install"))
        assert package in line.split()
        assert start.index(line) < start.index(needed_by)


def test_no_command_of_the_handouts_needs_a_number_of_threads() -> None:
    pages = [ROOT / "README.md", ROOT / "tests/commands.txt", *ROOT.glob("docs/*.md")]
    pages += ROOT.glob("docs/hw?/*.md")
    commands = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        if line.startswith("python ")
    ]
    assert len(commands) > 100
    assert not [command for command in commands if "--threads" in command]
