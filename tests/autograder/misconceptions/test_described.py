"""Mistakes that nobody listed, as a student makes them: what is said is true, of one cause."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from autograder.base import checks
from autograder.base.results import Judgement
from autograder.base.seen import Seen
from autograder.misconceptions import explain, mutants
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.wording import in_words

BY_ID = {check.id: check for homework in ("hw3", "hw6") for check in checks.checks(homework)}
CRITIC = """
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
{made}
for _ in range(self.num_target_updates):
    with torch.no_grad():
        target_n = rewards + self.gamma * (1.0 - terminals) * self(next_obs)
    for _ in range(self.num_grad_steps_per_target_update):
        loss = self.loss(self(obs), target_n)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {more}
"""
TARGETS = """
{before}
with torch.no_grad():
    if {switch}:
        q_tp1 = self.double_q_values(next_ob_no)
    else:
        q_tp1 = self.q_net_target(next_ob_no).{value}
    target = {reward} + self.gamma * (1.0 - terminal_n) * q_tp1
"""
USUAL = {"before": "", "switch": "self.double_q", "value": "amax(1)", "reward": "reward_n"}
DOUBLE = """
{choose}
q_tp1 = {value}.gather(1, best.unsqueeze(1)).squeeze(1)
"""


@functools.cache
def judged(blank: str, body: str) -> Judgement:
    asked = question(BY_ID[blank])
    return explain.judge(asked, mutants.run(asked, mutants.filled({blank: body}), 0), 0)


def message_of(blank: str, body: str) -> str:
    return "\n".join(map(in_words, judged(blank, body).unknown))


@pytest.mark.slow
@pytest.mark.parametrize("made", ["torch.optim.Adam", "torch.optim.SGD"])
def test_an_optimizer_made_in_each_call_is_named_by_what_it_forgets(made: str) -> None:
    body = CRITIC.format(made=f"optimizer = {made}(self.parameters(), lr=0.1)", more="")
    assert judged("hw3.critic.update", body).ids == ["critic.other_optimizer"]


@pytest.mark.slow
def test_steps_are_counted_before_shapes_are_compared() -> None:
    body = CRITIC.format(made="optimizer = self.optimizer", more="optimizer.step()")
    assert message_of("hw3.critic.update", body).startswith(
        "the number of steps[0] is 2, expected 1"
    )


@pytest.mark.slow
def test_not_a_number_is_no_move_of_other_values() -> None:
    """The spread of one row is not a number: that raised the flag of another mistake."""
    reward = "(reward_n - reward_n.mean()) / (reward_n.std() + 1e-8)"
    body = TARGETS.format(**USUAL | {"reward": reward})
    assert not judged("hw3.dqn.targets", body).ids
    assert "how your targets change with each input" in message_of("hw3.dqn.targets", body)


@pytest.mark.slow
def test_one_cause_is_named_where_two_mistakes_would_do() -> None:
    body = TARGETS.format(**USUAL | {"switch": "not self.double_q"})
    assert judged("hw3.dqn.targets", body).ids == ["target.double_q_reversed"]
    choose = "best = self.q_net_target(next_ob_no).argmax(1)"
    body = DOUBLE.format(choose=choose, value="self.q_net(next_ob_no)")
    assert judged("hw3.dqn.double_q", body).ids == ["double_q.networks_swapped"]
    body = "p_k = np.exp(self.log_w_k - self.log_w_k.max())\np_k = p_k / p_k.sum()"
    assert judged("hw6.exp3.probs", body).ids == ["chances.no_chance"]


@pytest.mark.slow
def test_what_is_kept_from_the_first_call_is_wrong_once_networks_have_changed() -> None:
    choose = (
        "import copy\n"
        'if not hasattr(self, "chooser"):\n    self.chooser = copy.deepcopy(self.q_net)\n'
        "best = self.chooser(next_ob_no).argmax(1)"
    )
    body = DOUBLE.format(choose=choose, value="self.q_net_target(next_ob_no)")
    text = message_of("hw3.dqn.double_q", body)
    assert text.startswith("values[0], once both networks have changed, is")


def test_values_that_meet_a_bound_are_said_to_be_large() -> None:
    right = {f"{trial}/y_n": size * np.array([1.0, -2.0, 3.0]) for trial, size in SIZES.items()}
    wrong = {name: array.clip(-10, 10) for name, array in right.items()}
    found = explain.how_it_differs(Seen(wrong), Seen(right))
    assert "with values up to 3 both agree, with values near 3e+02 they do not" in in_words(found)
    assert "3e+02" not in in_words(found, answers=False)


SIZES = {"usual": 1.0, "large": 100.0}


def test_a_short_list_is_shown_whole_and_a_row_has_its_number() -> None:
    right = {"a/random actions": np.array([0, 1, 2, 4])}
    wrong = {"a/random actions": np.array([0, 4])}
    found = explain.how_it_differs(Seen(wrong), Seen(right))
    assert in_words(found) == "random actions are 0, 4, expected 0, 1, 2, 4"
    assert "1, 2" not in in_words(found, answers=False)
    plays = "plays_k after each play"
    right = {f"a/{plays}": np.array([[1.0, 0], [1, 1], [2, 1]])}
    wrong = {f"a/{plays}": np.array([[1.0, 0], [1, 1], [1, 2]])}
    found = explain.how_it_differs(Seen(wrong), Seen(right))
    assert in_words(found).startswith("`plays_k`[0] after play 3 is 1, expected 2")
    assert "the first 2 rows are right" in in_words(found)


SLIPS = {
    "target = reward_n + self.gamma * (1 - terminal_n) * self.q_net_target(next_ob_no).max(1)": (
        "crash.values_and_places"
    ),
    "target = self.q_net_target(next_ob_no).max(1).detach()": "crash.values_and_places",
    "target = reward_n + self.q_net_target(next_ob_no)[:, len(reward_n)]": "crash.no_such_place",
}


@pytest.mark.slow
@pytest.mark.parametrize("body", SLIPS)
def test_typical_slips_have_their_own_words(body: str) -> None:
    assert judged("hw3.dqn.targets", body).ids == [SLIPS[body]]


@pytest.mark.slow
def test_the_advice_of_the_exception_is_called_the_wrong_cure() -> None:
    body = CRITIC.format(made="optimizer = self.optimizer\nv_n = self(obs)", more="").replace(
        "self.loss(self(obs), target_n)", "self.loss(v_n + v_n.exp(), target_n)"
    )
    (named,) = judged("hw3.critic.update", body).misconceptions
    assert named.id == "crash.graph_used_twice"
    assert "`retain_graph=True`" in named.explanation and "wrong cure" in named.explanation


@pytest.mark.slow
def test_a_row_is_no_action() -> None:
    body = """
observation = obs if obs.ndim > len(self.critic.ob_dim) else obs[None]
values = self.critic.qa_values(observation)
action = np.where(values == values.max(axis=1, keepdims=True))[0]
"""
    assert judged("hw3.argmax.action", body).ids == ["argmax.row_as_action"]
