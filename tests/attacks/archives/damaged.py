"""Archives with damage that shows only to whoever reads to the end and compares all lists."""

from __future__ import annotations

import gzip
import io
import tarfile
import warnings
import zipfile
from pathlib import Path

from tests.attacks.archives._writing import zip_bytes
from tests.attacks.suite import Files, handed_in, solved_files

CRITIC = b"cs285/critics/dqn_critic.py"


def tar_bytes(files: Files) -> bytes:
    """Returns a tar."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


@handed_in("refused")
def header_in_the_middle(files: Files, place: Path) -> None:
    """A tar with a damaged header, behind which nothing was read once."""
    data = bytearray(tar_bytes(files))
    data[data.rfind(CRITIC)] ^= 1
    Path(f"{place}.tar").write_bytes(data)


@handed_in("refused")
def no_mark_of_the_end(files: Files, place: Path) -> None:
    """A tar that was cut off between two files."""
    data = tar_bytes(files)
    Path(f"{place}.tar").write_bytes(data[: data.rfind(CRITIC)])


@handed_in("refused")
def more_behind_the_end(files: Files, place: Path) -> None:
    """A tar with another one behind its end, which most tools never show."""
    Path(f"{place}.tar").write_bytes(tar_bytes(files) + tar_bytes(solved_files()))


@handed_in("refused")
def second_stream(files: Files, place: Path) -> None:
    """A .tar.gz of two compressed streams, the second of which is another tar."""
    streams = (gzip.compress(tar_bytes(one)) for one in (files, solved_files()))
    Path(f"{place}.tar.gz").write_bytes(b"".join(streams))


@handed_in("refused")
def checksum_of_another(files: Files, place: Path) -> None:
    """A .tar.gz whose checksum is wrong."""
    data = bytearray(gzip.compress(tar_bytes(files)))
    data[-8] ^= 1
    Path(f"{place}.tar.gz").write_bytes(data)


@handed_in("refused")
def name_in_one_list(files: Files, place: Path) -> None:
    """A zip whose two lists of names differ: so one file is no Python file."""
    data = bytearray(zip_bytes(files))
    start = data.rfind(CRITIC)
    data[start + len(CRITIC) - 1] = ord("x")
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def list_that_ends_early(files: Files, place: Path) -> None:
    """A zip whose list of names is shorter than it says."""
    data = bytearray(zip_bytes(files))
    start = data.rfind(b"PK\1\2")
    length = data.rfind(b"PK\5\6") - start
    del data[start : start + length]
    end = data.rfind(b"PK\5\6")
    left = int.from_bytes(data[end + 12 : end + 16], "little") - length
    data[end + 12 : end + 16] = left.to_bytes(4, "little")
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def another_file_in_front(files: Files, place: Path) -> None:
    """A zip with another zip in front of it, of which some tools show the first."""
    Path(f"{place}.zip").write_bytes(zip_bytes(solved_files()) + zip_bytes(files))


@handed_in("refused")
def two_of_one_name(files: Files, place: Path) -> None:
    """A zip with two different files of one name."""
    with zipfile.ZipFile(f"{place}.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that is the idea
        for path, data in [*files.items(), *solved_files().items()]:
            archive.writestr(path, data)


@handed_in("refused")
def two_that_could_be_one(files: Files, place: Path) -> None:
    """Two different files that could both be the critic, and none with its name."""
    both = {f"{n}/dqn_critic ({n}).py": b"x = %d\n" % n for n in (1, 2)}
    Path(f"{place}.zip").write_bytes(zip_bytes(both))


@handed_in("refused")
def seven_zip(files: Files, place: Path) -> None:
    """An archive of a kind that nobody can read here."""
    Path(f"{place}.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(100))
