"""The grader imports the code of a submission without the files of data that lie beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.running import ROOT

JUDGED = ("agents", "critics", "policies", "infrastructure")  # where homeworks have blanks
IMPORT_ALL = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"


def test_what_has_blanks_reads_no_file_when_it_is_imported(tmp_path: Path) -> None:
    for path in ROOT.glob("cs285/**/*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    found = [path for part in JUDGED for path in (tmp_path / "cs285" / part).glob("**/*.py")]
    names = [".".join(path.relative_to(tmp_path).with_suffix("").parts) for path in found]
    assert len(names) > 40
    done = subprocess.run(
        [sys.executable, "-P", "-c", IMPORT_ALL, *names],
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
