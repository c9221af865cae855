"""What studies ask of the scripts: the settings that flags lead to, and the code behind a run."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import sys
from collections.abc import Mapping, Sequence
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

from cs285.experiments import registry, spinning_up
from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import as_flag
from cs285.infrastructure.base.settings import RunConfig
from studies.values import Value

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
# Where a run lies and how it is watched: none of it changes its numbers. `threads` may, in the
# last bit; it stays as it was when a run began.
NOT_WHAT_IS_LEARNED = {
    *("exp_name", "data_dir", "resume", "checkpoint_secs", "keep_checkpoint", "threads")
}
LATER = {"actor_critic", "ac_kwargs", "env_kwargs"}
"""Settings that runs of earlier versions lack; None means what those did."""
THEIRS = {"env_name": "env", "discount": "gamma"}
"""How Spinning Up calls what every study has."""
PACKAGES = ("torch", "numpy", "gymnasium", "ale-py", "box2d", "mujoco")


def program() -> str:
    """Returns how the front door is started: by its path in a checkout, else by its command."""
    return "scripts/run.py" if (ROOT / "setup.py").is_file() else "cs285-train"


def algorithms() -> Mapping[str, str]:
    """Returns the script of each algorithm, by its name."""
    return {name: experiment.script for name, experiment in registry.algorithms().items()}


def known(algorithm: str) -> str:
    """Returns an algorithm's name here, without `_pytorch`; UserError if there is none."""
    plain = algorithm.removesuffix("_pytorch").removesuffix("_tf1")
    if plain not in algorithms():
        raise UserError(f"{algorithm} is none of {', '.join(algorithms())}; --help tells more")
    if algorithm.endswith("_tf1"):
        print(f"note: there is no TensorFlow here; {plain} runs in PyTorch", file=sys.stderr)
    return plain


@functools.cache
def spellings(algorithm: str) -> dict[str, str]:
    """Returns how this study calls flags that can be written otherwise: b is batch_size."""
    fields = registry.flags(algorithm)
    short = {a: f.name for f in fields for a in f.metadata["aliases"] if a[:2] != "--"}
    told = {alias.lstrip("-"): name for alias, name in short.items()}
    return told | THEIRS | {"ac_kwargs:hidden_sizes": "hid", "ac_kwargs:activation": "act"}


def common_spellings() -> dict[str, str]:
    """Returns the part of `spellings` in which no two algorithms differ."""
    of_each = [spellings(algorithm) for algorithm in algorithms()]
    together = {word: name for told in of_each for word, name in told.items()}
    return {w: n for w, n in together.items() if all(told.get(w, n) == n for told in of_each)}


def asked_for(script: str, words: Sequence[str]) -> RunConfig:
    """Returns all settings of the run that a script's words ask for; UserError if they can't."""
    given, _ = parse_config(registry.of_script(script).config_class, words, "")
    return resolved(script, given)


def resolved(script: str, given: RunConfig) -> RunConfig:
    """Returns all settings, from those that were given; UserError if they can't be."""
    own_module.load(given.env_name)  # what is wrong with it is reported before there is a study
    config: RunConfig = registry.of_script(script).resolve(given)
    return config


def words_of(parameters: Mapping[str, Value]) -> tuple[str, list[str]]:
    """Returns the script and its words for an experiment's parameters, `algorithm` among them."""
    algorithm = str(parameters["algorithm"])
    flags = [as_flag(name, v) for name, v in parameters.items() if name != "algorithm"]
    words = spinning_up.translated(algorithm, [word for flag in flags for word in flag])
    return algorithms()[algorithm], words


def learned(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings that decide a run's numbers."""
    unset = {name for name in LATER if settings.get(name) is None}
    left_out = NOT_WHAT_IS_LEARNED | unset
    return {n: v for n, v in sorted(settings.items()) if n not in left_out}


@functools.cache
def code_version(script: str, env_name: str = "") -> str:
    """Returns a hash of the code that a script's runs use, and of the packages that compute.

    It is taken as parsed, so that comments and layout do not count. The code of a portfolio is
    that of its members too, and to that of `module:id` belongs the module.
    """
    finder = ModuleFinder(path=[str(SCRIPTS), str(ROOT)])
    places = []
    members = registry.of_script(script).members.values()
    for name in (script, *(member.script for member in members)):
        finder.run_script(str(SCRIPTS / f"{name}.py"))
        places += [getattr(module, "__file__", None) for module in finder.modules.values()]
    files = {Path(place) for place in places if place}
    parts = [sys.version.split()[0]]
    for package in PACKAGES:
        try:
            parts.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    for file in sorted(files):
        tree = ast.dump(ast.parse(file.read_text(encoding="utf-8")))
        parts.append(f"{file.relative_to(ROOT)} {tree}")
    for file in own_module.sources(env_name):
        parts.append(ast.dump(ast.parse(file.read_text(encoding="utf-8"))))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
