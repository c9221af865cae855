"""Every mistake of the corpus is named and costs only its own blank; every right form passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.autograder.corpus import Entry, all_entries, write
from tests.autograder.judging import judge_package


@pytest.mark.parametrize("entry", all_entries(), ids=lambda entry: entry.name)
def test_entry(tmp_path: Path, entry: Entry) -> None:
    judgements = judge_package(write(tmp_path, [entry]))
    verdict = judgements[entry.judged_by]
    assert sorted(verdict.mistakes) == sorted(entry.mistakes), verdict
    assert not verdict.unknown
    assert not verdict.blank
    others = {i: j for i, j in judgements.items() if i != entry.judged_by and not j.passed}
    assert not others
