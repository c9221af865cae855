"""Pictures of a task on a machine without a screen."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import MutableMapping

BACKENDS = ("egl", "osmesa")
"""Those of MuJoCo that need no screen, the quicker one first."""
SECONDS = 60.0
# In a process of its own: a backend that fails may end it, and MuJoCo takes one at its import.
PROBE = """
import gymnasium
env = gymnasium.make("InvertedPendulum-v5", render_mode="rgb_array", width=32, height=32)
env.reset()
assert env.render().shape == (32, 32, 3)
"""
INSTALL = "install one: apt-get install libegl1 libgl1-mesa-dri, or libosmesa6"


def has_screen(environment: MutableMapping[str, str]) -> bool:
    """Returns whether a window could be opened; Windows and macOS always have a screen."""
    if sys.platform != "linux":
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def why_no_pictures(env_name: str, environment: MutableMapping[str, str] = os.environ) -> str:
    """Prepares this process for pictures of a task, before MuJoCo is imported.

    Args:
        env_name: Id of Gymnasium.
        environment: Gets what SDL and MuJoCo read where there is no screen.

    Returns:
        Why there can be none, in one line; empty if all is well.
    """
    if has_screen(environment):
        return ""
    # Else SDL, which pygame and Atari games draw with, writes an error line when it looks for one.
    for name in ("SDL_VIDEODRIVER", "SDL_AUDIODRIVER"):
        environment.setdefault(name, "dummy")
    if environment.get("MUJOCO_GL") or not is_mujoco(env_name):
        return ""
    backend = next(filter(draws, BACKENDS), None)
    if backend is None:
        return (
            f"{env_name}: no picture can be made, for there is no screen, and MuJoCo draws with "
            f"neither {' nor '.join(BACKENDS)} here; {INSTALL}"
        )
    environment["MUJOCO_GL"] = backend
    return ""


def is_mujoco(env_name: str) -> bool:
    """Returns whether MuJoCo draws a task: one of Gymnasium's, or of a module that imports it."""
    from cs285.infrastructure.environments import env_by_id

    return "mujoco" in str(env_by_id.find_spec(env_name).entry_point) or "mujoco" in sys.modules


@functools.cache
def draws(backend: str) -> bool:
    """Returns whether MuJoCo can draw with a backend here; it takes a second or two to see."""
    command = [sys.executable, "-W", "ignore", "-c", PROBE]
    environment = {**os.environ, "MUJOCO_GL": backend}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
