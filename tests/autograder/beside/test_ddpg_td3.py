"""DDPG and TD3 beside ours: what drifts in training costs its blank, right forms nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.checks import checks
from tests.autograder.beside.whole import blamed, text_of
from tests.autograder.corpus import Entry, right, wrong

TARGETS, ACTOR, COPY = "hw4.ddpg.targets", "hw4.ddpg.actor", "hw4.critic.soft_copy"
SMOOTHING, CLIPPED = "hw4.td3.smoothing", "hw4.td3.targets"
TWIN, DELAY, EXPLORE = "hw4.td3.critic", "hw4.td3.delay", "hw4.policy.explore"
BESIDE = [check for check in checks("hw4") if check.beside]
DEAD = [
    # The discount shrinks with every update.
    wrong("1", TARGETS, "", body="""
global COUNT
COUNT = globals().get("COUNT", 0) + 1
next_q_n = target_critic(next_ob_no, target_actor(next_ob_no))[0]
y_n = re_n + discount * 0.998**COUNT * (1.0 - terminal_n) * next_q_n
"""),
    # Values above 150 cannot be learned.
    wrong("2", TARGETS, "", body="""
next_q_n = target_critic(next_ob_no, target_actor(next_ob_no))[0]
y_n = (re_n + discount * (1.0 - terminal_n) * next_q_n).clamp(-1000, 150)
"""),
    # The actor climbs the critic of the first update.
    wrong("3", ACTOR, "", body="""
import copy

globals().setdefault("first", copy.deepcopy(critic))
loss = -globals()["first"](ob_no, actor(ob_no)).mean()
"""),
    # A penalty that grows.
    wrong("4", ACTOR, "", body="""
actor.penalty = getattr(actor, "penalty", 0.0) + 0.01
loss = actor.penalty * actor(ob_no).square().mean() - critic(ob_no, actor(ob_no)).mean()
"""),
    # Copies stop after a while.
    wrong("5", COPY, "", body="""
global CALLS
CALLS = globals().get("CALLS", 0) + 1
if CALLS < 30:
    torch._foreach_lerp_(list(target), list(source), tau)
"""),
    # The first network's pairs are kept, and serve for the second one too.
    wrong("6", COPY, "", body="""
global PAIRS
PAIRS = globals().get("PAIRS") or list(zip(target, source))
for old, new in PAIRS:
    old.lerp_(new, tau)
"""),
    wrong("7", EXPLORE, "", body="ac_na = mean_na.clamp(-0.9, 0.9)"),
    wrong("8", DELAY, "", body="turn = update % policy_delay == 0 and update < 30"),
    wrong("9", TWIN, "", body="""
global SCALE
SCALE = 1.05 * globals().get("SCALE", 1.0)
loss = (q_kn - y_n / SCALE).square().mean(dim=1).sum()
"""),
    wrong("10", SMOOTHING, "", body="next_ac_na = mean_na.clamp(-0.8, 0.8)"),
    wrong("11", CLIPPED, "", (".values", ".values.clamp(min=-200)")),
]  # fmt: skip
RIGHT = [
    right("1", ACTOR, body="""
for weight in critic.parameters():
    weight.requires_grad_(False)
loss = -critic(ob_no, actor(ob_no)).mean()
for weight in critic.parameters():
    weight.requires_grad_(True)
"""),
    right("2", COPY, body="""
for t, s in zip(target, source):
    t.data = tau * s.data + (1 - tau) * t.data
"""),
    right("3", TWIN, body="""
q1_n, q2_n = q_kn
loss = torch.nn.functional.mse_loss(q1_n, y_n) + torch.nn.functional.mse_loss(q2_n, y_n)
"""),
    right("4", CLIPPED, body="""
goes_on_n = re_n + discount * torch.minimum(next_q_kn[0], next_q_kn[1])
y_n = torch.where(terminal_n > 0, re_n, goes_on_n)
"""),
    right("5", TARGETS, body="""
target_actor.eval()
with torch.inference_mode():
    q_n = target_critic(next_ob_no, target_actor(next_ob_no)).reshape(-1)
y_n = torch.addcmul(re_n, discount * (1 - terminal_n), q_n.clone())
"""),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("entry", DEAD, ids=lambda entry: entry.source)
def test_what_goes_wrong_in_training_costs_its_blank(tmp_path: Path, entry: Entry) -> None:
    found = blamed(tmp_path, [entry], BESIDE)
    assert list(found) == [entry.blank]
    assert "with ours beside it" in text_of(found[entry.blank])


@pytest.mark.slow
@pytest.mark.parametrize("entry", RIGHT, ids=lambda entry: entry.source)
def test_right_forms_train_as_ours_do(tmp_path: Path, entry: Entry) -> None:
    assert blamed(tmp_path, [entry], BESIDE) == {}
