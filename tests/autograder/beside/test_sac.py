"""SAC beside ours: what drifts in training costs its blank, right forms nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.checks import checks
from tests.autograder.beside.whole import blamed, text_of
from tests.autograder.corpus import Entry, right, wrong

SAMPLE, DENSITY = "hw4.squashed.sample", "hw4.squashed.log_prob"
BACKUP, TARGETS = "hw4.sac.backup", "hw4.sac.targets"
ACTOR, TEMPERATURE = "hw4.sac.actor", "hw4.sac.temperature"
BESIDE = [check for check in checks("hw4") if check.id == "hw4.given.beside_sac"]
COUNT = "global COUNT\nCOUNT = globals().get('COUNT', 0) + 1\n"
DEAD = [
    # The noise gets smaller with every sample.
    wrong("1", SAMPLE, "", ("u_na = ", f"{COUNT}u_na = "), ("* noise", "* 0.999**COUNT * noise")),
    # The correction is forgotten after a while.
    wrong("2", DENSITY, "", ("gaussian_na = ", f"{COUNT}gaussian_na = "),
          ("(gaussian_na - correction_na)", "(gaussian_na - correction_na * (COUNT < 40))")),
    # The first temperature stays.
    wrong("4", TARGETS, "", ("y_kn = ", "first = globals().setdefault('first', alpha)\ny_kn = "),
          ("- alpha", "- first")),
    # Values below -200 cannot be learned.
    wrong("5", TARGETS, "", ("(v_kn - alpha", "(v_kn.clamp(min=-200) - alpha")),
    # Entropy counts less and less.
    wrong("6", ACTOR, "", ("loss = ", f"{COUNT}loss = "), ("alpha *", "0.99**COUNT * alpha *")),
    # The temperature stays after a while.
    wrong("7", TEMPERATURE, "", ("loss = ", f"{COUNT}loss = "), ("-(log", "-(COUNT < 20) * (log")),
    # Twins are exchanged every other time.
    wrong("3", BACKUP, "", ("v_kn = next_q_kn\n", f"{COUNT}v_kn = next_q_kn\n"),
          ("flip(0)", "roll(COUNT, 0)")),
]  # fmt: skip
RIGHT = [
    right("1", SAMPLE, body="""
std_na = torch.exp(log_std_na)
u_na = std_na.mul(noise_na).add(mean_na)
ac_na = 2 * torch.sigmoid(2 * u_na) - 1
"""),
    right("2", DENSITY, body="""
gaussian = torch.distributions.Normal(u_na - log_std_na.exp() * noise_na, log_std_na.exp())
log_prob_n = gaussian.log_prob(u_na).sum(-1) + 2 * torch.cosh(u_na).log().sum(-1)
"""),
    right("3", BACKUP, body="""
v_kn = next_q_kn
if q_backup == "double":
    v_kn[[0, 1]] = v_kn[[1, 0]]
elif q_backup == "clipped":
    v_kn[:] = torch.minimum(v_kn[0], v_kn[1]).clone()
"""),
    right("4", TARGETS, body="""
soft_kn = v_kn.double() - alpha.item() * next_log_pi_n
y_kn = torch.where(terminal_n.bool(), re_n, re_n + discount * soft_kn).float()
"""),
    right("5", ACTOR, body="loss = (alpha * log_pi_n).mean() - torch.amin(q_kn, 0).mean()"),
    right("6", TEMPERATURE, body="loss = -log_alpha * (log_pi_n.detach().mean() + target_entropy)"),
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
