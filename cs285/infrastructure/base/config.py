"""Settings of a run: a frozen dataclass a script, from which parser, checks and files come."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import errno
import functools
import importlib.metadata
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from cs285.infrastructure.base.command_line import words_typed
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import json_value, wanted
from cs285.infrastructure.base.settings import RunConfig
from cs285.infrastructure.base.spelling import default_text, in_our_words, nearest, options_of

if typing.TYPE_CHECKING:
    from _typeshed import DataclassInstance

ConfigT = TypeVar("ConfigT", bound="DataclassInstance")
RunT = TypeVar("RunT", bound="RunConfig")
_PACKAGES = ("torch", "numpy", "gymnasium", "ale-py", "box2d", "mujoco", "cs285")
FORMER_NAMES = {"random_steps": "start_steps", "grad_norm_clipping": "grad_value_clipping"}
"""Settings by the names that older commands and run folders have."""
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS)
"""The numbers of errors that a disk gives which takes no more, or nothing from here."""
_NEGATIVE = r"-\d+\.?\d*[eE][+-]?\d+"


def _kinds(config_class: type[DataclassInstance]) -> dict[str, Any]:
    """Returns the plain type of each field: `float | None` counts as float."""
    hints = typing.get_type_hints(config_class)
    kinds = {name: (typing.get_args(hint) or (hint,))[0] for name, hint in hints.items()}
    return {name: typing.get_origin(kind) or kind for name, kind in kinds.items()}


def _checked(field: dataclasses.Field[Any], kind: Any, value: Any) -> Any:
    """Returns the value in its field's type; raises UserError if the field does not allow it."""
    if value is None and field.default is None:
        return None
    if kind is float and type(value) is int:  # JSON edited by hand may say 1 for 1.0
        with contextlib.suppress(OverflowError):  # refused in the words for any other wrong value
            value = float(value)
    takes = wanted(field.metadata, kind, value)
    if takes is not None:
        hint = f"; {otherwise}" if (otherwise := field.metadata.get("otherwise")) else ""
        raise UserError(f"--{field.name} takes {takes}, not {value!r}{hint}")
    return value


def _from_text(field: dataclasses.Field[Any], kind: Any, text: str) -> Any:
    try:
        if kind is dict:  # an empty one is as good as none
            return _checked(field, kind, json_value(text)) or None
        # 1e5 steps are as whole as 100000, and 8.0 as 8
        whole = kind is int and not text.isdecimal() and float(text).is_integer()
        return _checked(field, kind, kind(float(text) if whole else text))
    except (ValueError, OverflowError):  # refused in the words for any other wrong value
        return _checked(field, kind, text)


class _Parser(argparse.ArgumentParser):
    """argparse with errors of one line, and without its guesses at abbreviated flags."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; --help lists the flags")

    def refuse_unknown_flags(self, known: Sequence[str], argv: Sequence[str]) -> None:
        # Whatever allow_abbrev says, argparse would take -gpu for -gpu_id, and -nx for -n x.
        for word in argv:
            option = word.partition("=")[0]
            if option.startswith("-") and option not in known and not re.match(r"-[\d.]", option):
                near = nearest(option, known)
                self.error(f"unknown flag {option}" + (f", did you mean {near}" if near else ""))


def parse_config(
    config_class: type[ConfigT], argv: Sequence[str], description: str
) -> tuple[ConfigT, set[str]]:
    """Returns the config that a command line asks for, and the fields that it explicitly gives.

    `argv` are the words after the program's name, and `--help` begins with `description`.

    Raises:
        UserError: If a flag is unknown, lacks its value, or its field does not allow the value.
        SystemExit: After `--help`.
    """
    # argparse takes -1e3 for a flag, since it knows negative numbers without an exponent only.
    argv = [str(float(word)) if re.fullmatch(_NEGATIVE, word) else word for word in argv]
    if issubclass(config_class, RunConfig):
        argv = in_our_words(argv, {field.name for field in dataclasses.fields(config_class)})
    # SUPPRESS: only flags that were typed reach the namespace, so "explicitly given" is known.
    parser = _Parser(description=description, argument_default=argparse.SUPPRESS)
    known, kinds = ["-h", "--help"], _kinds(config_class)
    for field in dataclasses.fields(config_class):
        text = field.metadata["help"].replace("%", "%%")
        if metavar := field.metadata.get("operand"):
            count = "+" if field.metadata["many"] else None
            parser.add_argument(field.name, nargs=count, metavar=metavar, help=text)
            continue
        options = options_of(field)
        known += options
        if field.default is False:
            parser.add_argument(*options, action="store_true", help=f"{text} (default: off)")
            continue
        text += default_text(field).replace("%", "%%")
        rules: dict[str, Any] = {"nargs": "+"} if field.metadata["many"] else {}
        kind = "JSON" if kinds[field.name] is dict else kinds[field.name].__name__.upper()
        rules["metavar"] = "|".join(field.metadata["choices"]) or kind
        convert = functools.partial(_from_text, field, kinds[field.name])
        parser.add_argument(*options, type=convert, help=text, **rules)
    parser.refuse_unknown_flags(known, argv)
    given = vars(parser.parse_args(argv))
    given |= {name: tuple(value) for name, value in given.items() if type(value) is list}
    return config_class(**given), set(given)


def config_from_dict(
    config_class: type[ConfigT], stored: Mapping[str, Any], fill_in: bool = False
) -> ConfigT:
    """Returns the stored config; raises UserError if a setting is bad, or new without `fill_in`."""
    fields = {field.name: field for field in dataclasses.fields(config_class)}
    stored = {FORMER_NAMES.get(name, name): value for name, value in stored.items()}
    stored = {n: stored.get(n, f.default) for n, f in fields.items()} if fill_in else stored
    if differing := sorted(stored.keys() ^ fields.keys()):
        raise UserError(
            f"the stored settings and this version's differ in {', '.join(differing)}; "
            "use the version that began the run, or begin a new run"
        )
    kinds = _kinds(config_class)
    return config_class(**{n: _checked(fields[n], kinds[n], stored[n]) for n in fields})


def _git_commit() -> str | None:
    """Returns this source's commit, "-dirty" added if files have changed; None outside git."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *words]
        return subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True, timeout=10)

    try:
        git("ls-files", "--error-unmatch", Path(__file__).name)  # fails inside a foreign checkout
        return git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*").strip()
    except (OSError, subprocess.SubprocessError):
        return None


def write_config_json(run_dir: Path, config: DataclassInstance, script_name: str) -> None:
    """Writes config.json: every setting, and what one needs to run the same again elsewhere."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    document = {
        "script": script_name,
        "command": shlex.join(["python", f"scripts/{script_name}.py", *words_typed()]),
        "settings": dataclasses.asdict(config),
        "versions": versions,
        "platform": platform.platform(),
        "git_commit": _git_commit(),
    }
    replace_config_json(run_dir, document)


def replace_config_json(run_dir: Path, document: Mapping[str, Any]) -> None:
    """Writes a document as config.json: whole or absent, whenever the run is killed."""
    (beside := run_dir / "config.json.tmp").write_text(json.dumps(document, indent=2) + "\n")
    os.replace(beside, run_dir / "config.json")


def read_config_json(run_dir: Path) -> dict[str, Any]:
    """Returns what `write_config_json` wrote, with settings by the names they have now.

    Raises:
        UserError: If `run_dir` is no run directory, or its file is damaged.
    """
    try:
        document = json.loads((path := run_dir / "config.json").read_text(encoding="utf-8"))
    except OSError:
        raise UserError(f"{run_dir} is not a run directory: it has no config.json") from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or not isinstance(document.get("settings"), dict):
        raise UserError(f"{path} is damaged: no settings can be read from it; begin a new run")
    stored = document["settings"]
    document["settings"] = {FORMER_NAMES.get(name, name): stored[name] for name in stored}
    return document


@contextlib.contextmanager
def written_for(flag: str, path: Path) -> Iterator[None]:
    """Names the flag and its file if that cannot be written."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{flag} {path} cannot be written: {error.strerror}") from error


def with_all_output(main: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """Calls a script's `main`, and writes what it has printed before Python itself would.

    Raises:
        BrokenPipeError: If nobody reads on, as after `| head -1`.
    """
    try:
        return main(argv)
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()


def nobody_reads() -> None:
    """Sends further output nowhere: at its end Python would complain of each closed pipe."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # one without a file
            try:
                stream.flush()
            except BrokenPipeError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def cli(main: Callable[[Sequence[str]], int]) -> Callable[[Sequence[str] | None], int]:
    """Wraps a script's `main(argv)`: what a person can mend ends in one line and exit status 2."""

    @functools.wraps(main)
    def wrapped(argv: Sequence[str] | None = None) -> int:
        try:
            return with_all_output(main, sys.argv[1:] if argv is None else argv)
        except KeyboardInterrupt:
            message, status = "interrupted", 130
        except (UserError, NotImplementedError) as error:
            if not hasattr(error, "blank") and not isinstance(error, UserError):
                raise
            message, status = str(error), 2
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                nobody_reads()
                return 1
            if error.errno not in CANNOT_WRITE:
                raise
            where, status = error.filename or "the run directory", 2
            message = f"{where}: {error.strerror}; what was written stays; mend that, then go on"
        sys.stderr.write("error: " + message.replace("\n", " ") + "\n")
        return status

    return wrapped
