"""The settings of an Atari game, for the algorithms that play them."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.infrastructure.base.settings import flag


@dataclasses.dataclass(frozen=True)
class AtariFlags:
    """What a game itself is made with."""

    frame_skip: str = flag(
        "4",
        "frames of a step of an Atari game; 2-4x4: four times 2 to 4, as in the course's Gym",
        choices=("4", "2-4x4"),
    )
    sticky_actions: float | None = flag(
        None,
        "chance that an Atari game repeats its last action, at each frame; default: as the id has "
        "it, 0.25 in MsPacman-v0",
        low=0.0,
        high=1.0,
    )

    def of_game(self) -> dict[str, Any]:
        """Returns what `atari.make_env` takes of these flags."""
        return {"own_skip": self.frame_skip != "4", "sticky": self.sticky_actions}
