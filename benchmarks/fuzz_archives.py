"""Damages archives at random, and reads them: nothing may be read in part without a word.

    python benchmarks/fuzz_archives.py --number 10000

Each damaged archive must be refused, read whole, or read with a line about what is missing. A .tar
without compression has no checksum of its contents: there other bytes of the same length may come
out, and nothing less. Runs are read as well. The exit status is 1 if anything was read in part.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

from autograder.classroom.collect import READING
from autograder.classroom.exports import Sender
from autograder.classroom.reader import Found, Reader
from autograder.running.limits import Limited
from autograder.source.handout_files import given_files

WHOLE, REFUSED, REMARKED = "read whole", "refused", "read with a remark"
ALTERED, IN_PART = "other bytes, which nothing in a .tar shows", "READ IN PART WITHOUT A WORD"
RUN = "data/hw3_q4_10_10_CartPole-v0_2026-01-01_00-00-00"
KINDS = ("zip", "stored.zip", "tar.gz", "tar.xz", "tar.bz2", "tar", "eml")
MOST_DAMAGE = 64  # bytes at a time

Files = Mapping[str, bytes]


def contents(rng: random.Random) -> dict[str, bytes]:
    """Returns what a student hands in: code, a run, and a picture."""
    paths = ["agents/dqn_agent.py", "critics/dqn_critic.py", "policies/argmax_policy.py"]
    given = given_files("hw3")
    found = {f"hw3/cs285/{path}": given[path].encode() for path in paths}
    found["hw3/cs285/my_helpers.py"] = b"".join(b"x%d = %d\n" % (n, n) for n in range(200))
    found["hw3/cs285/agents/notes.txt"] = b"a note\n" * 20
    found[f"hw3/{RUN}/config.json"] = b'{"settings": {"seed": 1}}'
    found[f"hw3/{RUN}/log.csv"] = b"Step,Loss\n" + b"".join(b"%d,0.5\n" % n for n in range(200))
    found[f"hw3/{RUN}/policy.safetensors"] = rng.randbytes(4000)
    found["hw3/figure.png"] = rng.randbytes(2000)
    return found


def packed(files: Files, kind: str) -> bytes:
    """Returns files as an archive, or as an email to which one is attached."""
    if kind == "eml":
        message = EmailMessage()
        message["From"] = "Ada <ada@uni.edu>"
        message["Date"] = "Wed, 14 Oct 2026 10:33:17 -0700"
        message.set_content("My homework.\n")
        message.add_attachment(packed(files, "zip"), "application", "zip", filename="hw3.zip")
        return bytes(message)
    stream = io.BytesIO()
    if kind.endswith("zip"):
        how = zipfile.ZIP_STORED if kind.startswith("stored") else zipfile.ZIP_DEFLATED
        with zipfile.ZipFile(stream, "w", how) as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        return stream.getvalue()
    compression = kind.partition(".")[2]
    with tarfile.open(fileobj=stream, mode=f"w:{compression}") as tar:  # type: ignore[call-overload]
        for path, data in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    whole: bytes = stream.getvalue()
    return whole


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Returns bytes with one to three kinds of damage."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if found:
            damage(found, rng)
    return bytes(found)


def damage(found: bytearray, rng: random.Random) -> None:
    """Damages bytes in one way."""
    place, size = rng.randrange(len(found)), rng.randint(1, MOST_DAMAGE)
    if rng.random() < 0.3:  # the ends have the lists and the checksums
        place = max(0, len(found) - rng.randint(1, 1500))
    other = rng.randrange(len(found))
    kinds: dict[str, tuple[slice, bytes]] = {
        "a bit": (slice(place, place + 1), bytes([found[place] ^ 1 << rng.randrange(8)])),
        "other bytes": (slice(place, place + size), rng.randbytes(size)),
        "zeros": (slice(place, place + size), bytes(size)),
        "missing": (slice(place, place + size), b""),
        "more": (slice(place, place), rng.randbytes(size)),
        "some of its own": (slice(place, place), bytes(found[other : other + size])),
        "cut off": (slice(place, None), b""),
        "a block of its own": (slice(place, place + 512), bytes(found[other : other + 512])),
    }
    where, what = kinds[rng.choice(sorted(kinds))]
    found[where] = what


def came_of(found: Found, right: Found, kind: str) -> str:
    """Returns how a damaged archive was read."""
    if found.problem:
        return REFUSED
    if (dict(found.files), found.runs) == (dict(right.files), right.runs):
        return WHOLE
    if found.remarks or found.needs:
        return REMARKED
    if kind == "tar" and sizes(found) == sizes(right):
        return ALTERED
    return IN_PART


def sizes(found: Found) -> tuple[dict[str, int], set[str]]:
    """Returns the length of each file of code, and the names of the runs' files."""
    return {path: len(data) for path, data in found.files.items()}, set(found.runs)


def main() -> int:
    """Damages and reads; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--number", type=int, default=10_000, help="archives in all (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the damage (0)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where those read in part go")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    files = contents(rng)
    whole = {kind: packed(files, kind) for kind in KINDS}
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    handout = sorted(given_files("hw3"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name, closing(Limited(*READING)) as limited:
        reader = Reader(Path(name), handout, True, limited)

        def read(data: bytes, kind: str) -> Found:
            file = Path(name) / f"ada.{kind}"
            file.write_bytes(data)
            return reader.read(Sender("ada"), [file])

        right = {kind: read(data, kind) for kind, data in whole.items()}
        assert all(one.files and one.runs and not one.remarks for one in right.values())
        for number in range(args.number):
            kind = KINDS[number % len(KINDS)]
            data = damaged(whole[kind], rng)
            result = came_of(read(data, kind), right[kind], kind)
            counts[kind][result] += 1
            if result == IN_PART and args.keep:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{number}.{kind}").write_bytes(data)
    for kind, found in counts.items():
        print(f"{kind:<11}", ", ".join(f"{found[one]} {one}" for one in sorted(found)))
    total = sum(counts.values(), Counter())
    print(f"{args.number} damaged archives in {time.monotonic() - began:.0f} s:")
    print(", ".join(f"{total[one]} {one}" for one in (WHOLE, REFUSED, REMARKED, ALTERED, IN_PART)))
    return int(total[IN_PART] > 0)


if __name__ == "__main__":
    sys.exit(main())
