"""Studies from Python, in Spinning Up's words: ExperimentGrid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from studies import command, scripts
from studies.study import Study, several
from studies.values import Value
from studies.words import StudyFlags


class ExperimentGrid:
    """A grid of flags; every combination of their values is run.

    As in::

        grid = ExperimentGrid("bench")
        grid.add("env_name", "CartPole-v1", "", True)
        grid.add("seed", [0, 10, 20])
        grid.add("ac_kwargs:hidden_sizes", [(32,), (64, 64)], "hid")
        grid.run("vpg", num_cpu=4)
    """

    def __init__(self, name: str = "") -> None:
        """Begins an empty grid; a study needs a name, here or in `run`."""
        self.name = name
        self.seeds: tuple[Value, ...] = (0,)
        self._added: dict[str, tuple[tuple[Value, ...], str | None, bool]] = {}

    def add(
        self, param: str, values: Any, shorthand: str | None = None, in_name: bool = False
    ) -> None:
        """Adds a flag.

        Args:
            param: The flag, without dashes.
            values: Its values in a list, or one alone. A tuple is one value: the units of layers.
            shorthand: How names call it; default: its first three letters.
            in_name: Whether names tell it although it has one value only.
        """
        if param == "seed":
            self.seeds = several(values)
            return
        self._added[param] = (several(values), shorthand, in_name)

    def study(self, algorithm: str | Callable[..., int] | None) -> Study:
        """Returns the study that these flags make of an algorithm, or of any where it is None.

        Raises:
            UserError: If there is no such algorithm.
        """
        name = getattr(algorithm, "__name__", algorithm)
        known = None if name is None else scripts.known(str(name))
        told = scripts.common_spellings() if known is None else scripts.spellings(known)
        added = {told.get(name, name): rest for name, rest in self._added.items()}
        return Study(
            self.name,
            () if known is None else (known,),
            {name: all_values for name, (all_values, _, _) in added.items()},
            self.seeds,  # type: ignore[arg-type]  # Study refuses what is no number
            {name: short for name, (_, short, _) in added.items() if short is not None},
            tuple(name for name, (_, _, named) in added.items() if named),
        )

    def print(self, algorithm: str | Callable[..., int] | None = None) -> None:
        """Prints the grid, and the names of its experiments: as an algorithm's, or as any one's."""
        print(self.study(algorithm).describe())

    def run(
        self,
        thunk: str | Callable[..., int],
        num_cpu: int | str = "auto",
        data_dir: str = "data",
        datestamp: bool = False,
        engine: str = "local",
    ) -> int:
        """Runs what is not finished yet, and returns the exit status: 0 if all is.

        Args:
            thunk: The algorithm, by name or as imported from `studies`.
            num_cpu: Runs at the same time.
            data_dir: Where the study's folder lies, or is made.
            datestamp: Whether date and time stand before its name.
            engine: "local", "ray" or "dask".

        Raises:
            UserError: If the study can't be run as it stands.
        """
        flags = StudyFlags(self.name, data_dir, datestamp, str(num_cpu), engine)
        return command.run(self.study(thunk), flags)
