"""What a machine makes up is refused in one line or judged as wrong; nothing else comes of it.

Things are made from valid ones by damage, and from nothing. `CS285_FUZZ` is how many of a kind.
"""

from __future__ import annotations

import functools
import io
import json
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.base import packed
from autograder.base.results import FAILED
from autograder.base.seen import MAX_TEXT, Seen, describes
from autograder.base.text import plain_text
from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook
from autograder.evidence.curves import curves
from autograder.evidence.files import UnreadableError
from autograder.evidence.judging import read_folder
from autograder.evidence.policies import MisfitError, load_weights
from autograder.evidence.run_folder import read_run
from autograder.grading.judging import judged, worded
from autograder.misconceptions import search
from autograder.running import channel
from autograder.running.session import Worker
from autograder.source.altered import another_years
from tests.attacks.test_forged_records import SEED, right
from tests.autograder.corpus import reference_files
from tests.autograder.evidence.run_folders import NAME, write_run
from tests.autograder.judging import FORMULA

pytestmark = pytest.mark.slow
EXAMPLES = int(os.environ.get("CS285_FUZZ", "200"))
MANY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="CS285_FUZZ" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
QUICK = [check for check in FORMULA if check.points]
EVERYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)
KEYS = st.sampled_from(["ended", "files", "lost", "ready", "seen", "arrays", "note", "kind"])
PLACES = EVERYTHING | st.tuples(
    st.sampled_from(["f4", "f8", "i8", "bool", "u1"]), st.integers(), st.lists(st.integers())
)
NUMBERS = arrays.arrays(
    st.sampled_from(["f4", "f8", "i8", "i4", "u1", "?"]), arrays.array_shapes(min_dims=0)
)


@functools.cache
def honest() -> bytes:
    """A message such as workers send."""
    return channel.pack(right(QUICK[0]), files=["agents/a.py"], ended="")[8:]


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bytes of which some are changed, left out, repeated, or put elsewhere."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        size = draw(st.integers(0, 40))
        part = draw(st.binary(max_size=40) | st.just(bytes(data[at : at + size]) * 2))
        data[at : at + size] = part
    return bytes(data)


class Liar(Worker):
    """A worker whose process answers with anything."""

    def __init__(self, message: bytes) -> None:
        super().__init__((), {})
        self.message = message

    def _start(self, inherited: Sequence[int] = ()) -> None:
        pass

    def _send(self, request: dict[str, Any], body: bytes = b"") -> None:
        pass

    def _receive(self, seconds: float) -> bytes | None:
        return self.message


def assert_clean(seen: Seen) -> None:
    texts = [seen.ended, *(seen.files or ()), *seen.arrays, *seen.crashes]
    texts += [crash.text for crash in seen.crashes.values()]
    for text in texts:
        assert text == plain_text(text, MAX_TEXT)
        text.encode()


@MANY
@given(st.data())
def test_bytes_are_a_message_or_refused(data: st.DataObject) -> None:
    body = data.draw(damaged(honest()) | st.binary(max_size=200))
    assert_clean(Liar(body).see(QUICK[0], 0, 1.0))


@MANY
@given(st.dictionaries(KEYS | st.text(), EVERYTHING, max_size=6), st.data())
def test_notes_and_tables_of_contents_are_taken_apart(note: dict[str, Any], data: Any) -> None:
    """The JSON within a message, of any form."""
    text = packed.head_of(honest())
    names, crashes, *_ = text["seen"][0]
    tables = {"note": text["note"], "names": names, "crashes": crashes, "all": text}
    place = data.draw(st.sampled_from([*tables, "places"]))
    if place == "places":
        text["arrays"][data.draw(st.integers(0, len(text["arrays"]) - 1))] = data.draw(PLACES)
    else:
        tables[place].update(note)
    rows = {kind: np.zeros(3, kind) for kind in ("f4", "f8", "i8", "bool")}
    body = safetensors.numpy.save(rows, {"json": json.dumps(text)})
    assert_clean(Liar(body).see(QUICK[0], 0, 1.0))


@settings(MANY, max_examples=EXAMPLES // 4)  # each is judged
@given(st.sampled_from(QUICK), st.data())
def test_records_that_are_wrong_fail(check: Any, data: Any) -> None:
    real, names = right(check).arrays, st.sampled_from([*right(check).arrays])
    chosen = data.draw(st.lists(names, min_size=1, max_size=3, unique=True))
    forged = real | {name: data.draw(NUMBERS) for name in chosen}
    made, _ = channel.unpack(channel.pack(Seen(forged))[8:])
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(search, "TRIES", 0)  # several misconceptions at once take seconds to find
        verdict = worded(check, judged(check, made, SEED))
    reported = any(map(describes, chosen))  # and not compared
    same = all(
        forged[name].shape == real[name].shape
        and np.allclose(forged[name], real[name], 1e-3, 1e-3, equal_nan=True)
        for name in chosen
    )
    assert verdict.verdict == FAILED or reported or same, (chosen, verdict)


def archive_of(kind: str) -> bytes:
    stream = io.BytesIO()
    files = {f"cs285/{path}": text.encode() for path, text in list(reference_files().items())[:3]}
    if kind == "zip":
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in files.items():
                archive.writestr(path, content)
    else:
        with tarfile.open(fileobj=stream, mode="w:gz" if kind == "tgz" else "w") as archive:
            for path, content in files.items():
                entry = tarfile.TarInfo(path)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


PACKED = {kind: archive_of(kind) for kind in ("zip", "tgz", "tar")}


@MANY
@given(st.sampled_from(sorted(PACKED)), st.data())
def test_archives_are_read_or_have_one_line(kind: str, data: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        content = data.draw(damaged(PACKED[kind]) | st.binary(max_size=300))
        Path(folder, f"max.{kind}").write_bytes(content)
        (found,) = collect(Path(folder), sorted(reference_files()), runs=True)
        another_years("hw3", found.files)
    assert (found.digest is None) == bool(found.problem)
    for line in (found.problem or "", *found.remarks):
        assert line.isprintable()
        assert len(line) < 300


@MANY
@given(st.lists(st.text(min_size=1, max_size=60), min_size=1, max_size=4))
def test_names_are_told_apart_and_can_be_stored(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "in")
        place.mkdir()
        for name in names:
            try:
                Path(place, name.replace("/", "")).mkdir()
            except (OSError, ValueError):
                continue  # no disk takes it
        found = collect(place, sorted(reference_files()))
        assert len({one.source for one in found}) == len(found)
        book = Gradebook(Path(folder, "book"), create=True)
        book.set_students([(one.sender.student, one.sender.name, None) for one in found], [])
        book.close()


@functools.cache
def run_parts() -> dict[str, bytes]:
    """The files of an honest run."""
    with tempfile.TemporaryDirectory() as folder:
        run = write_run(Path(folder, NAME))
        kept = ("config.json", "log.csv", "policy.safetensors")
        return {name: (run / name).read_bytes() for name in kept}


@MANY
@given(st.data())
def test_runs_are_read_or_refused(data: Any) -> None:
    damages = st.sampled_from(sorted(run_parts()))
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, NAME)
        run.mkdir()
        for name, content in run_parts().items():
            (run / name).write_bytes(content)
        name = data.draw(damages)
        (run / name).write_bytes(data.draw(damaged(run_parts()[name])))
        with np.errstate(all="ignore"):
            curves(read_folder("hw3", Path(folder)))
            for read in (
                lambda: read_run(run),
                lambda: load_weights((run / "policy.safetensors").read_bytes(), {}),
            ):
                try:
                    read()
                except (UnreadableError, MisfitError) as error:
                    assert "\n" not in str(error)
