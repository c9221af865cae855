"""Starts the script of this name in scripts/, for commands as older handouts write them."""

import runpy
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / Path(__file__).name
sys.argv[0] = f"scripts/{SCRIPT.name}"
sys.path[:1] = [str(SCRIPT.parent), str(SCRIPT.parent.parent)]
runpy.run_path(str(SCRIPT), run_name="__main__")
