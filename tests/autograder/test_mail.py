"""Emails that were saved as `.eml`: whose they are, from when, and what is attached."""

from __future__ import annotations

import io
import tarfile
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from autograder.classroom import mail
from autograder.classroom.archive_formats import UnreadableError
from autograder.classroom.collect import collect, read_one, skipped
from autograder.classroom.mail import attachments
from autograder.classroom.read_submission import unpack_runs
from tests.autograder.hand_ins import AGENT, CRITIC, FILES, HANDOUT, below, only

RUN = "hw3_q4_10_10_CartPole-v0_2026-01-01_00-00-00"


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return stream.getvalue()


def email_of(
    attached: dict[str, bytes],
    sender: str | None = "Fox Mulder <Fox@uni.edu>",
    date: str | None = "Wed, 14 Oct 2026 10:33:17 -0700",
) -> EmailMessage:
    message = EmailMessage()
    if sender:
        message["From"] = sender
    if date:
        message["Date"] = date
    message["Subject"] = "hw3"
    message.set_content("Dear Prof, here it is.\n")
    for name, data in attached.items():
        message.add_attachment(data, "application", "octet-stream", filename=name)
    return message


def write(folder: Path, message: EmailMessage | bytes, name: str = "hw3.eml") -> Path:
    data = message if isinstance(message, bytes) else message.as_bytes()
    (folder / name).write_bytes(data)
    return folder / name


def test_an_attached_archive_is_what_was_handed_in(tmp_path: Path) -> None:
    write(tmp_path, email_of({"hw3.zip": zipped(below("cs285/"))}))
    found = only(tmp_path)
    assert (dict(found.files), found.problem, found.remarks) == (FILES, None, ())
    assert (found.sender.student, found.sender.name) == ("Fox Mulder", "Fox Mulder")
    assert found.sender.email == "Fox@uni.edu"
    assert found.sender.received == "2026-10-14T17:33:17+00:00"
    assert skipped(tmp_path) == []


def test_loose_files_are_put_in_their_place(tmp_path: Path) -> None:
    loose = {"dqn_agent.py": AGENT, "dqn_critic.py": CRITIC, "photo.png": b"\x89PNG"}
    write(tmp_path, email_of(loose))
    assert only(tmp_path).files == FILES


def test_code_and_data_may_be_two_archives(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        entry = tarfile.TarInfo(f"data/{RUN}/log.csv")
        entry.size = 7
        archive.addfile(entry, io.BytesIO(b"Step\n1\n"))
    both = {"code.zip": zipped(below("cs285/")), "data.tar.gz": stream.getvalue()}
    write(tmp_path, email_of(both))
    (found,) = collect(tmp_path, HANDOUT, runs=True)
    assert (dict(found.files), [*found.runs]) == (FILES, [f"{RUN}/log.csv"])
    unpack_runs(found.places, tmp_path / "out")
    assert (tmp_path / "out" / RUN / "log.csv").read_bytes() == b"Step\n1\n"


def test_one_email_is_read_as_a_class_is(tmp_path: Path) -> None:
    message = email_of({"hw3.zip": zipped(below("cs285/"))})
    assert read_one(write(tmp_path, message), HANDOUT).files == FILES
    (tmp_path / "outer").mkdir()
    write(tmp_path / "outer", message)
    assert read_one(tmp_path / "outer", HANDOUT).files == FILES


def test_a_forwarded_email_has_its_attachments(tmp_path: Path) -> None:
    outer = email_of({}, sender="Dana Scully <dana@uni.edu>")
    outer.add_attachment(email_of({"hw3.zip": zipped(below("cs285/"))}))
    write(tmp_path, outer)
    found = only(tmp_path)
    assert (found.files, found.sender.email) == (FILES, "dana@uni.edu")


@pytest.mark.parametrize(
    ("sender", "date", "student", "received"),
    [
        (None, None, "Fox Mulder", None),
        ("fox@uni.edu", "yesterday", "fox@uni.edu", None),
        ('"Mulder, Fox" <fox@uni.edu>', "14 Oct 2026 10:00 -0000", "Mulder, Fox",
         "2026-10-14T10:00:00+00:00"),
        ("=?utf-8?q?J=C3=BCrgen=00_=E2=80=8BB?= <j@uni.edu>", None, "Jürgen B", None),
        ("<<@@>>;;,", "Wed, 99 Foo 0000 99:99:99 +9999", "Fox Mulder", None),
    ],
)  # fmt: skip
def test_the_head_names_the_sender(
    tmp_path: Path, sender: str | None, date: str | None, student: str, received: str | None
) -> None:
    lines = [f"From: {sender}\n" if sender else "", f"Date: {date}\n" if date else ""]
    body = email_of({"dqn_critic.py": CRITIC}, sender=None, date=None).as_bytes()
    write(tmp_path, "".join(lines).encode() + body, "Fox Mulder.eml")
    found = only(tmp_path)
    assert (found.sender.student, found.sender.received) == (student, received)
    assert found.files == {"critics/dqn_critic.py": CRITIC}


LOOSE = email_of({"dqn_critic.py": b"x = 1\n" * 200}).as_bytes()


def nested(depth: int) -> EmailMessage:
    message = email_of({"dqn_critic.py": CRITIC})
    for _ in range(depth):
        outer = email_of({})
        outer.add_attachment(message)
        message = outer
    return message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (email_of({}).as_bytes(), "no cs285/ folder"),
        (email_of({"hw3.7z": b"7z"}).as_bytes(), "a .7z archive cannot be read here"),
        (email_of({"hw3.zip": b"PK junk"}).as_bytes(), "the .zip is damaged"),
        (email_of({"../../dqn_critic.py": CRITIC}).as_bytes(), "no cs285/ folder"),
        (email_of({"a.py": b" " * (2**20 + 1)}).as_bytes(), "larger than 1 MB"),
        (email_of({f"{n}.txt": b"" for n in range(501)}).as_bytes(), "too many parts"),
        (nested(20).as_bytes(), "too many parts"),
        (LOOSE[: len(LOOSE) // 2], "the email is damaged: it is cut off"),
        (LOOSE.replace(b"eCA9", b"e*A9", 1), "in the email is damaged: its base64 is wrong"),
        (LOOSE.replace(b"eCA9", b"eA9", 1), "damaged"),
        (LOOSE.replace(b": base64", b": base65"), "is encoded as base65"),
        (b"", "no cs285/ folder"),
        (b"\0\xff" * 99, "damaged"),
        (b"Content-Type: multipart/mixed\n\nx", "damaged"),
    ],
)
def test_what_cannot_be_judged_has_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    write(tmp_path, content, "Fox Mulder.eml")
    found = only(tmp_path)
    assert words in (found.problem or "")
    assert (found.problem or "").isprintable()
    assert found.digest is None


def test_a_hostile_name_is_left_out_with_a_line(tmp_path: Path) -> None:
    head = b"Content-Type: text/x-python\nContent-Disposition: attachment;\n filename*=utf-8''"
    parts = [b"dqn_critic.py\n\ncritic = 1\n", b"..%2F..%2Fx.py\n\nx\n", b"a%0A%1B%00.py\n\nx\n"]
    data = b"Content-Type: multipart/mixed; boundary=b\n\n"
    data += b"".join(b"--b\n" + head + part for part in parts) + b"--b--\n"
    write(tmp_path, data)
    found = only(tmp_path)
    assert found.files.keys() == {"critics/dqn_critic.py"}
    assert len(found.remarks) == 2
    assert all(line.isprintable() and "was left out" in line for line in found.remarks)


def test_a_link_and_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "a.eml").symlink_to("/etc/passwd")
    (tmp_path / "b.eml").mkdir()
    first, second = collect(tmp_path, HANDOUT)
    assert "it is a link" in (first.problem or "") and "no cs285/" in (second.problem or "")


def test_a_large_email_is_refused_and_deep_ones_end_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5000)
    )
    began = time.monotonic()
    with pytest.raises(UnreadableError, match="damaged|too many"):
        attachments(write(tmp_path, deep))
    assert time.monotonic() - began < 15
    monkeypatch.setattr(mail, "LARGEST_MAIL", 2**20)
    with pytest.raises(UnreadableError, match="larger than 1 MB"):
        attachments(write(tmp_path, bytes(2**20 + 1)))
