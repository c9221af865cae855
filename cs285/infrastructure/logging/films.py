"""Films of episodes: as WebM, and as a GIF beside it for pages and notebooks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cs285.infrastructure.logging.logger import Logger

GIF_BYTES = 3_000_000  # most that a page should have to load
GIF_WIDTH, GIF_SPEED = 320, 15.0  # pixels; pictures a second, at most


def write_film(run_dir: Path, name: str, score: float, frames: np.ndarray, fps: float) -> Path:
    """Writes an episode into a run's videos/, as WebM and as GIF.

    Args:
        run_dir: The run's folder.
        name: The beginning of both files' names; see `Logger.log_video`.
        score: The return of the episode.
        frames: RGB of shape (time, height, width, 3), uint8.
        fps: Pictures a second.

    Returns:
        The path of the WebM; the GIF has the same but for its ending.
    """
    path = Logger(run_dir).log_video(name, score, frames, fps)
    write_gif(path.with_suffix(".gif"), frames, fps)
    return path


def write_gif(path: Path, frames: np.ndarray, fps: float) -> None:
    """Writes frames, RGB of shape (time, height, width, 3), as a GIF that a page loads quickly."""
    from PIL import Image

    height, width = frames.shape[1:3]
    scale = min(1.0, GIF_WIDTH / width)
    size = (round(width * scale), round(height * scale))
    every = max(1, round(fps / GIF_SPEED))
    while True:
        pictures = [Image.fromarray(frame).resize(size).quantize(64) for frame in frames[::every]]
        milliseconds = round(1000 * every / fps)
        pictures[0].save(
            path, save_all=True, append_images=pictures[1:], duration=milliseconds, loop=0
        )
        if path.stat().st_size <= GIF_BYTES or len(pictures) == 1:
            return
        every *= 2
