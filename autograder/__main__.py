"""`python -m autograder COMMAND`: judges a homework, and all that belongs to it."""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from autograder import commands
from autograder.base.text import UsageError

PROGRAM = "python -m autograder"
EXTRAS = dict.fromkeys(("joblib", "yaml", "jinja2"), "instructor")
EXTRAS |= dict.fromkeys(("ray", "distributed"), "cluster")
EXTRAS |= dict.fromkeys(("jupytext", "IPython"), "notebook")
OLD_FLAGS = {
    "--box": "--box is gone: code always runs as another user there, so leave it out",
    "--level": "--level is gone: every check runs each time, so leave it out",
}
NEED_LINUX = ("grade", "regrade", "gradescope")
"""The commands that judge strangers' code."""
OURS = ("autograder", "cs285", "scripts")


class Parser(argparse.ArgumentParser):
    """argparse, with errors of one line."""

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        command = self.prog.removeprefix(PROGRAM).strip()
        where = f"{command}: " if command else ""
        end = "" if message.endswith("?") else ";"
        raise UsageError(f"{where}{message.removeprefix('argument ')}{end} --help lists all")


def parse(given: Sequence[str]) -> argparse.Namespace:
    """Reads the command line; the commands are those whose files are here.

    Only the one that is asked for is imported: a student's `check` must not wait for the rest.

    Raises:
        UsageError: If it cannot be understood.
        SystemExit: After `--help`.
    """
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    parser = Parser(prog=PROGRAM, allow_abbrev=False)
    chosen = parser.add_subparsers(metavar="COMMAND")
    command = given[0] if given else ""
    if command in NEED_LINUX:
        require_linux(command)
    if command in names:
        importlib.import_module(f"autograder.commands.{command}").add_parser(chosen)
    elif command in ("-h", "--help"):
        for name in names:
            chosen.add_parser(name, help=summary(name))
    else:
        what = f"unknown command {command}" if command else f"no command, such as {names[0]} hw3"
        parser.error(what + nearest(command, names))
    args, unknown = parser.parse_known_args(given)
    if unknown:
        own = chosen.choices[command]
        word = next((word for word in unknown if word.startswith("-")), unknown[0])
        word = word.partition("=")[0]
        flags = re.findall(r"(?<![\w-])--?[\w-]+", own.format_usage().partition(own.prog)[2])
        own.error(OLD_FLAGS.get(word) or f"unknown argument {word}{nearest(word, flags)}")
    return args


def require_linux(command: str) -> None:
    """Raises UsageError where no sandbox can be built; nothing that needs one is imported yet."""
    if sys.platform != "linux":
        raise UsageError(
            f"{command}: strangers' code is judged in a sandbox, which Linux alone has; take a "
            "Linux machine, WSL or a container. `check` judges your own tree on any system"
        )


def nearest(word: str, known: Sequence[str]) -> str:
    """Returns what was perhaps meant by a word that is not known, as part of a sentence."""
    return "".join(f"; did you mean {near}?" for near in difflib.get_close_matches(word, known, 1))


def summary(command: str) -> str:
    """Returns what the first line of a command's file says, without running that."""
    (folder,) = commands.__path__
    text = Path(folder, f"{command}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition(": ")[2].rstrip(".")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns 0 all right, 1 something to fix, 2 bad usage, 3 our own error."""
    try:
        try:
            args = parse(list(sys.argv[1:] if argv is None else argv))
            return int(args.run(args))
        finally:
            sys.stdout.flush()  # here, where a closed pipe is caught
    except UsageError as error:
        return refuse(str(error))
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0]
        if not missing or missing in OURS:
            raise
        extra = f"'.[{EXTRAS[missing]}]'" if missing in EXTRAS else "."
        return refuse(
            f"{missing} is missing; pip install -c constraints.txt -e {extra}, "
            "or activate the environment that has it"
        )
    except BrokenPipeError:  # nobody reads on, and Python would write the rest when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


def refuse(why: str) -> int:
    """Says on one line why nothing was done."""
    sys.stderr.write(f"autograder: {' '.join(why.split())}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
