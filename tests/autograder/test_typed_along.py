"""A homework as docs/instructor.md types it: from `--dry-run` to the zip that is handed back."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.__main__ import main, parse
from autograder.source import ROOT
from tests.autograder.boxes import REASON, box_works
from tests.autograder.corpus import homes, write, wrong
from tests.autograder.judging import PRIVATE

BLANK = "hw2.returns.reward_to_go"
ROSTER = "id,name,email\nu1,Ada Berg,\nu2,Ben Cho,\nu3,Cleo Dia,\nu4,Dev Eve,\n"


def delivered(folder: Path) -> None:
    """Three submissions as Canvas delivers them: right, wrong, and right but late."""
    for number, (who, entries) in enumerate(
        (
            ("bergada", []),
            ("chobenLATE", [wrong("", BLANK, "x", body="raise ValueError('mine')")]),
            ("diacleo", [wrong("", BLANK, "x", body=homes("hw2")[BLANK][1] + "\n# mine")]),
        )
    ):
        tree = write(folder.parent / who, entries).parent
        name = (
            f"{who.removesuffix('LATE')}_{'LATE_' * who.endswith('LATE')}{number + 1}_9876{number}"
        )
        shutil.make_archive(str(folder / f"{name}_hw2"), "zip", tree)


def typed_in(page: str) -> list[str]:
    """Returns the commands of a page's code blocks."""
    blocks = re.findall(r"(?ms)^```\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"))
    whole = [block.replace("\\\n", " ") for block in blocks]  # a command may take several lines
    lines = [line.partition("  #")[0].strip() for block in whole for line in block.splitlines()]
    return [line for line in lines if line.startswith("python -m autograder ")]


@pytest.mark.parametrize("line", typed_in("docs/instructor.md"))
def test_each_command_of_the_page_is_understood(line: str) -> None:
    words = re.sub(r" \[[^]]*\]", "", line).split(" # ")[0]
    parse(shlex.split(words.replace("N ", "1 "))[3:])


@pytest.mark.slow
@pytest.mark.skipif(not box_works(), reason=REASON)
def test_from_the_first_look_to_handing_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in").mkdir()
    delivered(tmp_path / "in")
    roster, book, back = tmp_path / "roster.csv", str(tmp_path / "book"), tmp_path / "back.zip"
    roster.write_text(ROSTER.replace("u", ""))

    def typed(*words: object) -> str:
        capsys.readouterr()
        status = main([str(word) for word in words])
        printed = capsys.readouterr()
        assert status in (0, 1), printed.err
        return printed.out + printed.err

    about = ["hw2", tmp_path / "in", "--roster", roster]
    assert "4 (Dev Eve): not handed in" in typed("grade", *about, "--dry-run")
    graded = typed("grade", *about, "--out", book, "--seed", PRIVATE, "--jobs", 2)
    for words in ("reading what lies in", "testing the sandbox", "3 to be judged"):
        assert words in graded
    typed("report", book)
    assert "+ " in typed("diff", book, "Ben Cho", "-k", "reward_to_go")
    assert "no pair of 3" in typed("similar", book)
    (tmp_path / "rubric.csv").write_text("question,item,points\nq1,says why,4\n")
    typed("rubric", book, "--questions", tmp_path / "rubric.csv", "-o", tmp_path / "sheet.csv")
    (tmp_path / "sheet.csv").write_text("id,q1: says why (4)\n1,4\n2,3\n3,2\n")
    typed("rubric", book, "--read", tmp_path / "sheet.csv", "--by", "Tia")
    typed("override", book, "2", BLANK, "--points", "3", "--because", "Nearly.")
    before = typed("export", book)
    again = typed("regrade", "hw2", tmp_path / "in", book, "--check", BLANK, "--student", "2")
    assert "1 to be judged" in again and "nothing changes" in again
    assert typed("export", book).splitlines()[1:] == before.splitlines()[1:]
    rows = {row[0]: row for row in csv.reader(before.splitlines()) if len(row) > 9}
    assert [rows[who][-6] for who in "123"] == ["104", rows["2"][-6], "102"]
    assert float(rows["2"][-6]) < 104 and rows["4"][-2] == "not handed in"
    typed("handback", book, "-o", back)
    with zipfile.ZipFile(back) as archive:
        names = archive.namelist()
        assert len(names) == 3 and "choben_LATE_2_98761_hw2-feedback.html" in names
        assert "Nearly." in archive.read("choben_LATE_2_98761_hw2-feedback.html").decode()
