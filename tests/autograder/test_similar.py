"""Code that is alike: copies are found behind other names, and honest classes are left alone."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.classroom.code import keep_files
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.likeness import HandIn, alike
from autograder.classroom.winnow import RUN, WINDOW, likeness, marks, tokens
from autograder.source.submission import given_texts
from tests.autograder.honest_class import copied, forms, honest, mostly_right, renamed
from tests.autograder.mixed_class import mixed_class
from tests.autograder.test_code_diff import filled

BODY = "best = q_tp1.max(dim=1).values\nmask = 1 - done\nout = reward + gamma * mask * best"


def test_names_comments_and_spaces_count_for_nothing() -> None:
    other = "# mine\nzz  =  q_tp1.max( dim = 1 ).values\nm = 1-done  # mask\nt = reward+gamma*m*zz"
    given = {"q_tp1", "reward", "gamma", "done", "dim"}
    assert tokens(BODY, given) == tokens(other, given)
    assert tokens(BODY, given) != tokens(BODY.replace("max", "min"), given)
    assert marks(tokens(BODY, given)) == marks(tokens(other, given))


def test_a_shared_run_of_tokens_leaves_a_mark() -> None:
    """Whatever is around it: that is what winnowing promises."""
    draw = random.Random(5)
    for _ in range(200):
        shared = [f"t{draw.randrange(10**6)}" for _ in range(RUN + WINDOW - 1)]
        one = [f"a{n}" for n in range(draw.randrange(9))] + shared + ["a"] * draw.randrange(9)
        two = [f"b{n}" for n in range(draw.randrange(9))] + shared + ["b"] * draw.randrange(9)
        assert marks(one) & marks(two)
    assert marks([]) == frozenset() and likeness(frozenset(), frozenset()) == 0
    assert marks(["a"]) != marks(["b"]) and marks(["a"]) == marks(["a"])


def test_few_right_forms_are_no_copy() -> None:
    """Where everybody writes the same, nobody stands out."""
    same = {blank: bodies[0] for blank, bodies in forms("hw3").items()}
    room = [HandIn((f"s{n}",), same) for n in range(20)]
    assert min(pair.expected for pair in alike("hw3", room)) > 1


@pytest.mark.parametrize("number", [7, 8, 24, 25])
def test_a_disguised_copy_comes_first(number: int) -> None:
    """`benchmarks/likeness.py` counts how many copies of a part are found."""
    draw = random.Random(number)
    room = honest(draw, number - 1)
    room.append(copied(draw, room[0], "copy", kept=1.0))
    first = alike("hw3", room)[0]
    assert {first.one.students, first.other.students} == {("s0",), ("copy",)}
    assert first.expected < 0.01


def test_honest_classes_are_left_alone() -> None:
    """Of 12 classes, 0.12 pairs are expected below 0.01, if all were independent."""
    found = [
        pair for seed in range(12) for pair in alike("hw3", honest(random.Random(seed), 15))
        if pair.expected < 0.01
    ]  # fmt: skip
    assert len(found) <= 1


def class_of_twelve(three_of: str, one_of: str) -> list[HandIn]:
    """Most write our solution; eight left it somewhere, each for a text of their own.

    Args:
        three_of: Two students who share three mistakes that nobody else makes.
        one_of: Two students who share one mistake.
    """
    usual = {blank: bodies[0] for blank, bodies in forms("hw3").items()}
    chosen = [blank for blank, bodies in forms("hw3").items() if len(bodies) > 6][:5]
    room = {f"s{n}": dict(usual) for n in range(12)}
    for n in range(8):
        own = chosen[n % 5]
        room[f"s{n + 4}"][own] = forms("hw3")[own][1 + n // 5]
    for place, blank in enumerate(chosen[:3]):
        for who in three_of.split():
            room[who][blank] = forms("hw3")[blank][4 + place % 2]
    for who in one_of.split():
        room[who][chosen[4]] = forms("hw3")[chosen[4]][5]
    draw = random.Random(0)
    return [
        HandIn((who,), {blank: renamed(draw, text) for blank, text in texts.items()})
        for who, texts in room.items()
    ]


def test_three_rare_mistakes_that_two_share_stand_out_among_right_solutions() -> None:
    """Being right alike says nothing; so it must not hide what is rare."""
    first, *others = alike("hw3", class_of_twelve("s0 s1", "s2 s3"))
    assert {first.one.students, first.other.students} == {("s0",), ("s1",)}
    assert first.expected < 0.01
    assert min(pair.expected for pair in others) > 0.5
    assert sorted(first.rarity.values())[:3] == [1 / 66] * 3


def test_one_mistake_that_two_share_does_not_stand_out() -> None:
    assert min(pair.expected for pair in alike("hw3", class_of_twelve("", "s2 s3"))) > 0.5


def test_weak_students_with_usual_mistakes_are_left_alone() -> None:
    """A fifth of these classes leaves our solution often, for what others write as well."""
    found = [
        pair for seed in range(12) for pair in alike("hw3", mostly_right(random.Random(seed), 25))
        if pair.expected < 0.01
    ]  # fmt: skip
    assert len(found) <= 1


def test_renaming_leaves_a_valid_text() -> None:
    draw = random.Random(3)
    given = {"q_tp1", "reward", "gamma", "done", "dim"}
    assert tokens(renamed(draw, BODY), given | {"x"})[1:8] == tokens(BODY, given)[1:8]


def class_of_five(folder: Path) -> Path:
    """Five students, two of whom have one odd text."""
    found = mixed_class(folder)
    blank, path = "hw3.dqn.targets", "critics/dqn_critic.py"
    texts = ["a = 1", "b = self.net(x).sum()", "c = torch.zeros(3)", "odd = q**7 - 3 * r + g // 2",
             "mine = q**7 - 3 * r + g // 2"]  # fmt: skip
    with closing(Gradebook(found)) as book:
        book.set_submissions(
            Submission(f"in{n}", f"s{n + 1}", None, f"d{n}", None, True) for n in range(5)
        )
        for n, text in enumerate(texts):
            own = filled(given_texts("hw3")[path], blank, [text, f"target = {text[0]} <b>"])
            keep_files(book, f"d{n}", {path: own, "same.py": "x = [1, 2, 3]\n" if n > 2 else "#"})
    return found


def test_the_page_has_both_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = class_of_five(tmp_path / "book")
    assert main(["similar", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "s4 and s5: chance alone leads to one such pair" in printed
    page = (folder / "similar/index.html").read_text(encoding="utf-8")
    assert "odd = q**7" in page and "mine = q**7" in page and "&lt;b&gt;" in page
    assert "same.py" in page and "It proves nothing" in page


def test_partners_are_one_hand_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = class_of_five(tmp_path / "book")
    with closing(Gradebook(folder)) as book:
        rows = book.submissions()
        book.set_submissions([*rows[:4], Submission("in3 [s5]", "s5", None, "d3", None, True)])
    assert main(["similar", str(folder)]) == 0
    assert "no pair of 4 stands out" in capsys.readouterr().out


def test_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = mixed_class(tmp_path / "book")
    for words, message in (
        ([], "has no code: an older release graded it"),
        (["--most", "0"], "--most 0"),
    ):
        assert main(["similar", str(folder), *words]) == 2
        assert message in capsys.readouterr().err
    folder = class_of_five(tmp_path / "other")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/index.html").write_text("mine")
    assert main(["similar", str(folder), "--out", str(tmp_path / "out")]) == 2
    assert "is no page of ours" in capsys.readouterr().err
