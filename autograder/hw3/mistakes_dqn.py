"""What mistakes in a step of DQN's agent say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

ALGORITHM = "Mnih et al. 2015, algorithm 1"
REPLAY = "Mnih et al. 2015, algorithm 1; docs/hw3.md, DQN: replay and a target network"
GYM = "Gymnasium documentation, Env.step and Env.reset"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?"
BLANKS = "docs/hw3.md, Blanks"

MISTAKES = {
    "act.exploration_reversed": Mistake(
        "Exploration works the wrong way round.",
        "With epsilon 1 your agent is greedy, with epsilon 0 it acts at random: it explores less "
        "when it should more. Try both by hand.",
        ALGORITHM,
    ),
    "act.epsilon": Mistake(
        "Random actions are not as frequent as epsilon says.",
        "With epsilon 0 none should be random, with epsilon 1 all, and between a share of epsilon.",
        ALGORITHM,
    ),
    "act.epsilon_of_another_time": Mistake(
        "The schedule of epsilon is asked about another time than now.",
        "Exploration then does not fade as planned. Which number counts the agent's steps?",
        ALGORITHM,
    ),
    "act.no_warm_up": Mistake(
        "Before learning starts, your agent does not act at random.",
        "The first memories then hold only what an untrained network likes. Which setting says "
        "when learning starts?",
        BLANKS,
    ),
    "act.random_actions": Mistake(
        "Some actions are never chosen at random.",
        "What is never tried is never learned.",
        ALGORITHM,
    ),
    "act.several_actions": Mistake(
        "Several actions are drawn at once.",
        "A step takes one. How many are drawn must not depend on what is seen.",
        ALGORITHM,
    ),
    "act.actor_ignored": Mistake(
        "The actor is asked, but its action is not taken.",
        "What the agent learns then has no effect on what it does.",
        ALGORITHM,
    ),
    "act.no_frame": Mistake(
        "No frame is stored.",
        "Nothing that the agent sees is in its memory.",
        REPLAY,
    ),
    "act.frame_count": Mistake(
        "A step stores more than one frame, or none.",
        "Memory holds one frame a step; otherwise frames and actions no longer belong together.",
        REPLAY,
    ),
    "act.next_frame": Mistake(
        "The frame stored is the one after the step.",
        "Each action and reward is then paired with the frame that it led to, not the one in which "
        "it was chosen.",
        REPLAY,
    ),
    "act.wrong_frame": Mistake(
        "The frame stored is not the one the agent acts on.",
        "Memory should hold what the agent saw when it chose its action.",
        REPLAY,
    ),
    "act.stored_late": Mistake(
        "The frame is stored after the effect of the action.",
        "The effect needs the place of the frame that it belongs to.",
        REPLAY,
    ),
    "act.index_lost": Mistake(
        "The place of the stored frame is not kept.",
        "The effect of the action will be stored beside another frame.",
        BLANKS,
    ),
    "act.no_history": Mistake(
        "The actor sees a single frame, not the stacked history.",
        "One frame does not show which way things move, and the network expects as many as it was "
        "trained on.",
        "Mnih et al. 2015, Methods, 'Preprocessing'",
    ),
    "act.stale_history": Mistake(
        "The actor sees the history as it was before the newest frame.",
        "It acts one step late.",
        REPLAY,
    ),
    "act.wrong_observation": Mistake(
        "The actor is shown something else than the newest frames.",
        "It should see what memory holds of the present.",
        REPLAY,
    ),
    "step.no_step": Mistake("The environment is never stepped.", "So nothing ever happens.", GYM),
    "step.more_steps": Mistake(
        "The environment is stepped more than once.",
        "All steps but one are lost to memory.",
        ALGORITHM,
    ),
    "step.five_values": Mistake(
        "Gymnasium's step returns five values.",
        "The end of an episode comes as two facts: terminated, and truncated.",
        GYM,
    ),
    "step.two_values": Mistake(
        "Gymnasium's reset returns two values.",
        "The first frame, and a dictionary of further facts.",
        GYM,
    ),
    "step.no_effect": Mistake(
        "What followed the frame is not stored.",
        "Without action and reward no frame can be learned from.",
        REPLAY,
    ),
    "step.effect_count": Mistake(
        "Some steps store no effect, or several.",
        "Each step has one.",
        REPLAY,
    ),
    "step.index_shifted": Mistake(
        "The effect is stored beside a neighbouring frame.",
        "Actions and frames are off by one in memory.",
        REPLAY,
    ),
    "step.wrong_index": Mistake(
        "The effect is stored beside another frame.",
        "Its place is the one that was kept when the frame was stored.",
        REPLAY,
    ),
    "step.arguments": Mistake(
        "What followed the frame is not handed over as its memory expects.",
        "It takes four things, each in its place: where the frame is, action, reward, and whether "
        "it ended.",
        REPLAY,
    ),
    "step.frame_stored": Mistake(
        "The step stores a frame of its own.",
        "The frame that was acted on is stored already; the one that came is, in the next call.",
        REPLAY,
    ),
    "step.end_forgotten": Mistake(
        "An end is forgotten if time runs out in the same step.",
        "Both can be true at once, and then nothing more can come. Which of the two facts counts?",
        LIMITS,
    ),
    "step.wrong_action": Mistake(
        "What is stored as the action is not what was done.",
        "The agent learns the value of an action that it never took.",
        REPLAY,
    ),
    "step.reward": Mistake(
        "The reward in memory is not what the environment paid.",
        "Clipping, where it is wanted, is a wrapper's task; whatever else changes rewards changes "
        "the task.",
        REPLAY,
    ),
    "step.cut_is_done": Mistake(
        "An episode that merely ran out of time is stored as ended.",
        "The agent learns that no future follows there, though the world goes on. Which of the two "
        "facts means that nothing more can come?",
        LIMITS,
    ),
    "step.truncated_is_done": Mistake(
        "Only episodes that ran out of time are stored as ended.",
        "The two facts that step returns have changed places.",
        LIMITS,
    ),
    "step.done_inverted": Mistake(
        "Memory says 'ended' exactly where the episode went on.",
        "The flag is the wrong way round.",
        REPLAY,
    ),
    "step.never_done": Mistake(
        "Memory never learns that an episode has ended.",
        "A future is then counted beyond every end.",
        REPLAY,
    ),
    "step.last_obs_kept": Mistake(
        "The observation never moves on.",
        "Your agent acts on, and stores, the same old frame step after step.",
        BLANKS,
    ),
    "step.last_obs": Mistake(
        "The observation to act on next is not the one that came.",
        "After a step it is the frame that the step returned.",
        BLANKS,
    ),
    "step.no_reset": Mistake(
        "After an episode nobody resets the environment.",
        "You keep stepping a finished episode.",
        GYM,
    ),
    "step.no_reset_when_cut": Mistake(
        "When time runs out nobody resets the environment.",
        "An episode ends in two ways; after either, a fresh one has to begin.",
        LIMITS,
    ),
    "step.reset_early": Mistake(
        "The environment is reset in the middle of an episode.",
        "Only an ended episode is followed by a fresh one.",
        GYM,
    ),
    "step.reset_ignored": Mistake(
        "After an episode your agent still sees its last frame.",
        "A reset returns the first frame of the fresh episode; somebody has to keep it.",
        GYM,
    ),
    "step.same_start": Mistake(
        "Every episode begins with the same seed.",
        "A reset with a seed begins the same episode again, with the same terrain and the same "
        "luck, so your agent learns one episode by heart. A seed is given once, at the start of a "
        "run.",
        GYM,
    ),
}
