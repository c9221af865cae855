"""The module of an environment of one's own, the first part of `module:id`: found and imported.

It is looked for where Python looks, then in the working directory, then where a run began. The
later places never hide a module of Python's or of ours: a module that would be hidden itself is
reported.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import sysconfig
import traceback
from pathlib import Path

from cs285.infrastructure.base.errors import TaskError, UserError

INSTALLED = {Path(path).resolve() for path in sysconfig.get_paths().values()}
_folders: list[Path] = []
"""Where modules are looked for besides Python's own path, in this order."""


def module_of(env_name: str) -> str:
    """Returns the module in `module:id`; an empty text where there is only an id."""
    return env_name.rpartition(":")[0]


def look_in(folder: Path) -> None:
    """Lets Python find modules in one more folder, after all others."""
    if folder not in _folders:
        _folders.append(folder)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()


def load(env_name: str) -> None:
    """Imports the module in `module:id`, which registers the id; does nothing for an id alone.

    Raises:
        UserError: If there is no such module, or another one has its name, or it needs a module
            that is not installed.
        TaskError: If it cannot be imported.
    """
    module = module_of(env_name)
    if not module:
        return
    look_in(Path.cwd())
    _refuse_hidden(env_name, module.partition(".")[0])
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise UserError(f"--env_name {env_name}: {_what_is_missing(module, error)}") from error
    except (Exception, SystemExit) as error:
        text = " ".join(f"{type(error).__name__}: {error}".split())
        line = f"importing {module} raised {text} ({_place(error)})"
        raise TaskError(f"--env_name {env_name}: {line}") from error


def folder_of(env_name: str) -> Path | None:
    """Returns the folder in which the module in `module:id` lies.

    Returns:
        None where there is only an id, or the module is an installed one.
    """
    file = file_of(env_name)
    if file is None:
        return None
    folder = file.parent.parent if file.name == "__init__.py" else file.parent
    return None if folder in INSTALLED else folder


def file_of(env_name: str) -> Path | None:
    """Returns the file of the outermost module in `module:id`; None where there is none."""
    module = module_of(env_name).partition(".")[0]
    if not module:
        return None
    look_in(Path.cwd())
    return _origin(module)


def sources(env_name: str) -> list[Path]:
    """Returns the files of the outermost module in `module:id`: several, where it is a package.

    Returns:
        Nothing where there is only an id, or the module is an installed one.
    """
    file = file_of(env_name)
    if file is None or folder_of(env_name) is None or file.suffix != ".py":
        return []
    return sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]


def _origin(module: str) -> Path | None:
    """Returns the file of a module that may be imported already; None where none is found."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # such as __main__, or no name of a module at all
        return None
    if spec is None or spec.origin is None or not spec.has_location:
        return None
    return Path(spec.origin).resolve()


def _refuse_hidden(env_name: str, module: str) -> None:
    """Raises UserError if the working directory has such a module, and Python finds another."""
    places = [Path.cwd() / f"{module}.py", Path.cwd() / module / "__init__.py"]
    own = next((place for place in places if place.is_file()), None)
    found = _origin(module)
    if own is not None and found != own.resolve():
        raise UserError(
            f"--env_name {env_name}: the name {module} belongs to {found or 'Python itself'}, so "
            f"Python does not find {own}: give yours another name"
        )


def _what_is_missing(module: str, error: ModuleNotFoundError) -> str:
    """Returns which module is not there, and where it was looked for, or who needs it."""
    missing = str(error.name)
    if "/" in module or module.endswith(".py"):
        name = module.removesuffix(".py").replace("/", ".")
        return f"give the name of the module, as an import does, and no file: {name}"
    if module == missing or module.startswith(f"{missing}."):
        places = ", ".join(map(str, _folders))
        return f"there is no module {missing} in {places}, nor where PYTHONPATH points"
    return f"{module} needs the module {missing}, which is not installed ({_place(error)})"


def _place(error: BaseException) -> str:
    """Returns the file and the line that raised an error while a module was imported."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{Path(error.filename).name}, line {error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if not frame.filename.startswith("<frozen")]
    return f"{Path(outside[-1].filename).name}, line {outside[-1].lineno}"
