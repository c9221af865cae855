"""Emails as files, `.eml`: whose they are, from when, and what is attached.

All of it is what anybody may have written. What is damaged is refused as a whole, since a decoder
leaves out what it cannot read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC
from email import policy
from email.errors import MessageError
from email.message import EmailMessage, Message
from email.parser import BytesHeaderParser, BytesParser
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.base.text import one_line, visible
from autograder.classroom.archive_formats import PACKING_PROBLEMS, Found, Packed, UnreadableError

MAIL = ".eml"
LARGEST_MAIL = 48 * 2**20  # bytes; what is attached is smaller
LARGEST_HEAD = 2**18  # bytes in which the sender must be
MOST_PARTS, MOST_NESTED = 500, 10
LONGEST_FIELD = 200  # characters of a name or an address
ENCODINGS = ("", "7bit", "8bit", "binary", "base64", "quoted-printable")
MAIL_PROBLEMS = (*PACKING_PROBLEMS, MessageError, LookupError, AttributeError, TypeError)
"""Whatever Python's library raises where a header is of a form that nobody expected."""

Attached = tuple[str, bytes]
Opener = Callable[[str, Path], Found | None]


def mail_entries(file: Path, opener: Opener) -> Found:
    """Yields what is attached to an email, and what is in an archive that is attached.

    Of several archives each is a folder of its own.

    Args:
        file: The email.
        opener: Returns what is in a file of such a name; None if it is no archive.

    Raises:
        UnreadableError: If it is damaged, or there is too much of it.
    """
    attached = attachments(file)
    with TemporaryDirectory(prefix="cs285-") as folder:
        place = Path(folder) / "attached"
        archives = [name for name, _ in attached if opener(name, place) is not None]
        for name, data in attached:
            if name not in archives:
                yield Packed(name, len(data), partial(BytesIO, data))
                continue
            place.write_bytes(data)
            top = f"{name}/" if len(archives) > 1 else ""
            for packed in opener(name, place) or ():
                yield Packed(f"{top}{packed.name}", packed.size, packed.open, packed.folder)


def attachments(file: Path) -> list[Attached]:
    """Returns names and contents of what is attached to an email, or to one forwarded in it.

    Raises:
        UnreadableError: If it is damaged, or there is too much of it.
        OSError: If it cannot be read.
    """
    if file.stat().st_size > LARGEST_MAIL:
        raise UnreadableError(f"the email is larger than {LARGEST_MAIL >> 20} MB")
    with file.open("rb") as stream:
        data = stream.read(LARGEST_MAIL)
    try:
        whole = BytesParser(policy=policy.default).parsebytes(data)
        return [found for part in parts(whole) if (found := attachment(part))]
    except MAIL_PROBLEMS as error:
        raise UnreadableError(f"the email is damaged: {one_line(str(error))}") from error


def parts(whole: Message) -> Iterator[Message]:
    """Yields the parts of an email that have no parts themselves.

    Raises:
        UnreadableError: If they are too many, too deep in each other, or damaged.
    """
    waiting, number = [(whole, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        number += 1
        if number > MOST_PARTS or depth > MOST_NESTED:
            raise UnreadableError("the email has too many parts")
        if part.defects:
            raise UnreadableError(f"the email is damaged: {defect_of(part)}")
        if part.is_multipart():
            inner = [one for one in part.get_payload() if isinstance(one, Message)]
            waiting += [(one, depth + 1) for one in reversed(inner)]
        else:
            yield part


def attachment(part: Message) -> Attached | None:
    """Returns the name and content of one part; None if it has no name, as the text has none.

    Raises:
        UnreadableError: If its content is damaged.
    """
    name = part.get_filename()
    if not name:
        return None
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if encoding not in ENCODINGS:
        raise UnreadableError(
            f"{one_line(name)} is encoded as {one_line(encoding)}; ask for base64"
        )
    data = part.get_payload(decode=True)
    if part.defects or not isinstance(data, bytes):
        raise UnreadableError(f"{one_line(name)} in the email is damaged: {defect_of(part)}")
    return name, data


def defect_of(part: Message) -> str:
    """Returns what is wrong with a part."""
    if not part.defects:
        return "it has no content"
    kind = type(part.defects[0]).__name__
    if kind == "CloseBoundaryNotFoundDefect":
        return "it is cut off"
    return "its base64 is wrong" if "Base64" in kind else one_line(kind)


def sender_of(file: Path) -> dict[str, str | None]:
    """Returns name, email and the time of receipt by an email's own head; all is JSON.

    Raises:
        OSError: If it cannot be read.
    """
    with file.open("rb") as stream:
        head = stream.read(LARGEST_HEAD)
    message = BytesHeaderParser(policy=policy.default).parsebytes(head)
    found = dict.fromkeys(("name", "email", "received"))
    if isinstance(message, EmailMessage):
        found["name"], found["email"] = _from(message)
        found["received"] = _date(message)
    return found


def _from(message: EmailMessage) -> tuple[str | None, str | None]:
    """Returns the display name and the address; None for what is not there, or is no text."""
    try:
        first = message["From"].addresses[0]
        texts = (visible(first.display_name), visible(first.addr_spec))
    except MAIL_PROBLEMS:
        return None, None
    name, address = (text[:LONGEST_FIELD] or None for text in texts)
    return name, address if address and "@" in address.strip("@") else None


def _date(message: EmailMessage) -> str | None:
    """Returns the time by the sender's own clock, ISO, in UTC: so that times can be compared."""
    try:
        time = message["Date"].datetime  # without a zone where that is -0000, which means UTC
        zoned = time if time.tzinfo else time.replace(tzinfo=UTC)
        return str(zoned.astimezone(UTC).isoformat())
    except MAIL_PROBLEMS:
        return None
