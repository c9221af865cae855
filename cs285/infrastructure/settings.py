"""Settings of an agent: frozen, typed, and readable by item too."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

SettingsT = TypeVar("SettingsT", bound="Settings")


class Settings:
    """Base of an agent's settings, each a frozen dataclass in the agent's file."""

    def __getitem__(self, name: str) -> Any:
        """Returns a field, as bodies written for a dict of settings ask for it."""
        return getattr(self, name)

    @classmethod
    def of(cls: type[SettingsT], config: Any, **more: Any) -> SettingsT:
        """Returns the settings: fields that `more` does not hold are those of `config`."""
        names = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: getattr(config, name) for name in names if name not in more}, **more)
