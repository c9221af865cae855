"""The library: trainings, and what they have left, as objects of Python and of a notebook."""

from cs285.infrastructure.base.errors import UserError as Error
from cs285.library.runs import Run, load, train
from cs285.library.settings import algorithms, settings
from cs285.library.tasks import env_info

__all__ = ["Error", "Run", "algorithms", "env_info", "load", "settings", "train"]
