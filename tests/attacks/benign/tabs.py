"""Is indented with tabs."""

from __future__ import annotations

import re
from pathlib import Path

from tests.attacks.suite import Files, as_folder


def hand_in(files: Files, place: Path) -> None:
    as_folder(
        {
            path: re.sub(rb"(?m)^(?: {4})+", lambda m: b"\t" * (len(m[0]) // 4), data)
            for path, data in files.items()
        },
        place,
    )
