"""What only Atari games have, in the experiments that play them: DQN and PPO."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

from cs285.infrastructure.base.config import RunConfig, UserError, flag


@dataclasses.dataclass(frozen=True)
class AtariFlags(RunConfig):
    """The flags of a game itself; the last of a config's bases, whose defaults are their own."""

    frame_skip: str = flag(
        "4",
        "frames of a step of an Atari game; 2-4x4: four times 2 to 4, as in the course's Gym",
        choices=("4", "2-4x4"),
    )
    sticky_actions: float = flag(
        None,
        "chance that an Atari game repeats its last action, at each frame; default: as the id has "
        "it, 0.25 in MsPacman-v0",
        low=0.0,
        high=1.0,
    )

    def of_game(self) -> dict[str, Any]:
        """Returns what `atari.make_env` takes of these flags."""
        return {"own_skip": self.frame_skip != "4", "sticky": self.sticky_actions}


ConfigT = TypeVar("ConfigT", bound=AtariFlags)


def settle(config: ConfigT) -> ConfigT:
    """Fills in the chance of a repeated action that the game's id has, so that it is recorded.

    Source: Machado et al., 2018, section 5, "sticky actions".

    Raises:
        UserError: If this is no Atari game, or the chance is given twice.
    """
    from cs285.infrastructure.environments import atari, envs

    asked = config.sticky_actions
    if not envs.is_atari(config.env_name):
        if asked is not None:
            raise UserError(f"--sticky_actions: {config.env_name} is no Atari game; leave it out")
        return config
    if atari.REPEAT in (config.env_kwargs or {}):
        if asked is not None:
            raise UserError(
                f"--sticky_actions is the {atari.REPEAT} of --env_kwargs: give one of them only"
            )
        return config
    chance = atari.repeats(config.env_name) if asked is None else asked
    return dataclasses.replace(config, sticky_actions=chance)
