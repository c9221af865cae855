"""cs285: deep reinforcement learning, taught from one solved source.

As a library::

    import cs285

    run = cs285.train("dqn", env="CartPole-v1", num_timesteps=5000)
    run.evaluate(episodes=10)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cs285.library import Error, Run, algorithms, env_info, load, settings, train

__version__ = "0.2.0"
__all__ = ["Error", "Run", "algorithms", "env_info", "load", "settings", "train"]


def __getattr__(name: str) -> Any:
    """Imports the library when a part of it is first asked for: `import cs285` stays quick."""
    if name in __all__:
        return getattr(importlib.import_module(f"{__name__}.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Returns all names, those of the library too."""
    return sorted({*globals(), *__all__})
