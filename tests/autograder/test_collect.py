"""Submissions are found in every layout; what is hostile about them costs a line, nothing more."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from autograder.base.text import UsageError
from autograder.classroom import read_submission
from autograder.classroom.collect import collect, skipped
from autograder.classroom.package import lines_on_names
from tests.autograder.hand_ins import (
    AGENT,
    CRITIC,
    FILES,
    HANDOUT,
    below,
    only,
    write_tree,
    write_zip,
)


@pytest.mark.parametrize(
    "top",
    ["cs285/", "hw3/cs285/", "a b/Homework 3/cs285/", "", "my_solution/", "x/__init__/cs285/"],
)
def test_the_package_is_found_wherever_it_is(tmp_path: Path, top: str) -> None:
    write_zip(tmp_path / "ann.zip", {**below(top), "__MACOSX/cs285/agents/._dqn_agent.py": b"?"})
    found = only(tmp_path)
    assert (found.sender.student, dict(found.files)) == ("ann", FILES)


def test_runs_are_told_by_their_content(tmp_path: Path) -> None:
    run = "hw3_q4_10_10_CartPole-v0_2026-01-01_00-00-00"
    write_zip(tmp_path / "ann.zip", {**below("cs285/"), f"my/data/{run}/log.csv": b"Step\n1\n"})
    (with_runs,) = collect(tmp_path, HANDOUT, runs=True)
    assert with_runs.runs.keys() == {f"{run}/log.csv"}
    assert with_runs.places == (tmp_path / "ann.zip",)
    assert with_runs.digest != only(tmp_path).digest


def test_runs_that_cannot_be_read_cost_no_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path / "bob")
    log = tmp_path / "bob" / "data" / "hw3_q1_MsPacman-v0_2026-01-01_00-00-00" / "log.csv"
    log.parent.mkdir(parents=True)
    log.write_text("Step\n" * 100)
    monkeypatch.setattr(read_submission, "LARGEST_RUN_FILE", 100)
    (found,) = collect(tmp_path, HANDOUT, runs=True)
    assert (dict(found.files), found.problem, found.places) == (FILES, None, ())
    assert "training runs are not judged" in found.remarks[0]


def test_folders_and_tars(tmp_path: Path) -> None:
    write_tree(tmp_path / "bob")
    with tarfile.open(tmp_path / "cy.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "bob" / "cs285", "cs285")
    bob, cy = collect(tmp_path, HANDOUT)
    assert bob.files == cy.files == FILES
    assert bob.digest == cy.digest


def test_single_files_are_put_in_their_place(tmp_path: Path) -> None:
    write_zip(tmp_path / "dee.zip", {"dqn_critic.py": CRITIC, "notes.py": b"1"})
    expected = {"critics/dqn_critic.py": CRITIC, "../notes.py": b"1"}
    assert only(tmp_path).files == expected


def test_a_folder_of_another_case_has_one_line(tmp_path: Path) -> None:
    write_zip(tmp_path / "ann.zip", {**below("CS285/"), "CS285/mine.py": b"x = 1\n"})
    found = only(tmp_path)
    assert found.files == {**FILES, "mine.py": b"x = 1\n"}
    (line,) = found.remarks
    assert line == (
        f"{len(found.files)} files were read as the handout calls them, "
        "such as CS285/agents/dqn_agent.py as cs285/agents/dqn_agent.py"
    )


def test_files_that_were_renamed_have_a_line_each_while_they_are_few(tmp_path: Path) -> None:
    write_zip(tmp_path / "ann.zip", {"dqn_agent (1).py": AGENT, "dqn_critic_FINAL.py": CRITIC})
    assert only(tmp_path).remarks == (
        "dqn_agent (1).py was read as dqn_agent.py",
        "dqn_critic_FINAL.py was read as dqn_critic.py",
    )
    (line,) = lines_on_names([(f"x{n} (1).py", f"x{n}.py") for n in range(11)])
    assert line.startswith("11 files were") and line.endswith("such as x0 (1).py as x0.py")


def test_canvas(tmp_path: Path) -> None:
    write_zip(tmp_path / "eveann_11_10001_hw3.zip", below("old/"))
    write_zip(tmp_path / "eveann_LATE_11_20001_hw3.zip", below("cs285/"))
    (tmp_path / "foxbob_12_30001_dqn_critic-1.py").write_bytes(CRITIC)
    (tmp_path / "foxbob_12_30101_dqn_agent.py").write_bytes(AGENT)
    eve, fox = collect(tmp_path, HANDOUT)
    assert (eve.sender.student, eve.source) == ("11", "eveann_LATE_11_20001_hw3.zip")
    assert (fox.sender.name, fox.files) == ("foxbob", FILES)


def test_gradescope(tmp_path: Path) -> None:
    write_tree(tmp_path / "submission_7", "")
    (tmp_path / "submission_metadata.yml").write_text(
        "submission_7:\n  :submitters:\n  - :name: Gil G\n    :email: gil@u.edu\n    :sid: '77'\n"
        "  - :name: Hal H\n    :email: hal@u.edu\n  :created_at: 2026-10-01 10:00:00 Z\n"
    )
    gil, hal = collect(tmp_path, HANDOUT)
    assert (gil.sender.student, gil.sender.received) == ("77", "2026-10-01T10:00:00+00:00")
    assert (hal.sender.student, hal.digest) == ("hal@u.edu", gil.digest)
    (tmp_path / "submission_metadata.yml").write_text("a: [1")
    with pytest.raises(UsageError, match="cannot be read"):
        collect(tmp_path, HANDOUT)


def write_export(folder: Path) -> None:
    for name, number in (("annlee", 1), ("bobray", 2)):
        write_zip(folder / f"{name}_{number}_9000{number}_hw3.zip", below("cs285/"))


def test_an_export_is_found_at_any_depth(tmp_path: Path) -> None:
    inner = tmp_path / "download" / "submissions"
    inner.mkdir(parents=True)
    (tmp_path / ".DS_Store").write_bytes(b"")
    write_export(inner)
    assert [one.sender.name for one in collect(tmp_path, HANDOUT)] == ["annlee", "bobray"]


@pytest.mark.parametrize("within", ["", "submissions/"])
def test_an_export_that_is_zipped_still_is_refused(tmp_path: Path, within: str) -> None:
    names = [f"{within}submission_metadata.yml", f"{within}submission_1/cs285/agents/dqn_agent.py"]
    write_zip(tmp_path / "export.zip", dict.fromkeys(names, AGENT))
    with pytest.raises(UsageError, match="export.zip is an export that is zipped still"):
        collect(tmp_path, HANDOUT)


def test_a_class_of_one_is_no_export(tmp_path: Path) -> None:
    write_tree(tmp_path / "kim" / "hw3")
    assert only(tmp_path).sender.student == "kim"


def test_skipped_entries_are_listed(tmp_path: Path) -> None:
    write_tree(tmp_path / ".ben")
    write_tree(tmp_path / "ada")
    for name in ("notes.txt", ".DS_Store"):
        (tmp_path / name).write_text("")
    assert only(tmp_path).sender.student == "ada"
    assert skipped(tmp_path) == [".ben", "notes.txt"]


def test_numbers_in_a_name_are_part_of_it(tmp_path: Path) -> None:
    write_zip(tmp_path / "lee_12_2026_hw3.zip", below("cs285/"))
    assert only(tmp_path).sender.student == "lee_12_2026_hw3"


def test_two_different_trees_are_refused_and_equal_ones_are_not(tmp_path: Path) -> None:
    write_tree(tmp_path / "mia" / "old")
    write_tree(tmp_path / "mia" / "new")
    assert only(tmp_path).files == FILES
    (tmp_path / "mia" / "old" / "cs285" / "agents" / "dqn_agent.py").write_bytes(b"agent = 2\n")
    problem = only(tmp_path).problem or ""
    assert "two different folders, new/cs285/ and old/cs285/" in problem


def test_names_that_lead_out_are_left_out(tmp_path: Path) -> None:
    hostile = ["../../agents/dqn_agent.py", "/agents/dqn_agent.py", "C:\\agents\\dqn_agent.py"]
    hostile += ["cs285/agents/../dqn_agent.py", "cs285/agents/new\nline.py"]
    write_zip(tmp_path / "ivy.zip", {**below("cs285/"), **dict.fromkeys(hostile, b"evil")})
    assert only(tmp_path).files == FILES


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    write_tree(tmp_path / "jo")
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (tmp_path / "jo" / "cs285" / "agents" / "link.py").symlink_to(secret)
    os.mkfifo(tmp_path / "jo" / "cs285" / "agents" / "pipe.py")
    (tmp_path / "kim").symlink_to(tmp_path / "jo")
    jo, kim = collect(tmp_path, HANDOUT)
    assert jo.files == FILES
    assert kim.problem == "it is a link; hand in the folder itself"


def test_links_in_archives_are_left_out(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "lee.tar", "w") as archive:
        for path, data in FILES.items():
            entry = tarfile.TarInfo(f"cs285/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            entry = tarfile.TarInfo(f"cs285/agents/kind{kind[0]}.py")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    assert only(tmp_path).files == FILES


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p.write_bytes(b"PK junk"), "damaged"),
        (lambda p: write_zip(p, {}), "no cs285/ folder"),
        (lambda p: write_zip(p, {"inner.zip": b"PK"}), "archive in an archive"),
        (lambda p: write_zip(p, {"cs285/agents/a.py": b" " * (2**20 + 1)}), "larger than 1 MB"),
        (lambda p: write_zip(p, {f"agents/{n}.py": b"" for n in range(501)}), "or 500"),
        (lambda p: p.mkdir(), "no cs285/ folder"),
        (os.mkfifo, "it is no file"),
    ],
)
def test_what_cannot_be_judged_has_one_line(tmp_path: Path, make, words: str) -> None:  # type: ignore[no-untyped-def]
    make(tmp_path / "max.zip")
    found = only(tmp_path)
    assert words in (found.problem or "")
    assert "\n" not in (found.problem or "")
    assert found.digest is None


def test_names_no_disk_takes_are_left_out(tmp_path: Path) -> None:
    long = "cs285/" + "\N{PILE OF POO}" * 64 + ".py"  # 64 characters, 256 bytes
    write_zip(tmp_path / "lea.zip", below("cs285/") | {long: b""})
    assert only(tmp_path).files == FILES


def test_no_two_submissions_have_one_name(tmp_path: Path) -> None:
    names = [b"kim\xff", rb"kim\xff"]  # which show as one
    for name in names:
        write_tree(Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)))
    sources = [one.source for one in collect(tmp_path, HANDOUT)]
    assert sorted(sources) == [r"kim\xff", r"kim\xff (2)"]


def test_encrypted(tmp_path: Path) -> None:
    write_zip(tmp_path / "oz.zip", below("cs285/"))
    data = bytearray((tmp_path / "oz.zip").read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of each entry
        start = data.find(mark)
        while start >= 0:
            data[start + place] |= 1
            start = data.find(mark, start + 1)
    (tmp_path / "oz.zip").write_bytes(data)
    assert "encrypted" in (only(tmp_path).problem or "")
