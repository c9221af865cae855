"""Pictures of how results change with their inputs: from the words of a verdict to a page."""

from __future__ import annotations

import pytest

from autograder.base.results import Difference, Response
from autograder.misconceptions.wording import in_words
from autograder.reports.pages import environment
from autograder.reports.responses import Picture, parts

FOUND = Difference(
    responses=(
        Response("`terminal_n`, row 0", "-0.0255", "-0.051", True),
        Response("`reward_n`, row 3", "+1", "+1", False),
        Response("`next_ob_no`, row 2", "0", "+0.4", True),
    ),
    results="updates",
)


def test_the_table_of_a_verdict_is_found_in_its_words() -> None:
    before, picture, after = parts(f"first words\n{in_words(FOUND)}\nstep[0] is 1, expected 2")
    assert (before, after) == ("first words", "step[0] is 1, expected 2")
    assert isinstance(picture, Picture)
    assert picture.results == "updates"
    assert [row.place for row in picture.rows] == [one.place for one in FOUND.responses]
    assert [row.differs for row in picture.rows] == [True, False, True]
    terminal, reward, following = (row.bars for row in picture.rows)
    assert terminal == ((50.0, 50.0), (0.0, 100.0))  # half as far, to the left
    assert reward == ((100.0, 100.0), (100.0, 100.0))
    assert following == ((100.0, 0.0), (100.0, 100.0))


@pytest.mark.parametrize(
    "text",
    [
        "nothing of the kind",
        "how your targets change with each input (a head without rows):\nand words",
        "* yours +1 ours +2  `reward_n`",
        "how your targets change with each input (*):\n* yours nan ours inf  `reward_n`",
        "",
    ],
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert "\n".join(str(part) for part in parts(text)) == text


def test_a_page_shows_bars_and_escapes_what_a_student_may_have_written() -> None:
    draw = environment().get_template("figures.html").module
    forged = "how your <b>x</b> change with each input (*):\n* yours +1 ours +2  `<img src=x>`"
    page = str(draw.message(f"{in_words(FOUND)}\n{forged}"))  # type: ignore[attr-defined]
    assert page.count("<svg") == 8 and page.count("not as ours") == 3
    assert "<b>x</b>" not in page and "<img" not in page
    assert "<code>terminal_n</code>, row 0" in page
