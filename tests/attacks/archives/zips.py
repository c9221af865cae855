"""Zips that no tool would write, or that mean harm when somebody unpacks them."""

from __future__ import annotations

import struct
import warnings
import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_zip, zip_bytes, zip_link
from tests.attacks.suite import Files, handed_in


@handed_in("blank")
def absolute_paths(files: Files, place: Path) -> None:
    """A zip whose members have absolute paths, drive letters and backslashes."""
    names = ("/tmp/slipped-absolute", "//tmp/slipped-absolute", "C:\\slipped", "..\\..\\slipped")
    as_zip({**files, **dict.fromkeys(names, b"x")}, place)


@handed_in("refused")
def cut_short(files: Files, place: Path) -> None:
    """A zip that was not uploaded to its end."""
    data = zip_bytes(files)
    Path(f"{place}.zip").write_bytes(data[: len(data) // 2])


@handed_in("blank")
def deep_folders(files: Files, place: Path) -> None:
    """A zip with a folder in a folder, two thousand times."""
    as_zip({**files, "cs285/" + "a/" * 2000 + "b.py": b""}, place)


@handed_in("refused")
def letter_case(files: Files, place: Path) -> None:
    """A zip with names that differ in case alone, and with the same name twice."""
    path = "cs285/policies/argmax_policy.py"
    as_zip({**files, "CS285/Policies/ARGMAX_POLICY.py": b"raise SystemExit(0)\n"}, place)
    with zipfile.ZipFile(f"{place}.zip", "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that is the idea
        archive.writestr(path, files[path])


@handed_in("blank")
def long_path_of_a_run(files: Files, place: Path) -> None:
    """A zip with a training run whose folder's name is longer than any disk takes."""
    run = f"data/hw3_q1_{'x' * 5000}"
    deep = "data/" + "hw3_q1/" * 100
    as_zip({**files, f"{run}/log.csv": b"Step\n1\n", f"{deep}log.csv": b"Step\n1\n"}, place)


@handed_in("refused")
def names_that_become_one(files: Files, place: Path) -> None:
    """A zip with several spellings of one path, each with another content."""
    spellings = (
        "cs285//policies/argmax_policy.py",
        "./cs285/policies/./argmax_policy.py",
        "cs285\\policies\\argmax_policy.py",
    )
    first = {name: b"raise SystemExit(%d)\n" % n for n, name in enumerate(spellings)}
    as_zip({**first, **files}, place)


@handed_in("refused")
def no_bytes(files: Files, place: Path) -> None:
    """A zip of no bytes at all."""
    Path(f"{place}.zip").write_bytes(b"")


@handed_in("refused")
def no_course_inside(files: Files, place: Path) -> None:
    """A zip with another homework, and no cs285 folder."""
    as_zip({"homework/solution.py": b"print(100)\n", "report.pdf": b"%PDF"}, place)


@handed_in("refused")
def password(files: Files, place: Path) -> None:
    """A zip that only a password opens."""
    data = bytearray(zip_bytes(files))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1  # the flag that says: encrypted
            at = data.find(mark, at + 4)
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def size_that_lies(files: Files, place: Path) -> None:
    """A zip whose directory says that ten gigabytes are ten bytes."""
    as_zip({**files, "cs285/zeros.py": bytes(300 * 2**20)}, place)
    data = bytearray(Path(f"{place}.zip").read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def too_many_files(files: Files, place: Path) -> None:
    """A zip of two hundred thousand empty files."""
    as_zip({**files, **{f"cs285/{n}.py": b"" for n in range(200_000)}}, place, zipfile.ZIP_STORED)


@handed_in("refused")
def wrong_checksums(files: Files, place: Path) -> None:
    """A zip whose data is not what its checksums were made from."""
    data = bytearray(zip_bytes(files))
    data[200:4000:100] = bytes(38)
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def zip_bomb(files: Files, place: Path) -> None:
    """A small zip that unpacks to ten gigabytes."""
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


@handed_in("refused")
def zip_in_a_zip(files: Files, place: Path) -> None:
    """A zip in a zip in a zip."""
    data = zip_bytes(files)
    for depth in range(20):
        data = zip_bytes({f"{depth}.zip": data})
    Path(f"{place}.zip").write_bytes(data)


@handed_in("refused")
def zip_of_many_names(files: Files, place: Path) -> None:
    """A zip whose directory holds a million names, and none of whose files."""
    names = 1_000_000
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, 0, *[0] * 4, 0, 0, 0, 4, *[0] * 6)
    directory = (entry + b"a.py") * names
    ends = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0, 0)
    Path(f"{place}.zip").write_bytes(directory + ends)


@handed_in("blank")
def zip_slip(files: Files, place: Path) -> None:
    """A zip whose members climb out of the folder that it is unpacked in."""
    outside = {
        "../../../../../../../../../../tmp/slipped-zip": b"x",
        "cs285/../../../slipped-zip": b"x",
        "../slipped-zip/cs285/agents/dqn_agent.py": b"raise SystemExit(0)",
    }
    as_zip({**files, **outside}, place)


@handed_in("blank")
def zip_with_links(files: Files, place: Path) -> None:
    """A zip whose members are symbolic links to files of the machine."""
    root = Path(__file__).parents[3]
    path = "cs285/critics/dqn_critic.py"
    as_zip({name: data for name, data in files.items() if name != path}, place)
    with zipfile.ZipFile(f"{place}.zip", "a") as archive:
        zip_link(archive, path, str(root / path))
