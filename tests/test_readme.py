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


def test_the_first_screen_has_films_two_commands_the_board_and_the_site() -> None:
    first = README[: README.index("## Start")]
    assert first.count(".gif") == 2 and "docs/images/board.png" in first
    assert "pip install -c constraints.txt -e ." in first
    assert "python -m autograder start hw3" in first
    assert "mkdocs serve" in first and "docs/index.md" in first


def test_a_class_that_is_made_up_is_called_so() -> None:
    for page in (README, (ROOT / "docs/instructor.md").read_text(encoding="utf-8")):
        before, _, _ = page.partition("images/class_report.png")
        assert "made up" in before[-200:]
