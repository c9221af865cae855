"""Keeps the data behind a curve: copies log.csv and config.json of finished runs beside it.

python docs/results/collect.py data/hw3_q4_*          # -> docs/results/data/hw3_q4_.../
python scripts/plot.py docs/results/data/hw3_q4_* -o docs/results/q4.png
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

DATA = Path(__file__).parent / "data"


def collect(run_dir: Path) -> Path:
    """Copies what curves are drawn from; returns the copy."""
    kept = DATA / run_dir.name
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copy(run_dir / "log.csv", kept / "log.csv")
    config = (run_dir / "config.json").read_text()
    folder = json.loads(config)["settings"]["data_dir"]  # where it lay is nobody's business
    config = config.replace(f" --data_dir {folder}", "").replace(f'"{folder}"', '"data"')
    (kept / "config.json").write_text(config)
    return kept


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        if (Path(argument) / "policy.safetensors").exists():
            sys.stdout.write(f"{collect(Path(argument))}\n")
