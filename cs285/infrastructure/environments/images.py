"""Images as observations: which tasks show them, and the grey frames that the network looks at."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Space
from gymnasium.wrappers import GrayscaleObservation, ResizeObservation, TransformObservation

from cs285.infrastructure.base.errors import UserError

SIDE = 84  # pixels, as `NatureCNN` wants them
LEAST_SIDE = 32  # fewer pixels are cells of a grid, whose bytes are no brightness


def is_image(space: Space[Any]) -> bool:
    """Returns whether observations are pictures: bytes from 0 to 255, in rows and columns."""
    if not isinstance(space, Box) or space.dtype != np.uint8 or len(space.shape) not in (2, 3):
        return False
    large = sorted(space.shape)[-2] >= LEAST_SIDE
    return large and bool((space.low == 0).all() and (space.high == 255).all())


def as_frames(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Makes a task's pictures grey frames of 84 x 84 bytes.

    Args:
        env: Shows pictures of shape (height, width), with 1 or 3 channels behind or in front.

    Raises:
        UserError: If the pictures have another number of channels.
    """
    shape: tuple[int, ...] = env.observation_space.shape or ()
    if len(shape) == 3 and shape[0] in (1, 3) and shape[2] not in (1, 3):
        shape = (*shape[1:], shape[0])
        env = TransformObservation(
            env, lambda picture: np.ascontiguousarray(np.moveaxis(picture, 0, -1)), _bytes(shape)
        )
    if len(shape) == 3 and shape[2] not in (1, 3):
        raise UserError(f"images of shape {shape} have neither 1 nor 3 channels: wrap the task")
    if shape[:2] != (SIDE, SIDE):
        env = ResizeObservation(env, (SIDE, SIDE))
    if len(shape) == 3 and shape[2] == 3:
        return GrayscaleObservation(env)
    if len(shape) == 3:
        return TransformObservation(env, lambda picture: picture[..., 0], _bytes((SIDE, SIDE)))
    return env


def _bytes(shape: tuple[int, ...]) -> Box:
    """Returns the space of pictures of a shape."""
    return Box(0, 255, shape, np.uint8)
