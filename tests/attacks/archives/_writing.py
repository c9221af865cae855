"""Writers of archives that no tool would write."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from pathlib import Path

from tests.attacks.suite import Files


def as_zip(files: Files, place: Path, compression: int = zipfile.ZIP_DEFLATED) -> None:
    """Hands in a zip."""
    with zipfile.ZipFile(f"{place}.zip", "w", compression) as archive:
        for path, data in files.items():
            archive.writestr(path, data)


def as_tar(files: Files, place: Path, extra: tuple[tarfile.TarInfo, ...] = ()) -> None:
    """Hands in a .tar.gz, with members that have no data behind the files."""
    with tarfile.open(f"{place}.tar.gz", "w:gz") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)


def member(name: str, kind: bytes, to: str = "") -> tarfile.TarInfo:
    """Returns a member of a tar that is no file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, to
    return info


def zip_link(archive: zipfile.ZipFile, name: str, to: str) -> None:
    """Adds a symbolic link to a zip."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, to)


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Returns a zip."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return stream.getvalue()


def email_bytes(attached: Mapping[str, bytes], sender: str = "Ada Berg <ada@uni.edu>") -> bytes:
    """Returns an email with what is attached to it."""
    message = EmailMessage()
    message["From"], message["Date"] = sender, "Wed, 14 Oct 2026 10:33:17 -0700"
    message.set_content("Here is my homework.\n")
    for name, data in attached.items():
        message.add_attachment(data, "application", "octet-stream", filename=name)
    return message.as_bytes()
