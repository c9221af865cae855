"""What failures of whole agents to learn say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

TARGETS = "docs/hw3.md, Blanks; Mnih et al. 2015, algorithm 1; Sutton and Barto 2018, section 9.3"
VALUES = "Sutton and Barto 2018, section 3.5"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?; Pardo et al. 2018"
GRADIENT = "Sutton et al. 2000, theorem 1; Schulman et al. 2016, section 3"
RUNS = "docs/results/hw3.md"

MISTAKES = {
    "learning.constant_reward": Mistake(
        "Your agent does not learn that every episode pays 1.",
        "Nothing is easier: one step, one state, one reward. If the numbers hardly move, look at "
        "the gradient step and at what is stored; if they wander, at the targets.",
        TARGETS,
    ),
    "learning.no_reward": Mistake(
        "Your agent learns that nothing is ever paid.",
        "Every episode pays 1, and the values are 0: the reward is lost on its way from the "
        "environment to the targets. Follow it.",
        TARGETS,
    ),
    "learning.terminal_not_masked": Mistake(
        "Your agent believes that something follows the end of an episode.",
        "The reward 1 ends the episode, yet the values are those of a reward 1 for ever. Look at "
        "what the targets do where an episode has ended, and at whether that is stored.",
        TARGETS,
    ),
    "learning.reward_from_observation": Mistake(
        "Your agent cannot tell two states apart that pay differently.",
        "The values of the two states are not their own rewards: observations and rewards come "
        "from different steps. Look at which frame is stored, with which effect, and what is acted "
        "on after a reset.",
        TARGETS,
    ),
    "learning.two_steps": Mistake(
        "A reward one step away is not valued rightly.",
        "Two steps, the second pays 1: the first must be worth the discount. Look at the targets, "
        "at which network they come from and when that is brought up to date.",
        TARGETS,
    ),
    "learning.no_discount": Mistake(
        "A reward one step away is worth as much as one now.",
        "The discount has no effect on what is learned. Without it, values of long tasks grow "
        "without bound.",
        VALUES,
    ),
    "learning.no_future": Mistake(
        "A reward one step away is worth nothing.",
        "Your agent values the next reward alone. Look at the part of the target that comes "
        "after the reward, and at whether every step is taken for the last.",
        VALUES,
    ),
    "learning.target_never_synced": Mistake(
        "Your target network stays as it was at the start.",
        "A state one step before the reward is valued by what an untrained network says of the "
        "next one. Look at when the target network is brought up to date, and from which network.",
        "Mnih et al. 2015, algorithm 1, last line",
    ),
    "learning.action_matters": Mistake(
        "Your agent does not learn which of two actions pays.",
        "Its values are right where actions do not matter. Look at which action is stored, at how "
        "the policy is improved, and at how an action is chosen from it.",
        GRADIENT,
    ),
    "learning.worst_action": Mistake(
        "Your agent learns the worst action instead of the best.",
        "It goes the wrong way, and surely: look for a sign, in the advantage or in the loss "
        "that an optimizer makes small.",
        GRADIENT,
    ),
    "learning.acts_otherwise": Mistake(
        "Your agent does not do what its own values say is best.",
        "With epsilon 0 its actions differ from the largest of its values: look at when an action "
        "is random, and at how the greedy one is read off the values.",
        "Mnih et al. 2015, algorithm 1",
    ),
    "learning.action_and_observation": Mistake(
        "Your agent does not learn that the best action depends on the state.",
        "It learns either alone. Look at whether actions stay with the observations they were "
        "chosen for, and at which action the next state is valued by.",
        TARGETS,
    ),
    "learning.always_truncated": Mistake(
        "A reward that never ends, cut by a time limit, is not valued rightly.",
        "Reward 1 for ever is worth one divided by one minus the discount, wherever somebody "
        "stops the clock. Look at what is stored at a time limit, and at how often targets are "
        "brought up to date.",
        LIMITS,
    ),
    "learning.time_limit_is_terminal": Mistake(
        "Your agent takes a time limit for the end of the world.",
        "It values states as if one step in three, the one at the limit, had no future. Which of "
        "the two facts that the environment reports is stored?",
        LIMITS,
    ),
    "learning.continuous_action": Mistake(
        "Your agent does not find the best continuous action.",
        "It is paid more the nearer it comes. Look at the distribution's mean and spread, at "
        "the log-probability of an action of two numbers, and at signs.",
        GRADIENT,
    ),
    "learning.continuous_action_and_observation": Mistake(
        "Your agent does not learn one continuous action for each state.",
        "It finds a single best action, but not one for each state. Look at whether actions, "
        "observations and advantages stay in the same order.",
        GRADIENT,
    ),
    "learning.episode_never_ends": Mistake(
        "Your agent goes on stepping long after the episode has ended.",
        "Gymnasium's step may not be called after an end. Look at what is done when an episode is "
        "terminated or truncated.",
        "Gymnasium documentation, Env.step",
    ),
    "learning.cartpole": Mistake(
        "Actor-critic does not learn CartPole.",
        "The course's own runs reach 200 within 20 iterations. If the tiny tasks are learned, look "
        "at what only shows with many steps and four observations: shapes, and order.",
        RUNS,
    ),
    "learning.lander": Mistake(
        "DQN does not learn Lunar Lander.",
        "The course's own runs earn more than 0 within 200,000 steps. If the tiny tasks are "
        "learned, look at the target network's turn and at exploration.",
        RUNS,
    ),
}
