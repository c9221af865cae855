"""Reading what anybody hands in takes bounded time and memory."""

from __future__ import annotations

import io
import tarfile
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom import archive_formats, read_submission
from autograder.classroom import collect as collecting
from autograder.classroom.collect import collect
from tests.attacks.archives.zips import zip_of_many_names
from tests.autograder.hand_ins import only

MODES = {"pia.tgz": "gz", "pia.tar.bz2": "bz2", "pia.tar.xz": "xz"}


def test_a_tar_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_formats, "MOST_UNPACKED", 2**22)
    with tarfile.open(tmp_path / "ned.tgz", "w:gz") as archive:
        entry = tarfile.TarInfo("cs285/data.bin")
        entry.size = 2**23
        archive.addfile(entry, io.BytesIO(bytes(2**23)))
    assert "unpacks to more than" in (only(tmp_path).problem or "")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
@pytest.mark.parametrize("name", MODES)
def test_a_header_of_any_size_takes_little_memory(tmp_path: Path, kind: bytes, name: str) -> None:
    """933 bytes once took 2.7 GB."""
    header = tarfile.TarInfo("@LongLink")
    header.type, header.size = kind, 2**26
    with tarfile.open(tmp_path / name, f"w:{MODES[name]}") as archive:
        archive.addfile(header, io.BytesIO(bytes(2**26)))
    tracemalloc.start()
    problem = read_submission.plainly_read([tmp_path / name], False)["unreadable"]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "a header in it is far too large" in problem
    assert most < 2**24


def test_many_headers_are_unpacked_together_no_further_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 20,000 might have had a megabyte."""
    monkeypatch.setattr(archive_formats, "MOST_UNPACKED", 2**21)
    with tarfile.open(tmp_path / "ida.tgz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for number in range(5):
            entry = tarfile.TarInfo(f"cs285/{number}.py")
            entry.pax_headers = {"comment": "x" * 900_000}
            archive.addfile(entry)
    assert "unpacks to more than" in (only(tmp_path).problem or "")


def test_what_takes_for_ever_to_read_is_left(tmp_path: Path, monkeypatch: Any) -> None:
    """Some versions of Python search a header of a million digits for days."""
    monkeypatch.setattr(collecting, "READING", (1.0, 2**29))
    with tarfile.open(tmp_path / "kai.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        entry = tarfile.TarInfo("cs285/a.py")
        entry.pax_headers = {"comment": "0" * 900_000}
        archive.addfile(entry)
    (tmp_path / "lea").mkdir()
    (tmp_path / "lea" / "dqn_critic.py").write_text("x = 1")
    began = time.monotonic()
    kai, lea = collect(tmp_path, ["critics/dqn_critic.py"])
    assert time.monotonic() - began < 60
    assert kai.problem
    assert lea.files == {"critics/dqn_critic.py": b"x = 1"}


def test_a_zip_of_many_names_takes_little_memory(tmp_path: Path) -> None:
    """Its list of names became an object for each: a gigabyte for a file of a hundred megabytes."""
    zip_of_many_names.hand_in({}, tmp_path / "jon")
    tracemalloc.start()
    problem = read_submission.plainly_read([tmp_path / "jon.zip"], False)["unreadable"]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "the list of what is in the .zip is far too large" in problem
    assert most < 2**24
