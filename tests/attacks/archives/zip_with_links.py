"""A zip whose members are symbolic links to files of the machine."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_zip, zip_link
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    root = Path(__file__).parents[3]
    path = "cs285/critics/dqn_critic.py"
    as_zip({name: data for name, data in files.items() if name != path}, place)
    with zipfile.ZipFile(f"{place}.zip", "a") as archive:
        zip_link(archive, path, str(root / path))
