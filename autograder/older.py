"""Stand-ins for modules that whole files from older handouts import, and nobody has any more.

A method is judged among fakes, so what such a module would do does not matter; that the student's
file can be imported does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

OLDER = re.compile(
    r"(gym(\..*)?|pybullet.*|mujoco_py|cs285\.envs(\..*)?"
    r"|cs285\.infrastructure\.(utils|dqn_utils|wrappers|colab_utils|atari_wrappers|tf_utils)"
    r"|cs285\.(agents|critics|policies)\.(base_agent|base_critic|base_policy))$"
)


class Anything:
    """Can be made from, called with and asked for anything; does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""

    def __call__(self, *args: Any, **kwargs: Any) -> Anything:
        """Returns another one."""
        return Anything()

    def __getattr__(self, name: str) -> Anything:
        """Returns another one under any public name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class StandInModule(ModuleType):
    """A module of an older handout: anything may be imported from it."""

    def __getattr__(self, name: str) -> Any:
        """Returns a class of that name if it begins with a capital, else something to call."""
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Base,), {}) if name[0].isupper() else Anything()


class Base:
    """What classes of older files inherit from: takes any arguments, and passes none on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""
        super().__init__()


class OlderModules(MetaPathFinder, Loader):
    """Finds stand-ins, where nobody else finds a module."""

    def __init__(self) -> None:
        """Has found none."""
        self.found: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Finds a stand-in."""
        return spec_from_loader(name, self, is_package=True) if OLDER.match(name) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Makes a stand-in."""
        self.found.append(spec.name)
        return StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


@contextmanager
def older_modules() -> Iterator[OlderModules]:
    """Lets the modules of older handouts be imported, and forgets them afterwards."""
    finder = OlderModules()
    sys.meta_path.append(finder)
    try:
        yield finder
    finally:
        sys.meta_path.remove(finder)
        for name in finder.found:
            sys.modules.pop(name, None)
