"""Messages between the judge and the process that runs a student's code: numbers and text only.

A message is its length, 8 bytes, and a safetensors file whose metadata holds one JSON text. Nothing
in it is ever unpickled, and no message is larger than `LIMIT`.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from autograder.probing import Crash, Observation, Trial

LIMIT = 64 * 2**20
HEAD = struct.Struct("<Q")


class ChannelError(Exception):
    """What arrived is not a message."""


def pack(observation: Observation, note: dict[str, Any] | None = None) -> bytes:
    """Returns an observation as bytes, length included."""
    arrays = {
        f"{name}/{key}": np.ascontiguousarray(array)
        for name, trial in observation.items()
        for key, array in trial.arrays.items()
    }
    # Scalars become arrays of one element on the way through `ascontiguousarray`.
    shapes = {
        f"{name}/{key}": array.shape
        for name, trial in observation.items()
        for key, array in trial.arrays.items()
    }
    plain = {name: trial.as_plain() for name, trial in observation.items()}
    text = json.dumps({"trials": plain, "shapes": shapes, "note": note or {}})
    body = save(arrays, {"json": text})
    return HEAD.pack(len(body)) + body


def is_whole(data: bytes | bytearray) -> bool:
    """Tells whether `data` is as long as its first bytes say."""
    size = HEAD.size
    return len(data) >= size and HEAD.unpack(data[:size])[0] == len(data) - size


def unpack(body: bytes) -> tuple[Observation, dict[str, Any]]:
    """Reads the bytes after the length.

    Raises:
        ChannelError: If they are anything but a message; whoever wrote them is not trusted.
    """
    try:
        (head_length,) = HEAD.unpack(body[: HEAD.size])
        head = json.loads(body[HEAD.size : HEAD.size + head_length])
        text = json.loads(head["__metadata__"]["json"])
        arrays = load(body)
        observation = {}
        for name, plain in text["trials"].items():
            crash = Crash(**plain["crash"]) if plain["crash"] else None
            observation[str(name)] = Trial({}, crash)
        for key, array in arrays.items():
            name, _, short = key.partition("/")
            observation[name].arrays[short] = array.reshape(text["shapes"][key])
        return observation, dict(text["note"])
    except Exception as error:
        raise ChannelError(f"not a message: {error}") from error
