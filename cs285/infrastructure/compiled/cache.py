"""Where compiled code lies, who may write there, and what compiles it."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import torch
from filelock import FileLock

from cs285.infrastructure.compiled.capture import TORCH, right_version

OF_TORCH = "TORCHINDUCTOR_CACHE_DIR"  # which torch itself sets, so it says not what a user wants
UNFINISHED = "unfinished"
"""The file that lies in the cache while something is compiled."""


def compiler() -> str:
    """Returns the C++ compiler's path, by the variable CXX or by its usual name; empty: none."""
    return shutil.which(os.environ.get("CXX", "g++")) or ""


def why_none() -> str:
    """Returns why nothing can be compiled here; empty if it can."""
    if not right_version():
        return f"this is torch {torch.__version__}, and compiled updates are made for {TORCH}"
    if not compiler():
        return f"there is no C++ compiler: {os.environ.get('CXX', 'g++')!r} is not found"
    return ""


@functools.cache
def identity() -> str:
    """Describes what decides about the numbers of a compiled update: torch, compiler, processor."""
    parts = [f"torch {torch.__version__}", platform.machine()]
    if (path := compiler()) and right_version():
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            command = [path, "--version"]
            text = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout
            parts.append(text.partition("\n")[0].strip())
    parts.append(torch.backends.cpu.get_cpu_capability())
    return ", ".join(part for part in parts if part)


def folder() -> Path:
    """Returns the cache's folder, which nobody else writes to; it is made if it is not there."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for place in (base, Path(tempfile.gettempdir())):
        cache = place / "cs285_compiled" / f"torch_{torch.__version__}"
        with contextlib.suppress(OSError):
            cache.mkdir(parents=True, exist_ok=True)
            if os.access(cache, os.W_OK):
                return cache
    return Path(tempfile.mkdtemp(prefix="cs285_compiled_"))


@contextlib.contextmanager
def alone() -> Iterator[Path]:
    """Lets this process alone compile meanwhile: others find in the cache what it has made.

    A process that is killed while the compiler writes leaves a torn file, which would end every
    later run. So a mark lies in the cache meanwhile; who finds one begins with an empty cache.
    """
    cache = folder()
    with FileLock(cache.with_suffix(".lock")):
        if (mark := cache / UNFINISHED).exists():
            empty(cache)
        cache.mkdir(parents=True, exist_ok=True)
        mark.touch()
        with mock.patch.dict(os.environ, {OF_TORCH: str(cache)}):
            yield cache
        mark.unlink(missing_ok=True)  # not after an error, which may have left a torn file as well


def empty(cache: Path) -> None:
    """Forgets all compiled code. What a process has loaded stays with it."""
    shutil.rmtree(cache, ignore_errors=True)
