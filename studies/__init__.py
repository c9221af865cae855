"""Studies: grids of runs, side by side, found again by content. See docs/studies.md."""

from studies.callable import Training, algorithm
from studies.grid import ExperimentGrid
from studies.scripts import algorithms

__all__ = ["ExperimentGrid"]


def __getattr__(name: str) -> Training:
    """Offers each algorithm by its name, to call or to hand to `ExperimentGrid.run`."""
    if name.removesuffix("_pytorch") in algorithms():
        return algorithm(name)
    raise AttributeError(f"studies has no {name}: {', '.join([*__all__, *algorithms()])}")
