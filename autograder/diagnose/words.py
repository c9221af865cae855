"""What is said of each illness, and which others it brings about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CERTAIN, LIKELY, POSSIBLE = "certain", "likely", "possible"


@dataclass(frozen=True)
class Words:
    """What a student reads of an illness.

    Attributes:
        title: What is wrong, in one line.
        look: What to look at next.
        source: Where to read; empty where that is the handout.
        brings: Illnesses that follow from it; where both are found, this one stands above them.
    """

    title: str
    look: str
    source: str = ""
    brings: tuple[str, ...] = ()


NUTS = "Schulman, 2017, 'Nuts and Bolts of Deep RL Research'"
HENDERSON = "Henderson et al., 2018, 'Deep Reinforcement Learning that Matters', arXiv:1709.06560"
DEADLY = "van Hasselt et al., 2018, 'Deep RL and the Deadly Triad', arXiv:1812.02648"
SPINNING = "Spinning Up, 'Spinning Up as a Deep RL Researcher'"
BLOWN = (
    *("advantages_flat", "dead_units", "values_diverge", "not_finite", "kl_out_of_range"),
    "entropy_collapsed",
)
STILL = ("parameters_frozen", "target_frozen")

ILLNESSES: Mapping[str, Words] = {
    "learning_never_began": Words(
        "Learning never began: not one gradient step was taken.",
        "Compare --learning_starts with the length of the run, and the replay buffer's size with "
        "that of a batch. Then see whether `train` is called, and what it returns.",
        brings=STILL,
    ),
    "reward_never_seen": Words(
        "No episode was ever better than another, so there is nothing to learn from.",
        "Let random actions play, and print the rewards. If they differ there, look for the "
        "wrapper that loses them; if not, the task needs more exploration or a denser reward.",
        NUTS,
        ("advantages_flat", *STILL),
    ),
    "reward_scale": Words(
        "The rewards are of an absurd scale.",
        "Networks and Adam's default step size expect returns of about 1 to 1,000. Scale the "
        "reward by a constant: no best policy changes by that, but every gradient of a critic.",
        HENDERSON,
        (*BLOWN, *STILL),
    ),
    "rate_too_high": Words(
        "The learning rate is too high.",
        "Go down by a factor of 10 until the curve changes its kind, and only then by smaller "
        "ones. Watch the loss and the policy's entropy: with too large steps both jump.",
        SPINNING,
        (*BLOWN, "target_frozen"),
    ),
    "rate_too_low": Words(
        "The learning rate is too low for anything to be learned in this run.",
        "Go up by factors of 10. A policy that learns changes visibly within some 10 to 100 "
        "updates: its entropy, its KL, its returns.",
        NUTS,
        STILL,
    ),
    "discount_unfit": Words(
        "The discount looks ahead far less than an episode lasts.",
        "A reward k steps ahead counts gamma^k. Choose 1 / (1 - gamma) about as long as it takes "
        "until an action shows its effect: 0.9 looks 10 steps ahead, 0.99 looks 100.",
        NUTS,
    ),
    "batch_too_small": Words(
        "The batch, or the memory that it is drawn from, is too small.",
        "A gradient from a few neighbouring steps is noise, and a memory that forgets within one "
        "or two episodes makes a Q-function forget, too. Enlarge it until curves stop changing.",
        SPINNING,
        ("entropy_collapsed", "values_diverge", "kl_out_of_range"),
    ),
    "exploration_stuck": Words(
        "Exploration never falls: the agent keeps acting at random.",
        "Look at --exploration (time:value,... in environment steps) or --exploration_noise: what "
        "is learned can only show once most actions are the policy's own.",
    ),
    "exploration_absent": Words(
        "The agent never explores: it only repeats what it believes already.",
        "Begin with many random actions and reduce them over the first part of the run. Actions "
        "that were never tried keep the values that their network was drawn with.",
        "Sutton and Barto, 2018, 'Reinforcement Learning', section 2.2",
    ),
    "target_frozen": Words(
        "The target network is never brought up to date.",
        "All targets are made of the first, random network, so values stop one step ahead of it. "
        "Look at --tau or --target_update_freq, and at the line that copies the network.",
        "Mnih et al., 2015, 'Human-level control through deep reinforcement learning'",
    ),
    "advantages_flat": Words(
        "The advantages have no spread: every action counts as good as any other.",
        "Print the advantages of one batch: mean, deviation, least and most. All the same means "
        "a baseline that is subtracted from itself, or rewards that were lost on their way.",
        NUTS,
        ("parameters_frozen",),
    ),
    "dead_units": Words(
        "Most units of a layer are dead: they say the same whatever the input.",
        "Look at the biases of that layer, at the scale of observations, and at the learning "
        "rate: one step that is too large switches ReLUs off for good.",
        "Sokar et al., 2023, 'The Dormant Neuron Phenomenon', arXiv:2302.12902",
        ("parameters_frozen", "entropy_collapsed"),
    ),
    "parameters_frozen": Words(
        "A network's parameters are never updated, though it should learn.",
        "Look at the line of the optimizer's step, at the parameters that it was given, and at "
        "whether a gradient arrives: loss.backward() fills .grad, unless something is detached.",
        SPINNING,
    ),
    "values_diverge": Words(
        "Values have left the range that returns can have: they diverge.",
        "Look at the targets: the discount, the end of episodes, which network they come from, "
        "and that no gradient flows into them. Then at the learning rate.",
        DEADLY,
        ("not_finite",),
    ),
    "not_finite": Words(
        "Numbers are no longer finite: nan or infinity.",
        "What is nan stays nan, so find the first: torch.autograd.set_detect_anomaly(True) stops "
        "there. Logarithms of 0, divisions by a spread of 0 and exploding values are the usual.",
        "PyTorch documentation, 'Anomaly detection'",
    ),
    "kl_out_of_range": Words(
        "Each iteration changes the policy too much.",
        "The new policy is improved with data of the old one, which tells little about one so far "
        "away. Fewer epochs, a smaller clip or max_kl, or a smaller step size hold them together.",
        "Schulman et al., 2017, arXiv:1707.06347; 2015, arXiv:1502.05477",
        ("entropy_collapsed",),
    ),
    "entropy_collapsed": Words(
        "The policy's entropy has collapsed before anything was learned.",
        "It no longer tries other actions, so nothing can teach it better. Look at the size of "
        "the last layer's weights at the start, at the sign of the loss, and at the step size.",
        NUTS,
    ),
    "evaluation_differs": Words(
        "Evaluation plays another task than training.",
        "Compare both environments: wrappers, reward scale, --ep_len, and how observations are "
        "scaled. What the agent learns in one need not show in the other.",
        HENDERSON,
    ),
}
"""Illnesses by name, causes before what they bring about."""
