"""What only Atari games have, in the experiments that play them: DQN and PPO."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.infrastructure.base.config import UserError, flag


@dataclasses.dataclass(frozen=True)
class AtariFlags:
    """The flags of a game itself."""

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


def chance_of_repeats(config: Any) -> float | None:
    """Returns what `sticky_actions` is to be recorded as: where no flag says, as the id has it.

    None where the task is no Atari game, or --env_kwargs says it.

    Source: Machado et al., 2018, section 5, "sticky actions".

    Args:
        config: Settings that have these flags.

    Raises:
        UserError: If the chance is given of another task, or twice.
    """
    from cs285.infrastructure.environments import atari, envs

    asked: float | None = config.sticky_actions
    if not envs.is_atari(config.env_name):
        if asked is not None:
            raise UserError(f"--sticky_actions: {config.env_name} is no Atari game; leave it out")
        return None
    if atari.REPEAT in (config.env_kwargs or {}):
        if asked is not None:
            raise UserError(
                f"--sticky_actions is the {atari.REPEAT} of --env_kwargs: give one of them only"
            )
        return None
    return atari.repeats(config.env_name) if asked is None else asked
