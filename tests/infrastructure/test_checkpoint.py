"""Checkpoints: exact round trips; and whatever tears one, a whole one is found, never a mixture."""

from __future__ import annotations

import errno
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import OrderedDict, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.infrastructure import checkpoint
from cs285.infrastructure.checkpoint import Blob, CheckpointStore, read_state, write_state
from cs285.infrastructure.config import UserError


def assert_same(got: Any, expected: Any) -> None:
    """Same types, dtypes, shapes and bits, all the way down."""
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        assert [type(key) for key in got] == [type(key) for key in expected]
        for key in expected:
            assert_same(got[key], expected[key])
    elif isinstance(expected, list | tuple):
        assert len(got) == len(expected)
        for got_item, expected_item in zip(got, expected, strict=True):
            assert_same(got_item, expected_item)
    elif isinstance(expected, torch.Tensor):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert bytes_of(got) == bytes_of(expected)
    elif isinstance(expected, np.ndarray | np.generic):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert got.tobytes() == expected.tobytes()
    elif isinstance(expected, float):
        assert got == expected or math.isnan(got) and math.isnan(expected)
        assert math.copysign(1, got) == math.copysign(1, expected)
    else:
        assert got == expected


def bytes_of(tensor: torch.Tensor) -> bytes:
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def round_trip(tmp_path: Path, tree: Any) -> Any:
    write_state(tmp_path / "state", tree)
    return read_state(tmp_path / "state")


# ---------------------------------------------------------------- state trees


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, False, 0, -1, 2**53, -(2**64) - 1, 10**5000),
        *(0.1, -0.0, 5e-324, math.inf, -math.inf, math.nan),
        *("", "π \ud800 \x00", b"", b"\x00\xff", [], (), {}, [()], ([], {})),
        {1: "int key", "1": "str key", -5: {"dict": [["a", 1]], "torch": "0 tree"}},
        {"a/b": torch.ones(1), "a": {"b": torch.zeros(1)}},
        *(np.float64(0.1), np.int64(-3), np.bool_(True), np.float32(math.nan)),
        *(np.array(7, np.uint32), np.zeros((0, 3)), np.array([True, False])),
        *(np.arange(12.0).reshape(3, 4).T, np.arange(9)[::-2], np.arange(3, dtype=np.float16)),
        *(torch.tensor(3.5), torch.zeros(0, 2), torch.arange(6).reshape(2, 3).T),
        *(torch.tensor([1.5, math.nan]).bfloat16(), torch.tensor([True]), torch.ones(2).half()),
        Blob("frames_00000007", b"\x00" * 100),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_a_value_comes_back_exactly(tmp_path: Path, value: Any) -> None:
    assert_same(round_trip(tmp_path, {"value": value})["value"], value)


def test_random_states_go_on_with_the_same_numbers(tmp_path: Path) -> None:
    pcg, twister = np.random.Generator(np.random.PCG64(3)), np.random.RandomState(4)
    pcg.random(5, np.float32)  # leaves half of a 64-bit draw behind
    twister.normal(size=3)  # leaves the second of a pair of normals behind
    python = random.Random(5)
    torch_rng = torch.Generator().manual_seed(6)
    state = {
        "pcg": pcg.bit_generator.state,
        "twister": twister.get_state(),
        "python": python.getstate(),
        "torch": torch_rng.get_state(),
    }
    back = round_trip(tmp_path, state)
    assert_same(back, state)

    def draw(a: Any, b: Any, c: Any, d: Any) -> list[Any]:
        numbers = [a.random(3, np.float32).tolist(), b.normal(size=3).tolist(), c.random()]
        return [*numbers, torch.rand(3, generator=d).tolist()]

    expected = draw(pcg, twister, python, torch_rng)
    others = (np.random.default_rng(), np.random.RandomState(), random.Random(), torch.Generator())
    others[0].bit_generator.state = back["pcg"]
    others[1].set_state(back["twister"])
    others[2].setstate(back["python"])
    others[3].set_state(back["torch"])
    assert draw(*others) == expected


def make_learner(seed: int) -> tuple[torch.nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    network = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    return network, torch.optim.Adam(network.parameters(), lr=0.01, eps=1e-4)


def learn(network: torch.nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
    for step in range(steps):
        optimizer.zero_grad()
        network(torch.full((4, 3), 0.1 * step + 1)).square().sum().backward()
        optimizer.step()


def test_adam_goes_on_exactly(tmp_path: Path) -> None:
    network, optimizer = make_learner(1)
    learn(network, optimizer, 3)
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
    back = round_trip(tmp_path, state)
    assert_same(back["optimizer"], state["optimizer"])
    learn(network, optimizer, 3)
    other_network, other_optimizer = make_learner(2)
    other_network.load_state_dict(back["network"])
    other_optimizer.load_state_dict(back["optimizer"])
    learn(other_network, other_optimizer, 3)
    assert_same(dict(other_network.state_dict()), dict(network.state_dict()))


def test_a_deque_travels_as_a_list_and_an_ordered_dict_as_a_dict(tmp_path: Path) -> None:
    window = deque([1.0, 2.0, 3.0], maxlen=3)
    back = round_trip(tmp_path, {"window": list(window), "ordered": OrderedDict(b=1, a=2)})
    assert_same(back, {"window": [1.0, 2.0, 3.0], "ordered": {"b": 1, "a": 2}})
    assert deque(back["window"], maxlen=3) == window


def test_tensors_that_share_memory_come_back_apart_and_writable(tmp_path: Path) -> None:
    shared = torch.arange(4.0)
    array = shared.numpy()
    back = round_trip(tmp_path, [shared, shared[1:], shared.view(2, 2), array, array[:2]])
    assert_same(back, [shared, shared[1:], shared.view(2, 2), array, array[:2]])
    back[0][:] = -1
    back[3][:] = -2
    assert back[1].tolist() == [1, 2, 3] and back[4].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (deque([1]), "tree/agent/0: .* a deque"),
        (os.stat_result(range(10)), "tree/agent/0: .* a stat_result"),
        ({1.5: 0}, "tree/agent/0: a key .* not 1.5"),
        ({True: 0}, "tree/agent/0: a key .* not True"),
        (np.array(["a"]), "tree/agent/0: .* a ndarray <U1"),
        (np.array([None]), "tree/agent/0: .* a ndarray object"),
        (np.zeros(2, ">f4"), "tree/agent/0: .* a ndarray >f4"),
        (torch.nn.Linear(1, 1), "tree/agent/0: .* a Linear"),
    ],
)
def test_what_would_not_come_back_exactly_is_refused_where_it_stands(
    tmp_path: Path, value: Any, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        write_state(tmp_path / "state", {"agent": [value]})


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a b", "x.tmp", "a\n"])
def test_a_blobs_name_is_a_plain_file_name(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a blob"):
        Blob(name, b"")


def test_one_name_for_two_contents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two blobs named 'a' differ"):
        write_state(tmp_path / "state", [Blob("a", b"1"), Blob("a", b"2")])


# ---------------------------------------------------------------- the store


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
    assert_same(tree, make_tree(step))
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
    before, torn = 1, 0
    saved(run_dir, before)
    for _ in range(times):
        child = os.fork()
        if child == 0:
            save_forever(run_dir)
        time.sleep(rng.uniform(0.005, 0.06))
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, "the child died by itself"
        torn += any((run_dir / "checkpoints").rglob("*.tmp"))
        step, warnings = latest(run_dir)
        assert step >= before, "a finished checkpoint was lost"
        assert warnings == [], "a kill left a torn checkpoint under a final name"
        before = step
    print(json.dumps({"last_step": before, "killed_while_saving": torn}))


def test_kill_9_at_any_moment_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    # A process of its own, with one thread, may fork: torch is imported once for all the kills.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-W", "error", __file__, str(tmp_path), "40"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["last_step"] > 10, "the children hardly ever saved"
    assert report["killed_while_saving"] > 5, "the kills hardly ever struck a save"


if __name__ == "__main__":
    kill_again_and_again(Path(sys.argv[1]), int(sys.argv[2]))
