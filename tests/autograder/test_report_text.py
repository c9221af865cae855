"""Text and file names of reports are harmless, and stay readable."""

from __future__ import annotations

from autograder.reports.text import clean, is_page_name, page_name


def test_file_names_are_safe_and_differ() -> None:
    hostile = ["../../x", "CON", "nul\x00", "a/b", "a\\b", "", ".", "-rf", "\ud800", "a" * 999, "é"]
    names = [page_name(who) for who in [*hostile, "Ada", "ada", "ada ", "ADA"]]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert is_page_name(name)
        assert len(name) < 80


def test_cleaning_keeps_what_is_only_foreign() -> None:
    for text in ("Zoë", "\u0645\u0631\u064a\u0645", "李小龙", "O'Brien-Łukasz", "👩‍🔬", "a\tb\nc"):
        assert clean(text) == text
    for text in ("\x00", "\x7f", "\x9b", "\u2066", "\u202a", "\u2028", "\ud800"):
        assert clean(f"a{text}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert clean("a\r\nb\rc") == "a\nb\nc"
    assert len(clean("x" * 10**6)) < 21_000
