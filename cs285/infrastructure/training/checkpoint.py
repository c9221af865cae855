"""Checkpoints: the whole state of a run, written so that a kill at any instant leaves one whole.

A *state tree* is a nested dict (str or int keys), list or tuple of None, bool, int, float, str,
bytes, numpy arrays and scalars, torch tensors and `Blob`. It comes back exactly: types, dtypes,
shapes, layout, every bit (tensors on the CPU, dict subclasses as dict). Nothing is pickled. ::

    run_dir/checkpoints/blobs/<name>                        chunks that never change, written once
    run_dir/checkpoints/step_000123000/state.json           the tree, with placeholders for arrays
                                       arrays.safetensors   arrays, tensors and bytes
                                       manifest.json        SHA-256 of those two and of every blob
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.state import Blob

LAST = torch.channels_last
_BLOBS = "../blobs/"  # where a checkpoint's directory finds its blobs
_DTYPES = [np.dtype(code) for code in "?bBhHiIlLqQefd"]  # of numpy, what safetensors can hold


class _Packer:
    """Turns a tree into JSON, and sets its tensors and blobs aside."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self.blobs: dict[str, bytes] = {}

    def encode(self, value: Any, where: str) -> Any:
        """Returns `value` as JSON: plain where that is exact, else {kind: ...}."""
        kind = type(value)
        if value is None or kind in (bool, str, int, float):
            return value
        if kind in (list, tuple):
            items = [self.encode(item, f"{where}/{i}") for i, item in enumerate(value)]
            return items if kind is list else {"tuple": items}
        if isinstance(value, dict):
            return {"dict": [self._encode_item(*item, where) for item in value.items()]}
        if kind is Blob:
            if self.blobs.setdefault(value.name, value.data) != value.data:
                raise ValueError(f"{where}: two blobs named {value.name!r} differ")
            return {"blob": value.name}
        return self._encode_array(value, where)

    def _encode_item(self, key: Any, value: Any, where: str) -> list[Any]:
        if type(key) not in (str, int):
            raise TypeError(f"{where}: a key of a state tree is a str or an int, not {key!r}")
        return [key, self.encode(value, f"{where}/{key}")]

    def _encode_array(self, value: Any, where: str) -> dict[str, str]:
        # Each is copied: safetensors refuses tensors that share memory, and needs C order.
        if isinstance(value, torch.Tensor):
            # Optimizers step through memory: moments in another layout would meet other weights.
            is_last = not value.is_contiguous() and value.is_contiguous(memory_format=LAST)
            kind = "channels_last" if is_last else "torch"
            tensor = value.detach().cpu().contiguous().clone()
        elif isinstance(value, (np.ndarray, np.generic)) and value.dtype in _DTYPES:
            kind = "numpy" if isinstance(value, np.ndarray) else "scalar"
            tensor = torch.from_numpy(np.array(value, order="C"))
        elif type(value) is bytes:
            kind, tensor = "bytes", torch.from_numpy(np.frombuffer(value, np.uint8).copy())
        else:
            dtype = getattr(value, "dtype", "")
            raise TypeError(f"{where}: a state tree cannot hold a {type(value).__name__} {dtype}")
        name = f"{len(self.tensors)} {where}"  # the number keeps it unique, the path is for readers
        self.tensors[name] = tensor
        return {kind: name}


def _decode(
    tree: Any, tensors: Mapping[str, torch.Tensor], read_blob: Callable[[str], bytes]
) -> Any:
    """Inverts `_Packer.encode`."""

    def decode(value: Any) -> Any:
        if isinstance(value, list):
            return [decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((kind, held),) = value.items()
        return readers[kind](held)

    readers: dict[str, Callable[[Any], Any]] = {
        "tuple": lambda items: tuple(decode(items)),
        "dict": lambda items: {key: decode(item) for key, item in items},
        "blob": lambda name: Blob(name, read_blob(name)),
        "torch": lambda name: tensors[name],
        "channels_last": lambda name: tensors[name].contiguous(memory_format=LAST),
        "numpy": lambda name: tensors[name].numpy(),
        "scalar": lambda name: tensors[name].numpy()[()],
        "bytes": lambda name: tensors[name].numpy().tobytes(),
    }
    return decode(tree)


def write_whole(path: Path, data: bytes) -> str:
    """Writes a file durably, whole or not at all, and returns its SHA-256."""
    beside = path.with_name(path.name + ".tmp")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        beside.unlink(missing_ok=True)  # gives the room back
        raise
    os.replace(beside, path)
    return hashlib.sha256(data).hexdigest()


def _sync_directory(path: Path) -> None:
    """Makes the names in a directory as durable as the files they name.

    Windows opens no directories, and writes their names by itself.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    os.fsync(descriptor)
    os.close(descriptor)


def write_state(
    directory: Path, tree: Any, on_disk: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Writes a state tree durably into `directory`, and its blobs into blobs/ beside that.

    Args:
        directory: Where to write; made if need be.
        tree: A state tree.
        on_disk: The SHA-256 of each blob that is written already, by ../blobs/<name>.

    Returns:
        The SHA-256 of every file of this state, by its path as seen from `directory`.

    Raises:
        TypeError: If the tree holds what a state tree cannot; the message names the place.
    """
    packer = _Packer()
    text = json.dumps(packer.encode(tree, "tree"))
    files = {
        "state.json": text.encode(),
        "arrays.safetensors": safetensors.torch.save(packer.tensors),
    }
    files |= {_BLOBS + name: data for name, data in packer.blobs.items()}
    for folder in (directory, directory.parent / "blobs"):
        folder.mkdir(parents=True, exist_ok=True)
    digests = {}
    for name, data in files.items():
        if on_disk and name in on_disk:
            digests[name] = on_disk[name]
        else:
            digests[name] = write_whole(directory / name, data)
    write_whole(directory / "manifest.json", json.dumps(digests).encode())
    _sync_directory(directory)
    _sync_directory(directory.parent / "blobs")
    return digests


def _read_manifest(directory: Path) -> dict[str, str]:
    digests = json.loads((directory / "manifest.json").read_bytes())
    if not isinstance(digests, dict):
        raise ValueError("manifest.json is damaged")
    return digests


def read_state(directory: Path) -> Any:
    """Returns the tree that `write_state` wrote into `directory`, its tensors on the CPU.

    Raises:
        OSError: If a file or a blob is missing.
        ValueError: If one is not, to the bit, what was written.
    """
    digests = _read_manifest(directory)

    def read(name: str) -> bytes:
        data = (directory / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != digests.get(name):
            raise ValueError(f"{name} is damaged")
        return data

    tree = json.loads(read("state.json"))
    tensors = safetensors.torch.load(read("arrays.safetensors"))
    return _decode(tree, tensors, lambda name: read(_BLOBS + name))


def size_of(tree: Any) -> int:
    """Returns the bytes of the arrays, tensors and blobs in a state tree."""
    if isinstance(tree, dict):
        return sum(map(size_of, tree.values()))
    if isinstance(tree, (list, tuple)):
        return sum(map(size_of, tree))
    if isinstance(tree, Blob):
        return len(tree.data)
    return len(tree) if isinstance(tree, bytes) else int(getattr(tree, "nbytes", 0))


class CheckpointStore:
    """The checkpoints of one run: the last two that are whole, and the blobs that they name."""

    def __init__(self, run_dir: Path) -> None:
        self._directory = run_dir / "checkpoints"
        # The digests in each kept checkpoint's manifest, oldest first, by the checkpoint's name.
        self._kept: dict[str, dict[str, str]] = {}

    def _found(self) -> list[tuple[int, int, Path]]:
        """Returns (step, how often it was saved before, path) of each checkpoint, oldest first."""
        paths = self._directory.glob("step_*")
        matches = [(re.fullmatch(r"step_(\d+)(?:-(\d+))?", path.name), path) for path in paths]
        return sorted((int(m[1]), int(m[2] or 0), path) for m, path in matches if m)

    def save(self, step: int, tree: Any, keep: int = 2) -> None:
        """Writes a checkpoint of `tree`, then drops all but the last `keep`.

        A run that goes on from a checkpoint calls `load_latest` first: its blobs are then known.

        Raises:
            OSError: If it cannot be written (the disk is full); earlier checkpoints stay whole.
        """
        again = 1 + max((again for s, again, _ in self._found() if s == step), default=-1)
        name = f"step_{step:09d}" + (f"-{again}" if again else "")
        beside = self._directory / f"{name}.tmp"
        shutil.rmtree(beside, ignore_errors=True)
        blobs = {n: d for kept in self._kept.values() for n, d in kept.items() if "/" in n}
        try:
            digests = write_state(beside, tree, blobs)
        except OSError:
            shutil.rmtree(beside, ignore_errors=True)  # gives the room back to the log
            raise
        os.rename(beside, self._directory / name)  # from here on it is the latest
        _sync_directory(self._directory)
        self._kept[name] = digests
        for older in list(self._kept)[:-keep]:
            del self._kept[older]
        self._drop_the_rest()

    def _drop_the_rest(self) -> None:
        """Removes older and torn checkpoints, leftovers of killed saves, and unnamed blobs."""
        for path in [*self._directory.glob("*.tmp"), *(path for _, _, path in self._found())]:
            if path.name not in self._kept:
                shutil.rmtree(path, ignore_errors=True)
        named = {name for digests in self._kept.values() for name in digests}
        for path in (self._directory / "blobs").iterdir():
            if _BLOBS + path.name not in named:
                path.unlink()

    def load_latest(self) -> tuple[int, Any, list[str]] | None:
        """Returns the newest whole checkpoint as (step, tree, warnings), None if there is none.

        Every file and blob is verified. One warning names each newer checkpoint that is torn.

        Raises:
            UserError: If there are checkpoints, and all are torn.
        """
        warnings = []
        for step, _, path in reversed(self._found()):
            try:
                tree = read_state(path)
            except (OSError, ValueError) as error:
                warnings.append(f"{path} is not whole: {error}")
                continue
            self._kept = {path.name: _read_manifest(path)}
            return step, tree, warnings
        if warnings:
            raise UserError(f"no checkpoint is whole, begin a new run: {'; '.join(warnings)}")
        return None

    def remove_all(self) -> None:
        """Removes every checkpoint and blob, when the run is finished and needs none."""
        doomed = self._directory.with_suffix(".tmp")
        shutil.rmtree(doomed, ignore_errors=True)
        if self._directory.exists():
            os.rename(self._directory, doomed)  # at once, so that a kill leaves all or none
            shutil.rmtree(doomed)
        self._kept = {}


@contextlib.contextmanager
def stop_signals(ask: Callable[[], None]) -> Iterator[None]:
    """Turns Ctrl-C and SIGTERM into a call of `ask`, so that no step is left half done.

    Python lets the main thread alone handle signals. In another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.signal(number, lambda *_: ask()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
