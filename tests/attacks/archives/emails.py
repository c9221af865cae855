"""Emails that no mail program would write, or that mean harm."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

from tests.attacks.archives._writing import email_bytes, zip_bytes
from tests.attacks.suite import Files, handed_in


@handed_in("blank")
def names_that_lead_out(files: Files, place: Path) -> None:
    """An email with attachments whose names are paths elsewhere, and control characters."""
    names = ("../../slipped.py", "/tmp/slipped.py", "C:\\slipped.py", "a\x1b[2J.py")
    attached = {"hw3.zip": zip_bytes(files), **dict.fromkeys(names, b"x")}
    Path(f"{place}.eml").write_bytes(email_bytes(attached, ""))


@handed_in("refused")
def cut_off(files: Files, place: Path) -> None:
    """An email that ends within an attachment."""
    data = email_bytes({Path(path).name: data for path, data in files.items()}, "")
    Path(f"{place}.eml").write_bytes(data[: len(data) * 2 // 3])


@handed_in("refused")
def damaged_attachment(files: Files, place: Path) -> None:
    """An email with a character in an attachment that base64 does not have."""
    data = bytearray(email_bytes({Path(path).name: data for path, data in files.items()}, ""))
    data[data.rfind(b"\n\n", 0, -200) + 100] = ord("*")
    Path(f"{place}.eml").write_bytes(data)


@handed_in("refused")
def nothing_attached(files: Files, place: Path) -> None:
    """An email of a student who forgot what is to be attached."""
    Path(f"{place}.eml").write_bytes(email_bytes({}, ""))


@handed_in("refused")
def emails_in_emails(files: Files, place: Path) -> None:
    """An email in an email, a hundred times."""
    data = email_bytes({"hw3.zip": zip_bytes(files)})
    for number in range(100):
        head = f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n".encode()
        end = f"\n--b{number}--\n".encode()
        data = head + b"Content-Type: message/rfc822\n\n" + data + end
    Path(f"{place}.eml").write_bytes(data)


@handed_in("refused")
def two_versions(files: Files, place: Path) -> None:
    """An email with two different files of one name."""
    message = EmailMessage()
    for data in (b"x = 1\n", b"x = 2\n"):
        message.add_attachment(data, "text", "x-python", filename="dqn_critic.py")
    Path(f"{place}.eml").write_bytes(message.as_bytes())
