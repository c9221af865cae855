"""What mistakes in a rollout say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

BLANKS = "docs/hw3.md, Blanks"
GYM = "Gymnasium documentation, Env.step and Env.reset"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?"

MISTAKES: dict[str, Mistake] = {
    "rollout.observation_after_step": Mistake(
        "The stored observation is the one after the step.",
        "Each action is then paired with the state it led to, and no policy or value learns what "
        "was done where. Follow the name `ob` through one step: when does it change?",
        BLANKS,
    ),
    "rollout.observation_batched": Mistake(
        "Each stored observation is in a batch of its own.",
        "The path gets one axis too many, which breaks or silently broadcasts whatever is "
        "computed from it. What the policy needs and what is stored may differ in shape.",
        BLANKS,
    ),
    "rollout.observations_swapped": Mistake(
        "Observation and next observation have changed places.",
        "Time runs backwards in every stored transition: values are learned from states that came "
        "before. Print the first two rows of a path.",
        BLANKS,
    ),
    "rollout.ob_not_updated": Mistake(
        "The observation acted in never changes.",
        "The policy is shown the first observation of the episode again and again, and plays "
        "blind. What is `ob` when the loop comes round?",
        GYM,
    ),
    "rollout.next_is_present": Mistake(
        "The stored next observation is the one acted in.",
        "Every transition leads to where it started, so a bootstrapped value only sees itself. "
        "Which observation did the step return?",
        BLANKS,
    ),
    "rollout.next_is_reset": Mistake(
        "The last next observation is the first of another episode.",
        "At the end of each path, a state that has nothing to do with it is taken for its "
        "successor, and its value is learned from that. When is the environment reset, and what "
        "overwrites what?",
        GYM,
    ),
    "rollout.action_batch": Mistake(
        "Actions are stored, or taken, as batches of one.",
        "The path's actions get one axis too many, and a loss over them compares every action "
        "with every other. What does `get_action` answer for a single observation?",
        BLANKS,
    ),
    "rollout.indexed_twice": Mistake(
        "One component of the action is taken for the whole action.",
        "A discrete policy crashes here, or a continuous one loses all but its first component. "
        "Count the axes of what `get_action` answers, in both cases.",
        BLANKS,
    ),
    "rollout.discrete_only": Mistake(
        "The rollout works for discrete actions only.",
        "A continuous action has several components, and cannot become a single number. "
        "InvertedPendulum and HalfCheetah need them all.",
        "docs/hw3.md, q5: continuous actions",
    ),
    "rollout.list_shown": Mistake(
        "The policy is shown all observations so far, not the present one.",
        "What comes first in its answer belongs to the first state of the episode, not to where "
        "it is now. Two names here differ by one letter.",
        BLANKS,
    ),
    "rollout.policy_ignored": Mistake(
        "The action taken is not the policy's.",
        "You collect and evaluate the behaviour of something else, whatever the policy has "
        "learned.",
        BLANKS,
    ),
    "rollout.action_squashed": Mistake(
        "Every action taken lies between -1 and 1, whatever the policy answers.",
        "Is it clipped or squashed on the way to the environment? Then it is another than the one "
        "whose probability the loss holds, and most discrete actions are never taken.",
        BLANKS,
    ),
    "rollout.asked_twice": Mistake(
        "The action stored is not the one taken: the policy was asked twice.",
        "A stochastic policy answers differently each time, so rewards are credited to actions "
        "that nobody took.",
        "Sutton & Barto 2018, section 13.3",
    ),
    "rollout.action_not_taken": Mistake(
        "The action stored is not the one taken.",
        "Rewards are credited to actions that nobody took, and the policy gradient points "
        "anywhere.",
        "Sutton & Barto 2018, section 13.3",
    ),
    "rollout.acts_in_other_state": Mistake(
        "The action was chosen for another observation than the present one.",
        "Your policy always acts too late, or never looks again. Which observation is it shown in "
        "each step?",
        BLANKS,
    ),
    "rollout.not_get_action": Mistake(
        "The policy is asked in a way that policies do not offer.",
        "Policies of this course answer one method, and the protocol at the top of the file names "
        "it.",
        BLANKS,
    ),
    "rollout.reward_clipped": Mistake(
        "The stored reward is clipped.",
        "Scores in logs and plots are then no longer the game's, and what is worth more looks the "
        "same. Where clipping is wanted, a wrapper of the training environment does it.",
        "docs/hw3.md, Logged numbers",
    ),
    "rollout.reward_rounded": Mistake(
        "The stored reward has lost its fraction.",
        "Small rewards vanish altogether, and with them what they teach.",
        GYM,
    ),
    "rollout.reward_summed": Mistake(
        "The stored reward is the sum of all so far.",
        "Returns then count early rewards many times. A path holds what each step paid.",
        BLANKS,
    ),
    "rollout.reward_shifted": Mistake(
        "Each reward is stored one step late.",
        "Every action is paid for what the one before it did.",
        BLANKS,
    ),
    "rollout.reward_changed_at_end": Mistake(
        "The reward of an episode's last step is not what the environment paid.",
        "A penalty or bonus of your own changes the task, and the returns that are logged.",
        BLANKS,
    ),
    "rollout.cut_is_terminal": Mistake(
        "What merely ends a path is stored as terminal.",
        "A state reached when somebody stopped the clock still has a future. If it is stored as "
        "worthless, values depend on time left that the agent cannot see.",
        f"Pardo et al. 2018, section 3; {LIMITS}",
    ),
    "rollout.truncated_is_terminal": Mistake(
        "What is stored as terminal is `truncated`.",
        "True ends then count a future that does not exist, and cut states count none: exactly "
        "the wrong way round.",
        f"Pardo et al. 2018, section 3; {LIMITS}",
    ),
    "rollout.terminal_lost_at_limit": Mistake(
        "A terminal step at the time limit is not stored as terminal.",
        "Both can happen in one step. That somebody stopped the clock as well gives the state no "
        "future.",
        LIMITS,
    ),
    "rollout.terminal_inverted": Mistake(
        "What is stored as terminal is the wrong way round.",
        "Every ordinary step looks like an end, and every end like an ordinary step: nothing is "
        "bootstrapped where it should be.",
        LIMITS,
    ),
    "rollout.never_terminal": Mistake(
        "No step is ever stored as terminal.",
        "After a true end a future is still counted, so that failing costs nothing.",
        LIMITS,
    ),
    "rollout.always_terminal": Mistake(
        "Every step is stored as terminal.",
        "No future ever counts, so the values are those of the next reward alone.",
        LIMITS,
    ),
    "rollout.ignores_terminated": Mistake(
        "The path goes on after the episode has terminated.",
        "What an environment returns after the end means nothing, and some crash. Which flags "
        "does a step return?",
        GYM,
    ),
    "rollout.ignores_truncated": Mistake(
        "The path goes on after the episode was truncated.",
        "An environment that has stopped the clock must be reset before it is stepped again. "
        "Which flags does a step return?",
        GYM,
    ),
    "rollout.no_limit": Mistake(
        "`max_path_length` does not end the path.",
        "In an environment that never ends by itself the rollout never returns.",
        BLANKS,
    ),
    "rollout.one_step_too_many": Mistake(
        "A path has one step more than `max_path_length`.",
        "Count by hand for a maximum of 1: when you compare, has the present step been counted "
        "already?",
        BLANKS,
    ),
    "rollout.one_step_too_few": Mistake(
        "A path has one step less than `max_path_length`.",
        "Count by hand for a maximum of 3: when you compare, has the present step been counted "
        "already?",
        BLANKS,
    ),
    "rollout.stops_at_once": Mistake(
        "The path ends after the first step, though nothing has ended.",
        "Each path holds a single step, so there is hardly anything to learn from. Read your "
        "condition aloud: does it say when to stop, or when to go on?",
        BLANKS,
    ),
    "rollout.and_for_or": Mistake(
        "Several reasons to end must come together before the path ends.",
        "Each of the three reasons is enough by itself. Mind also which of two joining words "
        "binds more tightly.",
        "docs.python.org, Boolean operations",
    ),
    "rollout.spans_episodes": Mistake(
        "One path spans several episodes.",
        "Rewards of one episode then count in the return of another.",
        BLANKS,
    ),
    "rollout.reset_inside": Mistake(
        "The environment is reset while an episode is going on.",
        "Each step is then the first of an episode, and nothing later is ever seen.",
        GYM,
    ),
    "rollout.same_start": Mistake(
        "Every path begins with the same seed.",
        "A reset with a seed begins the same episode again, so all paths of a batch start alike, "
        "and an evaluation measures one start only. A seed is given once, at the start of a run.",
        GYM,
    ),
    "rollout.no_step": Mistake(
        "The environment is never stepped.",
        "Without a step there is nothing to store.",
        GYM,
    ),
    "rollout.stepped_twice": Mistake(
        "The environment is stepped more than once for each action chosen.",
        "Half of what happens is never stored, and what is stored comes from several steps. How "
        "many calls stand in one round of your loop?",
        GYM,
    ),
    "rollout.five_values": Mistake(
        "`step` is unpacked into the wrong number of values.",
        "Older Gym returned four, Gymnasium returns five: `done` became two facts.",
        GYM,
    ),
    "rollout.reset_pair": Mistake(
        "What `reset` returns is not taken apart as it should be.",
        "Gymnasium's reset returns two things, of which only the first is an observation.",
        GYM,
    ),
    "rollout.step_not_unpacked": Mistake(
        "All that `step` returns is taken for the observation.",
        "Five things come back at once, of which the observation is only one.",
        GYM,
    ),
    "rollout.no_path": Mistake(
        "No path is returned.",
        "The loop ends in another way than by the given line after the blank, so whoever called "
        "gets nothing.",
        BLANKS,
    ),
    "rollout.list_forgotten": Mistake(
        "Nothing is appended to one of the five lists.",
        "Part of every transition is missing, and the arrays of a path no longer have the same "
        "length.",
        BLANKS,
    ),
    "rollout.appended_twice": Mistake(
        "A step is appended twice to one of the five lists.",
        "From the second row on, the arrays no longer belong together.",
        BLANKS,
    ),
    "rollout.last_step_missing": Mistake(
        "The last step of a path is missing from one of the five lists.",
        "The end of an episode often carries the reward that matters. Does every round of the "
        "loop reach every line?",
        BLANKS,
    ),
}
