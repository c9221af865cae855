"""A small zip that unpacks to ten gigabytes."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

from tests.attacks.suite import Files

EXPECT = "refused"


def hand_in(files: Files, place: Path) -> None:
    zeros = bytes(2**20)
    with zipfile.ZipFile(f"{place}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        with archive.open("cs285/zeros.py", "w", force_zip64=True) as stream:
            for _ in range(300):
                stream.write(zeros)
    _repeat(Path(f"{place}.zip"), b"cs285/zeros.py", 33)


def _repeat(file: Path, name: bytes, times: int) -> None:
    """Lets the zip's directory name its last member several times: the same data, again."""
    data = file.read_bytes()
    end = data.rfind(b"PK\x05\x06")
    count, size, start = struct.unpack("<HLL", data[end + 10 : end + 20])
    entry = data[data.rfind(b"PK\x01\x02", 0, end) : end]
    copies = b"".join(entry.replace(name, b"cs285/z%04d.py" % n + name[14:]) for n in range(times))
    total = count + times
    tail = struct.pack("<HHLL", total, total, size + len(copies), start)
    file.write_bytes(data[:end] + copies + data[end : end + 8] + tail + b"\0\0")
