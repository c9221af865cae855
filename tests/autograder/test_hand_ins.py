"""What students and platforms hand in, in all its forms: understood, or reported."""

from __future__ import annotations

import unicodedata
import zipfile
from pathlib import Path

import pytest

from autograder.classroom.collect import collect, read_one
from autograder.classroom.read_submission import unpack_runs
from autograder.classroom.reader import Found
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

RUN = "hw3_q1_MsPacman-v0_2026-01-01_00-00-00"


def by_student(folder: Path, runs: bool = False) -> dict[str, Found]:
    return {one.sender.student: one for one in collect(folder, HANDOUT, runs)}


# Canvas


def test_code_and_data_of_one_student_are_one_submission(tmp_path: Path) -> None:
    write_zip(tmp_path / "eveann_11_10001_code.zip", below("cs285/"))
    write_zip(tmp_path / "eveann_11_10002_data.zip", {f"data/{RUN}/log.csv": b"Step\n1\n"})
    (one,) = collect(tmp_path, HANDOUT, runs=True)
    assert (dict(one.files), set(one.runs), one.problem) == (FILES, {f"{RUN}/log.csv"}, None)


def test_canvas_says_who_is_late_and_not_when(tmp_path: Path) -> None:
    write_zip(tmp_path / "eveann_LATE_11_10001_hw3.zip", below("cs285/"))
    write_zip(tmp_path / "foxbob_12_10002_hw3.zip", below("cs285/"))
    found = by_student(tmp_path)
    assert (found["11"].sender.late, found["12"].sender.late) == (True, False)


def test_a_file_beside_an_archive_is_not_left_out(tmp_path: Path) -> None:
    write_zip(tmp_path / "eveann_11_10001_hw3.zip", {"cs285/agents/dqn_agent.py": AGENT})
    (tmp_path / "eveann_11_10002_dqn_critic.py").write_bytes(CRITIC)
    assert by_student(tmp_path)["11"].files == FILES


def test_another_archive_that_nobody_can_read_needs_the_instructor(tmp_path: Path) -> None:
    write_zip(tmp_path / "eveann_11_10001_hw3.zip", below("cs285/"))
    (tmp_path / "eveann_11_10002_data.7z").write_bytes(b"7z")
    one = by_student(tmp_path)["11"]
    assert dict(one.files) == FILES and "data.7z" in one.needs


# A folder that somebody has collected


@pytest.mark.parametrize("ending", [".7z", ".rar"])
def test_an_archive_that_nobody_can_read_is_a_submission(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"ada{ending}").write_bytes(b"?")
    one = by_student(tmp_path)["ada"]
    assert f"a {ending} archive cannot be read here" in (one.problem or "")


@pytest.mark.parametrize("place", ["hw3.7z", "work/hw3.7z"])
def test_it_has_the_same_line_within_a_folder(tmp_path: Path, place: str) -> None:
    file = tmp_path / "ada" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(b"7z")
    assert by_student(tmp_path)["ada"].problem == "a .7z archive cannot be read here: a .zip can"


def test_within_a_folder_it_needs_the_instructor_too(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    write_zip(tmp_path / "ada" / "code.zip", below("cs285/"))
    (tmp_path / "ada" / "data.7z").write_bytes(b"7z")
    one = by_student(tmp_path)["ada"]
    assert dict(one.files) == FILES and "data.7z" in one.needs


def test_a_single_file_has_the_name_of_its_student_in_front(tmp_path: Path) -> None:
    (tmp_path / "ada lovelace_dqn_critic.py").write_bytes(CRITIC)
    (tmp_path / "dqn_agent.py").write_bytes(AGENT)
    found = by_student(tmp_path)
    assert found["ada lovelace"].files == {"critics/dqn_critic.py": CRITIC}
    assert "nobody knows whose" in (found["dqn_agent.py"].problem or "")


@pytest.mark.parametrize(
    ("name", "student", "received"),
    [
        ("ada_2026-10-14_23-12.zip", "ada", "2026-10-14T23:12:00"),
        ("ada 2026-10-14T23:12:05.zip", "ada", "2026-10-14T23:12:05"),
        ("ada_2026-13-14_23-12.zip", "ada_2026-13-14_23-12", None),
        ("2026-10-14_23-12.zip", "2026-10-14_23-12", None),
    ],
)
def test_a_time_in_a_name_is_used(
    tmp_path: Path, name: str, student: str, received: str | None
) -> None:
    write_zip(tmp_path / name, below("cs285/"))
    assert by_student(tmp_path)[student].sender.received == received


@pytest.mark.parametrize(
    "name",
    [
        *("dqn_critic (1).py", "dqn_critic.py.txt", "dqn_critic_FINAL.py", "DQN_Critic.py"),
        *("dqn_critic - Copy.py", "dqn_critic-2.py", "dqn_critic_final_v2.py"),
    ],
)
@pytest.mark.parametrize("top", ["", "cs285/critics/"])
def test_a_file_that_was_renamed_is_understood(tmp_path: Path, name: str, top: str) -> None:
    write_zip(tmp_path / "ada.zip", {"cs285/agents/dqn_agent.py": AGENT, f"{top}{name}": CRITIC})
    assert only(tmp_path).files["critics/dqn_critic.py"] == CRITIC


def test_what_has_its_own_name_goes_first(tmp_path: Path) -> None:
    both = {"dqn_critic.py": CRITIC, "dqn_critic (1).py": b"old"}
    write_zip(tmp_path / "ada.zip", {f"cs285/critics/{name}": data for name, data in both.items()})
    one = only(tmp_path)
    assert one.files == {"critics/dqn_critic.py": CRITIC}
    assert "dqn_critic (1).py was not read" in one.remarks[0]


def test_a_helper_with_a_number_is_no_copy(tmp_path: Path) -> None:
    write_zip(tmp_path / "ada.zip", below("cs285/") | {"cs285/agents/dqn_agent_helper.py": b"1"})
    assert only(tmp_path).files["agents/dqn_agent_helper.py"] == b"1"


def test_helpers_and_data_beside_the_code_are_taken_along(tmp_path: Path) -> None:
    more = {"my_tools.py": b"x = 1\n", "cs285/critics/table.json": b"[1]", "setup.py": b"no"}
    write_zip(tmp_path / "ada.zip", below("cs285/") | more)
    own = {"../my_tools.py": b"x = 1\n", "critics/table.json": b"[1]"}
    assert only(tmp_path).files == FILES | own


def test_a_lone_folder_with_a_list_of_its_own_is_no_export(tmp_path: Path) -> None:
    write_tree(tmp_path / "ada")
    (tmp_path / "ada" / "submission_metadata.yml").write_text("submission_1:\n  :submitters: []\n")
    one = only(tmp_path)
    assert (one.sender.student, dict(one.files)) == ("ada", FILES)


def test_a_zip_without_compression_may_be_large(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "ada.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("film.webm", bytes(27 * 2**19))
        for path, data in below("cs285/").items():
            archive.writestr(path, data)
        archive.writestr(f"data/{RUN}/policy.safetensors", bytes(27 * 2**19))
    (one,) = collect(tmp_path, HANDOUT, runs=True)
    assert (dict(one.files), len(one.runs), one.problem, one.remarks) == (FILES, 1, None, ())


@pytest.mark.parametrize("first", ["old", "a"])
def test_an_older_copy_of_a_run_never_overrides_a_newer_one(tmp_path: Path, first: str) -> None:
    newer, older = b"Step\n1\n2\n3\n", b"Step\n1\n"
    write_zip(
        tmp_path / "ada.zip",
        below("cs285/")
        | {f"{first}/data/{RUN}/log.csv": older, f"{first}/data/{RUN}/config.json": b"old"}
        | {f"data/{RUN}/log.csv": newer, f"z/data/{RUN}/log.csv": older},
    )
    unpack_runs([tmp_path / "ada.zip"], tmp_path / "out")
    assert (tmp_path / "out" / RUN / "log.csv").read_bytes() == newer
    assert not (tmp_path / "out" / RUN / "config.json").exists()  # nothing of two copies is mixed


# Names


def test_names_on_a_list_are_shown_as_what_they_are(tmp_path: Path) -> None:
    write_tree(tmp_path / "submission_7", "")
    name = unicodedata.normalize("NFD", "Jos\u00e9") + "\u200b\u202e\u3164\x07 B"
    (tmp_path / "submission_metadata.yml").write_text(
        f"submission_7:\n  :submitters:\n  - :name: '{name}'\n    :sid: \"7\\u200b\"\n".replace(
            "\x07", ""
        ),
        encoding="utf-8",
    )
    (one,) = collect(tmp_path, HANDOUT)
    assert (one.sender.student, one.sender.name) == ("7", "Jos\u00e9 B")


def test_accents_in_paths_have_one_form(tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "gr\u00f6\u00dfe.py")
    write_zip(tmp_path / "ada.zip", below("cs285/") | {f"cs285/agents/{name}": b"1"})
    assert "agents/gr\u00f6\u00dfe.py" in only(tmp_path).files


# One submission, as `check` and Gradescope read it


@pytest.mark.parametrize("top", ["cs285/", "a/b/c/cs285/", ""])
def test_one_submission_is_read_as_a_class_is(tmp_path: Path, top: str) -> None:
    write_zip(tmp_path / "mine.zip", below(top))
    write_tree(tmp_path / "folder", top)
    for place in (tmp_path / "mine.zip", tmp_path / "folder"):
        assert read_one(place, HANDOUT).files == FILES
        assert read_one(place, HANDOUT, descend=False).files == FILES


def test_two_different_folders_are_refused_wherever_they_are_read(tmp_path: Path) -> None:
    write_tree(tmp_path / "in" / "old")
    write_tree(tmp_path / "in" / "new")
    (tmp_path / "in" / "old" / "cs285" / "agents" / "dqn_agent.py").write_bytes(b"agent = 2\n")
    found = read_one(tmp_path / "in", HANDOUT, descend=False)
    assert "two different folders" in (found.problem or "")
