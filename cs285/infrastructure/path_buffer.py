"""The old place of `rollouts.PathBuffer`, for agents of older handouts."""

from cs285.infrastructure.rollouts import Batch as Batch
from cs285.infrastructure.rollouts import PathBuffer as PathBuffer
