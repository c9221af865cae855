"""Homework 4: hands over to the script of one algorithm: --algo ddpg, td3 or sac."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from cs285.infrastructure.config import UserError, cli, read_config_json

ALGORITHMS = ("ddpg", "td3", "sac")


def take(words: list[str], name: str) -> str | None:
    """Removes `--name value` or `--name=value` from the words, and returns the value."""
    for i, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == f"--{name}":
            del words[i]
            return value if equals else words.pop(i) if i < len(words) else ""
    return None


def script_for(words: list[str]) -> str:
    """Returns the name of the script that these words are for, and removes --algo from them.

    Raises:
        UserError: If they name no algorithm, neither by --algo nor by the folder to resume.
    """
    algorithm, folder = take(words, "algo"), take(list(words), "resume")
    if algorithm is None and folder is not None:
        script = str(read_config_json(Path(folder)).get("script"))
        algorithm = script.removeprefix("run_hw4_")
    if algorithm not in ALGORITHMS:
        raise UserError(f"--algo takes one of {', '.join(ALGORITHMS)}, not {algorithm!r}")
    return f"run_hw4_{algorithm}"


@cli
def main(argv: Sequence[str]) -> int:
    """Runs the script of the algorithm with the other words."""
    words = list(argv)
    script = script_for(words)
    # What the run's config.json and messages tell people to type is the script's own command.
    sys.argv = [str(Path(sys.argv[0]).with_name(f"{script}.py")), *words]
    status: int = importlib.import_module(script).main(words)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
