"""Films of episodes: as WebM, and as a GIF beside it for pages and notebooks."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

GIF_BYTES = 3_000_000  # most that a page should have to load
MOST_ROWS = 5000  # of the numbers beside a film
GIF_WIDTH, GIF_SPEED = 320, 15.0  # pixels; pictures a second, at most


def write_video(run_dir: Path, what: str, score: float, frames: np.ndarray, fps: float) -> Path:
    """Writes an episode into a run's videos/ as WebM, in VP8, which browsers play.

    Args:
        run_dir: The run's folder.
        what: The beginning of the file's name, which ends with `score`: episode_1_return_1290.
        score: The return of the episode.
        frames: RGB of shape (time, height, width, 3), uint8.
        fps: Pictures a second.

    Returns:
        The path of the video.

    Raises:
        ValueError: If `frames` has another shape or type, or contains no frame.
        OSError: If the file cannot be written.
    """
    import cv2  # not needed by runs without videos

    if frames.ndim != 4 or frames.shape[-1] != 3 or not len(frames) or frames.dtype != np.uint8:
        raise ValueError(f"frames: want uint8 (T, H, W, 3), got {frames.dtype} {frames.shape}")
    number = f"{score:.2f}".removesuffix("0").removesuffix(".0")
    path = run_dir / "videos" / f"{what}_return_{number}.webm"
    path.parent.mkdir(exist_ok=True)
    codec, width_height = cv2.VideoWriter.fourcc(*"VP80"), (frames.shape[2], frames.shape[1])
    with _without_stderr():  # it complains that WebM knows no such number, and then uses it
        writer = cv2.VideoWriter(str(path), codec, float(fps), width_height)
    if not writer.isOpened():
        raise OSError(f"cannot write the video {path}")
    for frame in frames:
        writer.write(cv2.cvtColor(frame, cv2.COLOR_RGB2BGR))
    writer.release()
    return path


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Keeps what libraries in C write to standard error from the terminal."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


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


class Beside:
    """What a policy computed at each frame of a film, for the page that shows both.

    These are the Q-values of all actions, or their probabilities: whatever the policy chooses by.
    A policy of continuous actions has neither.
    """

    def __init__(self, policy: Any) -> None:
        """Finds out what the policy chooses by."""
        self.policy = getattr(policy, "policy", policy)  # within a `DeterministicPolicy`
        self.critic: Any = getattr(policy, "critic", None)
        self.rows: list[list[float]] = []
        self.actions: list[int] = []

    def note(self, obs: np.ndarray, action: Any) -> None:
        """Notes the numbers of one frame, and the action that was taken."""
        numbers = self._numbers(np.asarray(obs))
        if numbers is not None and len(self.rows) < MOST_ROWS:
            self.rows.append([float(f"{value:.4g}") for value in numbers])
            self.actions.append(int(action))

    def _numbers(self, obs: np.ndarray) -> np.ndarray | None:
        if hasattr(self.critic, "qa_values"):
            values: np.ndarray = np.asarray(self.critic.qa_values(obs[None]))[0]
            return values
        if not getattr(self.policy, "discrete", False):
            return None
        import torch

        from cs285.infrastructure import pytorch_util as ptu

        with torch.no_grad():
            chances: np.ndarray = ptu.to_numpy(self.policy(ptu.from_numpy(obs[None])).probs)[0]
        return chances

    def write(self, film: Path, fps: float, names: Sequence[str] = ()) -> None:
        """Writes the numbers beside a film, if there are any."""
        if not self.rows:
            return
        by_value = hasattr(self.critic, "qa_values")
        meaning = "Q-values at this frame" if by_value else "probability of each action"
        content = {
            "meaning": f"{meaning}; the action that was taken is bold",
            "fps": fps,
            "names": list(names),
            "rows": self.rows,
            "actions": self.actions,
        }
        text = json.dumps(content, separators=(",", ":"))
        film.with_suffix(".json").write_text(text, encoding="utf-8")
