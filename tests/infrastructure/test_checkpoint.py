"""Checkpoints: whatever tears one, a whole one is found, never a mixture."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.state import Blob
from cs285.infrastructure.training import checkpoint
from cs285.infrastructure.training.checkpoint import CheckpointStore


def blob_data(number: int) -> bytes:
    return np.random.default_rng(number).bytes(3000)


def make_tree(step: int) -> dict[str, Any]:
    """A tree whose every part tells its step; each step forgets one blob and adds another."""
    return {
        "step": step,
        "weights": [torch.full((50, 50), float(step)), np.full(300, step)],
        "blobs": {n: Blob(f"chunk_{n:04d}", blob_data(n)) for n in range(step, step + 4)},
        "bytes": str(step).encode() * 100,
    }


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def latest(run_dir: Path) -> tuple[int, list[str]]:
    """The latest checkpoint as a new process finds it, checked to be whole and of one piece."""
    loaded = CheckpointStore(run_dir).load_latest()
    assert loaded is not None
    step, tree, warnings = loaded
    expected = make_tree(step)
    for got, weights in zip(tree.pop("weights"), expected.pop("weights"), strict=True):
        assert type(got) is type(weights) and got.tolist() == weights.tolist()
    assert tree == expected
    return step, warnings


def saved(run_dir: Path, *steps: int) -> Path:
    """Saves these steps; returns the last one's directory."""
    store = CheckpointStore(run_dir)
    for step in steps:
        store.save(step, make_tree(step))
    return run_dir / "checkpoints" / f"step_{steps[-1]:09d}"


def test_a_new_run_has_no_checkpoint(tmp_path: Path) -> None:
    assert CheckpointStore(tmp_path).load_latest() is None


def test_the_last_two_checkpoints_and_their_blobs_are_kept(tmp_path: Path) -> None:
    saved(tmp_path, 1, 2, 3, 10)
    root = tmp_path / "checkpoints"
    assert names(root) == ["blobs", "step_000000003", "step_000000010"]
    assert names(root / "blobs") == [f"chunk_{n:04d}" for n in (3, 4, 5, 6, 10, 11, 12, 13)]
    assert latest(tmp_path) == (10, [])


def test_a_blob_is_written_once(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    store.save(1, make_tree(1))
    blobs = tmp_path / "checkpoints" / "blobs"
    before = {path.name: path.stat().st_ino for path in blobs.iterdir()}
    store.save(2, make_tree(2))
    reopened = CheckpointStore(tmp_path)
    assert reopened.load_latest() is not None
    reopened.save(3, make_tree(3))
    kept = {path.name: path.stat().st_ino for path in blobs.iterdir()}
    assert {kept[name] == before[name] for name in ("chunk_0003", "chunk_0004")} == {True}


def test_the_same_step_can_be_saved_again_and_again(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path)
    for n in range(12):
        store.save(5, {"n": n})
        loaded = CheckpointStore(tmp_path).load_latest()
        assert loaded is not None and loaded[:2] == (5, {"n": n})
    assert len(names(tmp_path / "checkpoints")) == 3
    store.save(6, {"n": -1})
    loaded = CheckpointStore(tmp_path).load_latest()
    assert loaded is not None and loaded[:2] == (6, {"n": -1})


def test_remove_all_leaves_nothing(tmp_path: Path) -> None:
    saved(tmp_path, 1, 2)
    store = CheckpointStore(tmp_path)
    store.remove_all()
    store.remove_all()
    assert names(tmp_path) == []
    assert store.load_latest() is None


def test_files_are_durable_before_the_checkpoint_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, int]] = []
    fsync, rename = os.fsync, os.rename

    def spy_fsync(descriptor: int) -> None:
        events.append(("sync", os.fstat(descriptor).st_ino))
        fsync(descriptor)

    def spy_rename(source: Path, target: Path) -> None:
        events.append(("rename", source.stat().st_ino))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", spy_fsync)
    monkeypatch.setattr(os, "rename", spy_rename)
    final = saved(tmp_path, 1)
    root = tmp_path / "checkpoints"

    def moment(kind: str, path: Path) -> int:
        """When this last happened to what is now called `path`."""
        return len(events) - 1 - events[::-1].index((kind, path.stat().st_ino))

    named = moment("rename", final)
    for directory, number in ((final, 3), (root / "blobs", 4)):
        files = [moment("sync", path) for path in directory.iterdir()]
        assert len(files) == number
        assert max(files) < moment("sync", directory) < named
    assert named < moment("sync", root)


# ---------------------------------------------------------------- torn checkpoints


def flip(path: Path, where: float) -> None:
    data = bytearray(path.read_bytes())
    data[int(where * (len(data) - 1))] ^= 4
    path.write_bytes(data)


def truncate(path: Path, part: float) -> None:
    os.truncate(path, int(part * path.stat().st_size))


FILES = ("state.json", "arrays.safetensors", "manifest.json", "../blobs/chunk_0005")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "tear",
    [
        lambda path: path.unlink(),
        *(lambda path, part=part: truncate(path, part) for part in (0, 0.5, 0.99)),
        *(lambda path, where=where: flip(path, where) for where in (0, 0.3, 0.5, 0.9, 1)),
        lambda path: path.write_bytes(path.read_bytes() + b"x"),
    ],
)
def test_a_torn_checkpoint_is_named_and_the_one_before_is_used(
    tmp_path: Path, name: str, tear: Any
) -> None:
    newest = saved(tmp_path, 1, 2)  # chunk_0005 is in step 2 only
    tear(newest / name)
    step, warnings = latest(tmp_path)
    assert step == 1
    assert len(warnings) == 1 and str(newest) in warnings[0]


@pytest.mark.parametrize("text", ["[]", "null", "{}", '{"state.json": 3}'])
def test_a_manifest_that_is_other_json_tears_its_checkpoint(tmp_path: Path, text: str) -> None:
    (saved(tmp_path, 1, 2) / "manifest.json").write_text(text)
    assert latest(tmp_path)[0] == 1


def test_a_run_goes_on_after_a_torn_checkpoint(tmp_path: Path) -> None:
    truncate(saved(tmp_path, 1, 2) / "arrays.safetensors", 0.5)
    store = CheckpointStore(tmp_path)
    assert store.load_latest() is not None
    store.save(2, make_tree(2))
    assert latest(tmp_path) == (2, [])
    truncate(tmp_path / "checkpoints" / "step_000000002-1" / "state.json", 0.5)
    assert latest(tmp_path)[0] == 1  # step 1 was whole, so it is what was kept
    store.save(3, make_tree(3))
    assert latest(tmp_path) == (3, [])


def test_a_half_written_blob_left_by_a_kill_is_written_again(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    store = CheckpointStore(tmp_path)
    assert store.load_latest() is not None
    (tmp_path / "checkpoints" / "blobs" / "chunk_0005").write_bytes(b"half")
    store.save(2, make_tree(2))
    assert latest(tmp_path) == (2, [])


def test_all_torn_is_a_clear_error(tmp_path: Path) -> None:
    newest = saved(tmp_path, 1, 2)
    (newest / "manifest.json").unlink()
    truncate(newest.with_name("step_000000001") / "state.json", 0.5)
    with pytest.raises(UserError, match="no checkpoint is whole.*manifest.json.*state.json"):
        CheckpointStore(tmp_path).load_latest()


def test_leftovers_are_ignored_and_swept_but_not_what_people_put_there(tmp_path: Path) -> None:
    saved(tmp_path, 1)
    root = tmp_path / "checkpoints"
    shutil.copytree(root / "step_000000001", root / "step_000000009.tmp")
    shutil.copytree(root / "step_000000001", root / "step_000000001 (copy)")
    (root / "blobs" / "chunk_0001.tmp").write_bytes(b"half")
    store = CheckpointStore(tmp_path)
    assert store.load_latest() is not None
    store.save(2, make_tree(2))
    kept = ["blobs", "step_000000001", "step_000000001 (copy)", "step_000000002"]
    assert names(root) == kept
    assert names(root / "blobs") == [f"chunk_{n:04d}" for n in range(1, 6)]


@pytest.mark.parametrize("writes_before", range(8))
def test_a_full_disk_leaves_the_previous_checkpoint_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes_before: int
) -> None:
    store = CheckpointStore(tmp_path)
    store.save(1, make_tree(1))
    left = iter(range(writes_before))

    class FullDisk:
        def __init__(self, path: Path, mode: str) -> None:
            self.file = open(path, mode)

        def __enter__(self) -> FullDisk:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> None:
            if next(left, None) is None:
                self.file.write(data[: len(data) // 2])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.file.write(data)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

    monkeypatch.setattr(checkpoint, "open", FullDisk, raising=False)
    tree = {**make_tree(5)}  # none of its four blobs is known: seven writes in all
    if writes_before < 7:
        with pytest.raises(OSError, match="No space left"):
            store.save(5, tree)
        assert latest(tmp_path) == (1, [])
        assert names(tmp_path / "checkpoints") == ["blobs", "step_000000001"]
    monkeypatch.undo()
    store.save(5, tree)
    assert latest(tmp_path) == (5, [])
    assert not any("tmp" in name for name in names(tmp_path / "checkpoints" / "blobs"))


# ---------------------------------------------------------------- kill -9


def save_forever(run_dir: Path) -> None:
    store = CheckpointStore(run_dir)
    loaded = store.load_latest()
    step = loaded[0] if loaded else 0
    while True:
        step += 1
        store.save(step, make_tree(step))


def kill_again_and_again(run_dir: Path, times: int) -> None:
    """Forks a child that saves in a loop, kills it at a random moment, and checks what is left."""
    rng = random.Random(0)
    began = time.monotonic()
    saved(run_dir, 1, 2, 3, 4)
    one_save = (time.monotonic() - began) / 4  # on a busy disk, all takes longer
    before, torn = 4, 0
    for _ in range(times):
        child = os.fork()
        if child == 0:
            save_forever(run_dir)
        time.sleep(rng.uniform(0.5, 4) * one_save)
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, "the child died by itself"
        torn += any((run_dir / "checkpoints").rglob("*.tmp"))
        step, warnings = latest(run_dir)
        assert step >= before, "a finished checkpoint was lost"
        assert warnings == [], "a kill left a torn checkpoint under a final name"
        before = step
    json.dump({"last_step": before, "killed_while_saving": torn}, sys.stdout)


@pytest.mark.slow
def test_kill_9_at_any_moment_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    # A process of its own, with one thread, may fork: torch is imported once for all the kills.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-W", "error", __file__, str(tmp_path), "18"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["last_step"] > 10, "the children hardly ever saved"
    assert report["killed_while_saving"] > 2, "the kills hardly ever struck a save"


if __name__ == "__main__":
    kill_again_and_again(Path(sys.argv[1]), int(sys.argv[2]))
