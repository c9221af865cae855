"""PPO and TRPO beside ours: right forms pass, and what dies in training costs its blank."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base import checks as homeworks
from tests.autograder.beside.whole import blamed, text_of
from tests.autograder.corpus import Entry, all_entries, write, wrong
from tests.autograder.judging import judge_package

CHECKS = homeworks.checks("hw5")
BESIDE = [check for check in CHECKS if check.beside]
ADVANTAGE, STANDARDIZE, LOSS = "hw5.ppo.advantage", "hw5.ppo.standardize", "hw5.ppo.clipped_loss"
UPDATE, SURROGATE = "hw5.ppo.update", "hw5.trpo.surrogate"
RIGHT = [entry for entry in all_entries("hw5") if not entry.misconceptions]
STEP = "self.optimizer.step()"
COUNT = "self.count = getattr(self, 'count', 0) + 1"
CALLS = "global CALLS\nCALLS = globals().get('CALLS', 0) + 1\n"


def after_each_step(*lines: str) -> Entry:
    """PPO's update with more lines at its end, which count its calls."""
    return wrong("", UPDATE, "", (STEP, "\n".join((STEP, COUNT, *lines))))


DEAD = {
    "the step size shrinks": after_each_step(
        "self.optimizer.param_groups[0]['lr'] *= 0.95 if self.count > 9 else 1.0"
    ),
    "the critic is frozen": after_each_step("self.critic.requires_grad_(self.count < 20)"),
    "all is kept": after_each_step("self.old = [*getattr(self, 'old', []), ob_no.clone()]"),
    "the clip opens": wrong(
        "",
        LOSS,
        "",
        ("ratio_n, eps =", f"{CALLS}ratio_n, eps ="),
        (", clip_ratio", ", clip_ratio * (9.0 if CALLS % 500 > 120 else 1.0)"),
    ),
    "advantages end": wrong(
        "",
        ADVANTAGE,
        "",
        ("target_n = adv", "adv_n = adv_n * (self.num_iterations < 3)\ntarget_n = adv"),
    ),
    "the deviation is a running one": wrong(
        "",
        STANDARDIZE,
        "",
        body="""
global SPREAD
SPREAD = 0.9 * globals().get("SPREAD", adv_n.std(correction=0)) + 0.1 * adv_n.std(correction=0)
adv_n = (adv_n - adv_n.mean()) / (SPREAD + 1e-8)
""",
    ),
    "the surrogate turns round": wrong(
        "",
        SURROGATE,
        "",
        ("ratio_n = torch", f"{CALLS}ratio_n = torch"),
        (".mean()", ".mean() * (1 - 2 * (CALLS > 20))"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEAD)
def test_what_dies_in_training_costs_its_blank(tmp_path: Path, name: str) -> None:
    entry = DEAD[name]
    found = blamed(tmp_path, [entry], BESIDE)
    assert list(found) == [entry.blank]
    assert "with ours beside it" in text_of(found[entry.blank])


@pytest.mark.slow
@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.name)
def test_right_forms_train_as_ours_does(tmp_path: Path, entry: Entry) -> None:
    assert blamed(tmp_path, [entry], BESIDE) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["the step size shrinks", "all is kept", "advantages end"])
def test_it_passes_blank_by_blank(tmp_path: Path, name: str) -> None:
    entry = DEAD[name]
    (check,) = [check for check in CHECKS if check.id == entry.blank]
    assert judge_package(write(tmp_path, [entry]), [check])[entry.blank].passed
