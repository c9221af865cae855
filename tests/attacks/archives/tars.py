"""Tars that no tool would write, or that mean harm when somebody unpacks them."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, member
from tests.attacks.suite import Files, handed_in


@handed_in("blank")
def devices(files: Files, place: Path) -> None:
    """A tar with devices and FIFOs in the place of files."""
    device = member("cs285/policies/argmax_policy.py", tarfile.CHRTYPE)
    device.devmajor, device.devminor = 1, 5  # /dev/zero
    rest = {name: data for name, data in files.items() if "argmax" not in name}
    as_tar(rest, place, (device, member("cs285/pipe", tarfile.FIFOTYPE)))


@handed_in("blank")
def hard_links(files: Files, place: Path) -> None:
    """A tar with hard links to files of the machine, and to each other."""
    root = Path(__file__).parents[3]
    path = "cs285/critics/dqn_critic.py"
    link = member(path, tarfile.LNKTYPE, str(root / path))
    rest = {name: data for name, data in files.items() if name != path}
    as_tar(rest, place, (link, member("cs285/x.py", tarfile.LNKTYPE, "cs285/x.py")))


@handed_in("refused")
def tar_bomb(files: Files, place: Path) -> None:
    """A .tar.gz of a megabyte that unpacks to a gigabyte."""
    info = tarfile.TarInfo("cs285/zeros.py")
    info.size = 2**30
    head, zeros = info.tobuf(), bytes(2**20)
    with gzip.open(f"{place}.tar.gz", "wb", compresslevel=1) as stream:
        stream.write(head)
        for _ in range(2**10):
            stream.write(zeros)


@handed_in("refused")
def tar_header_of_digits(files: Files, place: Path) -> None:
    """A tar whose header is a million digits, which some versions of Python search for days."""
    with tarfile.open(f"{place}.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            info = tarfile.TarInfo(path)
            info.pax_headers = {"comment": "0" * 1_000_000}
            archive.addfile(info)


@handed_in("refused")
def tar_header_of_zeros(files: Files, place: Path) -> None:
    """A tar of less than a kilobyte whose first header says that gigabytes of zeros follow."""
    info = tarfile.TarInfo("pax_header")
    info.type, info.size = tarfile.XHDTYPE, 2**30
    Path(f"{place}.tar.bz2").write_bytes(bz2.compress(info.tobuf() + bytes(2**26)))


@handed_in("refused")
def tar_of_holes(files: Files, place: Path) -> None:
    """A tar with a file of exabytes that is said to be all holes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("cs285/policies/argmax_policy.py")
        holes = {"major": "1", "minor": "0", "realsize": str(2**60), "name": info.name}
        info.pax_headers = {f"GNU.sparse.{key}": value for key, value in holes.items()}
        table = b"1\n1152921504606846975\n1\n".ljust(512, b"\0")
        info.size = 1024
        archive.addfile(info, io.BytesIO(table + bytes(512)))
    Path(f"{place}.tar.gz").write_bytes(gzip.compress(stream.getvalue()))


@handed_in("refused")
def tar_of_long_names(files: Files, place: Path) -> None:
    """A tar whose names, in the manner of GNU, are sixty megabytes long."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("cs285/" + "a" * (60 * 2**20)))
    Path(f"{place}.tar.gz").write_bytes(gzip.compress(stream.getvalue()))


@handed_in("refused")
def tar_of_many_headers(files: Files, place: Path) -> None:
    """A tar of two megabytes in which thousands of files have a header of nearly a megabyte each."""
    members = 2_500
    info = tarfile.TarInfo("cs285/a.py")
    info.pax_headers = {"comment": "x" * 900_000}
    member = gzip.compress(info.tobuf(tarfile.PAX_FORMAT))
    Path(f"{place}.tar.gz").write_bytes(member * members)


@handed_in("blank")
def tar_slip(files: Files, place: Path) -> None:
    """A tar that climbs out of its folder, first through names, then through a link."""
    link = member("cs285/up", tarfile.SYMTYPE, "/tmp")
    as_tar({**files, "../../slipped-tar": b"x"}, place, (link, member("cs285/up/slipped", b"0")))
