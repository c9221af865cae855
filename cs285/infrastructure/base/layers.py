"""The flags of the networks that agents build: hidden layers, and what follows each of them."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from cs285.infrastructure.base.config import RunConfig, UserError, flag


def activation(default: str, help: str = "after each hidden layer") -> Any:
    """Returns the field of the activation function of the agents' own networks."""
    own = "for another one, give networks of your own: --actor_critic, see docs/library.md"
    rules = flag(default, help, "--act", choices=("tanh", "relu")).metadata
    return dataclasses.field(default=default, metadata={**rules, "otherwise": own})


@dataclasses.dataclass(frozen=True)
class LayerConfig(RunConfig):
    """The flags of the networks."""

    activation: str = activation("tanh")
    hidden: str | None = flag(
        None, "units of each hidden layer: 64,32; default: as -l and -s", "--hid"
    )
    n_layers: int | None = flag(None, "hidden layers of one size; default: 2", "-l", positive=True)
    size: int | None = flag(
        None, "units of each of them; default: 64", "-s", "--layer_size", positive=True
    )

    def hidden_sizes(self, size: int = 64) -> tuple[int, ...]:
        """Returns the units of each hidden layer: of --hid 64,32 or [64,32], or of -l and -s."""
        if self.hidden is None:
            return (self.size or size,) * (self.n_layers or 2)
        if self.n_layers is not None or self.size is not None:
            raise UserError("--hid tells the size of every hidden layer: leave -l and -s out")
        if not re.fullmatch(r"\[? *[1-9]\d*( *, *[1-9]\d*)* *\]?", self.hidden):
            raise UserError(f"--hid takes sizes of layers such as 64,32, not {self.hidden!r}")
        return tuple(int(number) for number in re.findall(r"\d+", self.hidden))
