"""Policy gradient beside ours: what passes blank by blank and fails in training, and right forms."""

# ruff: noqa: E501  (students' lines)

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.checks import checks
from tests.autograder.beside.whole import blamed
from tests.autograder.corpus import Entry, all_entries, right, some, wrong

POLICY, VALUE, BASELINE = "hw2.policy.update", "hw2.value.update", "hw2.pg.baseline"
ADVANTAGE, SCALE, STEP = "hw2.pg.advantage", "hw2.pg.standardize", "self.optimizer.step()"
WHOLE = [check for check in checks("hw2") if check.parts]
COUNTS = "self.calls = getattr(self, 'calls', 0) + 1"
TARGETS, NUMBER = (
    "target_n = (q_n - self.q_mean) / (self.q_std + 1e-8)",
    "self.agent_params['baseline_gradient_steps']",
)
DEAD = [
    wrong("rate", POLICY, "", (STEP, f"{STEP}\nself.optimizer.param_groups[0]['lr'] *= 0.9")),
    wrong("stops", VALUE, "", (STEP, f"{COUNTS}\nif self.calls < 12:\n    {STEP}")),
    wrong(
        "first mean",
        SCALE,
        "",
        body=f"{COUNTS}\nif self.calls < 4:\n    self.m, self.s = adv_n.mean(), adv_n.std()\n"
        "adv_n = (adv_n - self.m) / (self.s + 1e-8)",
    ),
    wrong(
        "clips",
        POLICY,
        "",
        (STEP, f"torch.nn.utils.clip_grad_norm_(self.parameters(), 0.01)\n{STEP}"),
    ),
    wrong(
        "no gradients",
        POLICY,
        "",
        (STEP, f"{STEP}\n{COUNTS}\ntorch.set_grad_enabled(self.calls < 3)"),
    ),
    wrong(
        "fits less",
        BASELINE,
        "",
        body=f"{TARGETS}\n{COUNTS}\nfor _ in range(max(1, {NUMBER} - self.calls // 4)):\n"
        "    loss = critic.update(ob_no, target_n)",
    ),
    wrong(
        "keeps",
        ADVANTAGE,
        "",
        (".copy()", ".copy()\nself.all = [*getattr(self, 'all', []), obs.copy()]"),
    ),
]
SAMPLE = [
    right("", SCALE, body="adv_n = (adv_n - adv_n.mean()) / adv_n.std(ddof=1)"),
    right("", BASELINE, ("self.q_std + 1e-8", "np.std(q_n, ddof=1)")),
    right("", ADVANTAGE, ("np.std(q_values)", "np.std(q_values, ddof=1)")),
]
RIGHT = [  # without those that are right for a blank that is judged apart from the body's own
    entry
    for entry in all_entries("hw2")
    if not entry.misconceptions and entry.judged_by == entry.blank
]


@pytest.mark.slow
@pytest.mark.parametrize("entry", DEAD, ids=lambda entry: entry.source)
def test_a_dead_agent_costs_the_blank_that_kills_it(tmp_path: Path, entry: Entry) -> None:
    assert list(blamed(tmp_path, [entry], WHOLE)) == [entry.blank]


@pytest.mark.slow
@pytest.mark.parametrize("entry", some(RIGHT, 4), ids=lambda entry: entry.name)
def test_right_forms_train_as_ours_does(tmp_path: Path, entry: Entry) -> None:
    assert blamed(tmp_path, [entry], WHOLE) == {}


@pytest.mark.slow
def test_a_deviation_may_be_that_of_a_sample_everywhere(tmp_path: Path) -> None:
    assert blamed(tmp_path, SAMPLE, WHOLE) == {}
