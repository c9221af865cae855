"""`python -m autograder COMMAND`: judges a homework, and all that belongs to it."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

from autograder import commands
from autograder.commands import UsageError
from autograder.homework import UnknownHomeworkError

EXTRAS = {"joblib": "instructor", "yaml": "instructor", "jinja2": "instructor"} | {
    "tomli": "instructor",
    "ray": "cluster",
    "distributed": "cluster",
}


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line; the commands are those whose files are here.

    Only the one that is asked for is imported: a student's `check` must not wait for the rest.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    parser = argparse.ArgumentParser(prog="python -m autograder", allow_abbrev=False)
    chosen = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in [n for n in names if n in given[:1]] or names:
        importlib.import_module(f"autograder.commands.{name}").add_parser(chosen)
    return parser.parse_args(given)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command; returns 0 all right, 1 something to mend, 2 bad usage, 3 our own error."""
    args = parse(argv)
    try:
        status: int = args.run(args)
    except (UsageError, UnknownHomeworkError) as error:
        sys.stderr.write(f"autograder: {error}\n")
        return 2
    except ImportError as error:
        missing = (error.name or "").split(".")[0]
        if missing not in EXTRAS:
            raise
        sys.stderr.write(
            f"autograder: {missing} is missing; pip install -c constraints.txt "
            f"-e '.[{EXTRAS[missing]}]'\n"
        )
        return 2
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
