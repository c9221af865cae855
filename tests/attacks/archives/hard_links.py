"""A tar with hard links to files of the machine, and to each other."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, member
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    root = Path(__file__).parents[3]
    path = "cs285/critics/dqn_critic.py"
    link = member(path, tarfile.LNKTYPE, str(root / path))
    rest = {name: data for name, data in files.items() if name != path}
    as_tar(rest, place, (link, member("cs285/x.py", tarfile.LNKTYPE, "cs285/x.py")))
