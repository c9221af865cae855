"""What failures of whole agents to learn say to a student."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.mistakes import Mistake

# By what there is to read: a mistake's name, its title, and further lines of explanation.
WORDS = {
    "docs/hw3.md, Blanks; Mnih et al. 2015, algorithm 1; Sutton and Barto 2018, section 9.3": """
constant_reward: Your agent does not learn that every episode pays 1.
    Nothing is easier: one step, one state, one reward. If the numbers hardly move, look at the
    gradient step and at what is stored; if they wander, at the targets.
no_reward: Your agent learns that nothing is ever paid.
    Every episode pays 1, and the values are 0: the reward is lost on its way from the
    environment to the targets. Follow it.
terminal_not_masked: Your agent believes that something follows the end of an episode.
    The reward 1 ends the episode, yet the values are those of a reward 1 for ever. Look at what
    the targets do where an episode has ended, and at whether that is stored.
reward_from_observation: Your agent cannot tell two states apart that pay differently.
    The values of the two states are not their own rewards: observations and rewards come from
    different steps. Look at which frame is stored, with which effect, and what is acted on
    after a reset.
two_steps: A reward one step away is not valued rightly.
    Two steps, the second pays 1: the first must be worth the discount. Look at the targets, at
    which network they come from and when that is brought up to date.
action_and_observation: Your agent does not learn that the best action depends on the state.
    It learns either alone. Look at whether actions stay with the observations they were chosen
    for, and at which action the next state is valued by.
""",
    "Sutton and Barto 2018, section 3.5": """
no_discount: A reward one step away is worth as much as one now.
    The discount has no effect on what is learned. Without it, values of long tasks grow without
    bound.
no_future: A reward one step away is worth nothing.
    Your agent values the next reward alone. Look at the part of the target that comes after the
    reward, and at whether every step is taken for the last.
""",
    "Mnih et al. 2015, algorithm 1, last line": """
target_never_synced: Your target network stays as it was at the start.
    A state one step before the reward is valued by what an untrained network says of the next
    one. Look at when the target network is brought up to date, and from which network.
""",
    "Sutton et al. 2000, theorem 1; Schulman et al. 2016, section 3": """
action_matters: Your agent does not learn which of two actions pays.
    Its values are right where actions do not matter. Look at which action is stored, at how the
    policy is improved, and at how an action is chosen from it.
worst_action: Your agent learns the worst action instead of the best.
    It goes the wrong way, and surely: look for a sign, in the advantage or in the loss that an
    optimizer makes small.
continuous_action: Your agent does not find the best continuous action.
    It is paid more the nearer it comes. Look at the distribution's mean and spread, at the
    log-probability of an action of two numbers, and at signs.
continuous_action_and_observation: Your agent does not learn one continuous action for each state.
    It finds a single best action, but not one for each state. Look at whether actions,
    observations and advantages stay in the same order.
""",
    "Mnih et al. 2015, algorithm 1": """
acts_otherwise: Your agent does not do what its own values say is best.
    With epsilon 0 its actions differ from the largest of its values: look at when an action is
    random, and at how the greedy one is read off the values.
""",
    "docs/hw3.md, Time limits: terminated or truncated?; Pardo et al. 2018": """
always_truncated: A reward that never ends, cut by a time limit, is not valued rightly.
    Reward 1 for ever is worth one divided by one minus the discount, wherever somebody stops
    the clock. Look at what is stored at a time limit, and at how often targets are brought up
    to date.
time_limit_is_terminal: Your agent takes a time limit for the end of the world.
    It values states as if one step in three, the one at the limit, had no future. Which of the
    two facts that the environment reports is stored?
""",
    "Gymnasium documentation, Env.step": """
episode_never_ends: Your agent goes on stepping long after the episode has ended.
    Gymnasium's step may not be called after an end. Look at what is done when an episode is
    terminated or truncated.
""",
    "docs/results/hw3.md": """
cartpole: Actor-critic does not learn CartPole.
    The course's own runs reach 200 within 20 iterations. If the tiny tasks are learned, look at
    what only shows with many steps and four observations: shapes, and order.
lander: DQN does not learn Lunar Lander.
    The course's own runs earn more than 0 within 200,000 steps. If the tiny tasks are learned,
    look at the target network's turn and at exploration.
""",
}


def _read() -> Iterator[tuple[str, Mistake]]:
    for reference, text in WORDS.items():
        for name, title, lines in re.findall(r"^(\w+): (.*)\n((?:    .*\n)+)", text, re.MULTILINE):
            yield f"learning.{name}", Mistake(title, " ".join(lines.split()), reference)


MISTAKES = dict(_read())
