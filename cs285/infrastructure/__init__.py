"""The parts that every algorithm needs: environments, memory, the training loop, logs, checkpoints.

Modules that older handouts import from here lie in packages now; their old names still work.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_MOVED = {
    "agents": ("fruit_grid", "off_policy_agent", "returns", "selectors"),
    "infrastructure.environments": ("atari", "envs"),
    "infrastructure.logging": ("logger", "plotting"),
    "infrastructure.replay": ("replay_buffer", "transition_buffer"),
    "infrastructure.base": ("config", "schedules"),
    "infrastructure.training": ("checkpoint", "rollout_collector"),
}
_PACKAGE = __name__.partition(".")[0]
MOVED = {
    f"{__name__}.{name}": f"{_PACKAGE}.{package}.{name}"
    for package, names in _MOVED.items()
    for name in names
}
MOVED[f"{__name__}.path_buffer"] = f"{__name__}.rollouts"
"""The old full name of a module -> its new one."""


class OldNames(MetaPathFinder, Loader):
    """Imports a module of `MOVED` by its old name: it is the same module, not a second one."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns a spec for an old name; None for any other."""
        return ModuleSpec(name, self) if name in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module of the new name."""
        module = importlib.import_module(MOVED[spec.name])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Runs nothing again; gives the module its own spec back."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


if not any(type(finder).__name__ == OldNames.__name__ for finder in sys.meta_path):
    sys.meta_path.append(OldNames())
