"""Writes the config.json of a run of somebody else's code, as our scripts write theirs."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write(run_dir: Path, script: str, settings: Mapping[str, Any], packages: Sequence[str]) -> None:
    """Writes settings and versions into a folder.

    Args:
        run_dir: Of the run.
        script: Which script makes it.
        settings: Those of the run.
        packages: Whose versions matter.
    """
    versions = {name: importlib.metadata.version(name) for name in packages}
    document = {
        "script": script,
        "settings": {**settings, "data_dir": "data"},
        "versions": {"python": platform.python_version(), **versions},
        "platform": platform.platform(),
    }
    (run_dir / "config.json").write_text(json.dumps(document, indent=2) + "\n")
