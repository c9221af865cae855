"""Finds a homework's experiment by the algorithm that a command line names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cs285.experiments import registry
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import UserError


def take(words: list[str], name: str) -> str | None:
    """Removes `--name value` or `--name=value` from the words, and returns the value."""
    for i, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option != f"--{name}":
            continue
        del words[i]
        if equals:
            return value
        if i < len(words):
            return words.pop(i)
        return ""  # the value is missing
    return None


def typed_as(script: str, words: Sequence[str]) -> None:
    """Makes the command line that of a script, which messages then name."""
    typed = Path(sys.argv[0])
    if typed.suffix == ".py":  # an installed command has no script of its own
        typed = typed.with_name(f"{script}.py")
    sys.argv = [str(typed), *words]


def script_for(homework: str, words: list[str]) -> str:
    """Returns the name of a homework's script that the words are for; removes --algo from them.

    Raises:
        UserError: If they name no algorithm, neither by --algo nor by the folder to resume.
    """
    prefix = f"run_{homework}_"
    scripts = [module.SCRIPT for module in registry.algorithms().values()]
    known = [script.removeprefix(prefix) for script in scripts if script.startswith(prefix)]
    algorithm, folder = take(words, "algo"), take(list(words), "resume")
    if algorithm is None and folder is not None:
        script = str(read_config_json(Path(folder)).get("script"))
        algorithm = script.removeprefix(prefix)
    if algorithm is None or algorithm not in known:
        raise UserError(f"--algo takes one of {', '.join(known)}, not {algorithm!r}")
    return prefix + algorithm


def run(homework: str, argv: Sequence[str]) -> int:
    """Runs a homework's experiment with the words that are left; returns its exit status."""
    words = list(argv)
    script = script_for(homework, words)
    typed_as(script, words)
    status: int = registry.of_script(script).main(words)
    return status
