"""Text from students, made harmless for a page, a terminal, a file name or a spreadsheet."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
LONGEST = 20_000
# Characters that turn the order of what stands around them, which can make one name look like
# another. Marks of a script's own direction (U+200E, U+200F, U+061C) turn nothing but themselves.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
FORMULA = "=+-@\N{MINUS SIGN}"
BEFORE_FORMULA = " \"'`\u2018\u2019\u201c\u201d\u200b\ufeff"
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def clean(text: str) -> str:
    """Returns text whose every character can be shown, and shows nothing but itself.

    Control characters, those that turn the order of others, and halves of characters become
    REPLACEMENT CHARACTER; all line ends become those of Unix.
    """
    if len(text) > LONGEST:
        text = text[:LONGEST] + " ..."
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(REPLACEMENT if _harmful(character) else character for character in text)


def _harmful(character: str) -> bool:
    if character in "\n\t":
        return False
    kind = unicodedata.category(character)
    return character in TURNING or kind in ("Cc", "Cs", "Zl", "Zp")


def one_line(text: str) -> str:
    """Returns clean text on one line."""
    return " ".join(clean(text).split())


def printable(text: str, encoding: str | None = None) -> str:
    """Returns one line for a terminal; what it cannot show is a question mark.

    Letters that its encoding lacks lose their accents. The encoding is that of the screen, unless
    another one is given.
    """
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    line = unicodedata.normalize("NFC", one_line(text)).replace(REPLACEMENT, "?")
    shown = "".join(c if c.isprintable() else "?" for c in line)
    return "".join(_encodable(c, encoding) for c in shown)


def _encodable(character: str, encoding: str) -> str:
    """Returns what an encoding has of a character: it, else its plain form, else a mark."""
    if character.isascii():
        return character
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c)
    )
    for form in (character, plain):
        with contextlib.suppress(UnicodeEncodeError):
            return form.encode(encoding).decode(encoding)
    return "?"


def padded(text: str, columns: int) -> str:
    """Returns a line of just so many columns of a terminal, in which some letters take two."""
    shown, left = "", columns
    for character in text:
        left -= _columns(character)
        if left < 0:
            left += _columns(character)
            break
        shown += character
    return shown + " " * left


def _columns(character: str) -> int:
    """Returns how many columns a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "FW" else 1


def page_name(student: str) -> str:
    """Returns the file name of a student's page: readable where it can be, unique always."""
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    words = re.findall(r"[a-z0-9]+", printable(student, "ascii").lower())
    slug = "-".join(words)[:40].strip("-")
    return f"{slug}-{digest}.html" if slug else f"{digest}.html"


def is_page_name(name: str) -> bool:
    """Returns whether a file may be one that `page_name` named."""
    return re.fullmatch(r"([a-z0-9]+-)*[0-9a-f]{16}\.html", name) is not None


def cell(text: str) -> str:
    """Returns text that a spreadsheet takes for text.

    A formula may hide behind spaces and quotes, behind full-width forms of its signs, which some
    programs turn into the plain ones, and behind a comma or semicolon, where a program splits at
    the other one. Numbers are left alone.
    """
    text = one_line(text)
    if NUMBER.fullmatch(text):
        return text
    return "".join(_guarded(part) for part in re.split("([,;])", text))


def _guarded(part: str) -> str:
    """Puts an apostrophe before what might be a formula; programs then show it as text."""
    record = unicodedata.normalize("NFKC", part).lstrip(BEFORE_FORMULA)
    return "'" + part if record[:1] and record[0] in FORMULA else part
