"""A roster says whose submission it is; a namesake gets nobody else's points."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.text import UsageError
from autograder.classroom.roster import Student, match, read_roster

AGENT, CRITIC = b"agent = 1\n", b"critic = 1\n"


def test_rosters(tmp_path: Path) -> None:
    file = tmp_path / "roster.csv"
    file.write_text("Name,SID,Email\nAnn Lee,1,ann@u.edu\nBo,2,\n\n", encoding="utf-8-sig")
    ann, bo = roster = read_roster(file)
    assert ann == Student("1", "Ann Lee", "ann@u.edu")
    for sender, email, who in [
        ("1", None, ann), ("ann", None, ann), ("x", "ANN@u.edu", ann), ("annlee", None, ann),
        ("bo", None, bo), ("ANN LEE (2)", None, ann), ("lee_ann", None, ann),
        ("Lee, Ann", None, ann),
    ]:  # fmt: skip
        assert match(sender, email, roster) == (who, "")
    assert match("eve", None, roster) == (None, "'eve' is not in the roster")
    assert match("anne lee", None, roster)[1].endswith("; did you mean 'Ann Lee'?")
    for text, words in [("", "is empty"), ("a,b\n", "no column 'id'"), ("id\n1\n1\n", "twice")]:
        file.write_text(text)
        with pytest.raises(UsageError, match=words):
            read_roster(file)


def test_a_name_that_two_students_have_is_nobodys() -> None:
    """Else one of them would get the other's points; their addresses still differ."""
    twins = [Student("1", "Ann Lee", "ann@u.edu"), Student("2", "Ann Lee", "lee@u.edu")]
    assert match("annlee", None, twins) == (None, "Ann Lee may be any of 1, 2 in the roster")
    assert match("annlee", None, twins[:1]) == (twins[0], "")
    assert match("annlee", "lee@u.edu", twins) == (twins[1], "")


def test_an_id_that_is_somebody_elses_needs_the_instructor() -> None:
    ann, bob = students = [Student("1", "Ann", "ann@u.edu"), Student("2", "Bob", "bob@u.edu")]
    found, why = match("1", "bob@u.edu", students)
    assert found == bob and "the id 1 of 1, and the email of 2" in why
    assert match("1", "private@home.org", students) == (ann, "")


def test_names_are_compared_in_one_form_and_whatever_their_case() -> None:
    jose = Student("1", "Jos\u00e9 N\u00fa\u00f1ez")
    for spelling in (
        "JOSE\u0301 Nu\u0301n\u0303ez",
        "jos\u00e9\u200b n\u00fa\u00f1ez",
        "n\u00fa\u00f1ezjos\u00e9",
    ):
        assert match(spelling, None, [jose]) == (jose, "")


def test_class_lists_of_canvas_and_gradescope(tmp_path: Path) -> None:
    file = tmp_path / "canvas.csv"
    file.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (7)\n"
        "    Points Possible,,,,,100\n"
        '"Lovelace, Ada",4711,s12,ada@u.edu,A,3\n"Student, Test",9,,x,A,\n"Ray, Bo",4712,,bo,A,\n'
    )
    ada, bo = roster = read_roster(file)
    ids = ("4711", "s12", "ada@u.edu")
    assert ada == Student("s12", "Ada Lovelace", "ada@u.edu", (ids[0], ids[2]), ids)
    assert (bo.id, bo.name) == ("4712", "Bo Ray")
    assert [match(who, None, roster)[0] for who in ("4711", "s12", "4712", "lovelaceada")] == [
        ada, ada, bo, ada
    ]  # fmt: skip
    file.write_text(
        "First Name;Last Name;SID;Email;Role\nAda;Lovelace;s12;ada@u.edu;Student\n"
        "Bo;Ray;;bo@u.edu;Student\nTim;Assist;t1;tim@u.edu;TA\n"
    )
    assert read_roster(file) == [
        Student("s12", "Ada Lovelace", "ada@u.edu"),
        Student("bo@u.edu", "Bo Ray", "bo@u.edu"),
    ]
    file.write_text("First name,Surname,ID number,Email address\nAda,Lovelace,s12,ada@u.edu\n")
    assert read_roster(file) == [Student("s12", "Ada Lovelace", "ada@u.edu")]


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("Jose Garcia Nunez", "José García Núñez"), ("Tom O'Dowd", "Tom O\u2019Dowd"),
        ("oscar inönü", "Oscar İnönü"), ("soren_aa", "Søren Aa"), ("LUKASZ", "Łukasz"),
        ("王 小明", "小明 王"),
    ],
)  # fmt: skip
def test_names_as_people_and_systems_type_them(sent: str, name: str) -> None:
    student = Student("s1", name)
    assert match(sent, None, [student, Student("s2", "Somebody Else")]) == (student, "")


def test_two_names_that_differ_in_an_accent_alone_are_not_mixed_up() -> None:
    students = [Student("1", "Jan Müller"), Student("2", "Jan Muller")]
    assert [match(who, None, students)[0] for who in ("jan müller", "jan muller")] == students
    assert match("jan.muller", None, students)[0] is None


def test_heads_are_read_however_they_are_written_and_others_are_named(tmp_path: Path) -> None:
    file, lines = tmp_path / "class.csv", list[str]()
    file.write_text("Name;ID;E-Mail;Section\nAnn Lee;1;ann@u.edu;A\n")
    assert read_roster(file, lines.append) == [Student("1", "Ann Lee", "ann@u.edu")]
    assert lines == ["class.csv: these columns are not read: Section"]
