"""A tar with devices and FIFOs in the place of files."""

from __future__ import annotations

import tarfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, member
from tests.attacks.suite import Files

EXPECT = "blank"


def hand_in(files: Files, place: Path) -> None:
    device = member("cs285/policies/argmax_policy.py", tarfile.CHRTYPE)
    device.devmajor, device.devminor = 1, 5  # /dev/zero
    rest = {name: data for name, data in files.items() if "argmax" not in name}
    as_tar(rest, place, (device, member("cs285/pipe", tarfile.FIFOTYPE)))
