"""What mistakes in the given schedules and in the given replay buffer say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

EXPLORE = "docs/hw3.md, DQN: replay and a target network (Exploration)"
SETTINGS = "docs/hw3.md, Settings"
REPLAY = "docs/hw3.md, DQN: replay and a target network (Replay, Pixels)"
BUFFER = "docs/hw3.md, Glossary (The replay buffer)"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?"
NATURE = "Mnih et al. 2015, Methods (Preprocessing, Training details)"
GLOSSARY = "docs/hw3.md, Glossary"
TARGET = "Mnih et al. 2015, algorithm 1; docs/hw3.md, DQN: replay and a target network"

MISTAKES: dict[str, Mistake] = {
    "schedule.reversed": Mistake(
        "Within a segment your schedule runs backwards.",
        "At the left end of a segment it returns the value of the right end, and then moves back."
        " Ask it for its values at both ends of one segment.",
        EXPLORE,
    ),
    "schedule.at_breakpoint": Mistake(
        "At a breakpoint your schedule does not have the breakpoint's value.",
        "For one step epsilon or the learning rate jumps to another value. Check the comparisons "
        "at exactly the times where two segments meet, the very first time included.",
        EXPLORE,
    ),
    "schedule.after_end": Mistake(
        "After its last point your schedule does not keep the last value.",
        "Most of training lies beyond the last point. There the value should stay where it was "
        "led.",
        EXPLORE,
    ),
    "schedule.runs_on": Mistake(
        "After its last point your schedule runs on along its last line.",
        "A falling line reaches zero and then negative numbers: no exploration, or a learning "
        "rate that climbs the loss.",
        EXPLORE,
    ),
    "schedule.before_start": Mistake(
        "Before its first point your schedule does not have the first value.",
        "A schedule need not begin at time 0. Ask it for a time before it begins.",
        EXPLORE,
    ),
    "schedule.grows": Mistake(
        "Your schedule rises where it should fall.",
        "Exploration increases with time, so the agent follows what it has learned less and less."
        " Print epsilon at a few times.",
        EXPLORE,
    ),
    "schedule.constant": Mistake(
        "Your schedule never changes.",
        "With epsilon constant your agent never stops exploring, or never begins. Print epsilon "
        "at a few times.",
        EXPLORE,
    ),
    "schedule.steps": Mistake(
        "Your schedule jumps from point to point, not along a line.",
        "Between two points the value should be in proportion to the time that has passed since "
        "the left one.",
        EXPLORE,
    ),
    "schedule.curved": Mistake(
        "Between its points your schedule follows a curve, not a line.",
        "It falls faster at first and more slowly later than its points say, and no setting of "
        "the handout means what it says.",
        EXPLORE,
    ),
    "schedule.middle_ignored": Mistake(
        "Your schedule knows its first and its last point alone.",
        "The points between were put there to make it fall quickly at first and slowly afterwards.",
        EXPLORE,
    ),
    "schedule.segment_length": Mistake(
        "The share of a segment that has passed is measured wrongly.",
        "Only in a segment that begins at time 0 is it right. Which two durations is that share "
        "the quotient of?",
        EXPLORE,
    ),
    "schedule.counts_calls": Mistake(
        "Your schedule depends on how often it is asked, not on the time.",
        "Everything that asks for epsilon, the log included, then moves it on, and exploration is"
        " over early. Ask twice for the same time.",
        EXPLORE,
    ),
    "schedule.too_fast": Mistake(
        "Your schedule falls faster than its points say.",
        "Exploration is over before there is anything to follow. In which unit is the time: "
        "environment steps, updates, episodes?",
        EXPLORE,
    ),
    "schedule.too_slow": Mistake(
        "Your schedule falls more slowly than its points say.",
        "The agent goes on acting at random when it ought to follow what it has learned. In which"
        " unit is the time?",
        EXPLORE,
    ),
    "schedule.parse": Mistake(
        "A schedule written as text is read as another one.",
        "The settings on the command line and in the presets then mean something else than they "
        "say. This file was given: compare it with the handout's.",
        SETTINGS,
    ),
    "replay.done_lost": Mistake(
        "Your memory does not know where episodes end.",
        "No stored step is terminal, so every target counts a future that never comes, and values"
        " drift upwards.",
        REPLAY,
    ),
    "replay.done_shifted": Mistake(
        "The end of an episode is stored beside another step.",
        "One step too early or too late, a step with a future loses it and the last step gets "
        "one. Compare where the action and where the flag are stored.",
        REPLAY,
    ),
    "replay.done_inverted": Mistake(
        "Your memory has the ends of episodes the wrong way round.",
        "Every step seems the last but the last one: nothing beyond the next reward can be "
        "learned.",
        REPLAY,
    ),
    "replay.cut_is_done": Mistake(
        "Episodes that a time limit cut are stored as ended.",
        "The state at the cut had a future and is taught to have none, for a reason that the "
        "agent cannot see.",
        LIMITS,
    ),
    "replay.effect_shifted": Mistake(
        "Actions and rewards are stored beside the wrong frame.",
        "Each observation is paired with what happened one step earlier or later. Which index "
        "does `store_effect` get, and which one does it write to?",
        BUFFER,
    ),
    "replay.newest_sampled": Mistake(
        "The newest frame is drawn before its successor is known.",
        "The most recent transition has no next observation yet: what stands in its place is an "
        "old frame or none at all.",
        REPLAY,
    ),
    "replay.cut_frame_sampled": Mistake(
        "Frames in which nothing was done are drawn as states.",
        "Nothing follows the last frame of a cut episode: the action and the reward that stand "
        "there belong to another step, long overwritten.",
        BUFFER,
    ),
    "replay.cut_frame_lost": Mistake(
        "The last frame of a cut episode is not the next observation.",
        "The transition that a time limit cut then leads into the first frame of another episode.",
        LIMITS,
    ),
    "replay.unwritten": Mistake(
        "Slots that were never written are drawn.",
        "As long as memory is not full, batches hold blank frames with no reward. Which indices "
        "are there to draw from?",
        REPLAY,
    ),
    "replay.glued": Mistake(
        "Pieces of different transitions are glued together.",
        "In one row of a batch the observation, action, reward, next observation and end do not "
        "belong to one step. Does every array use the same indices?",
        REPLAY,
    ),
    "replay.next_is_present": Mistake(
        "The next observation is the present one.",
        "The target then values the state that is left, not the one that is reached.",
        REPLAY,
    ),
    "replay.next_blank": Mistake(
        "The next observation lacks its newest frame.",
        "Blank it may be only after the end of an episode. Elsewhere the target values a picture "
        "that never was.",
        REPLAY,
    ),
    "replay.reference": Mistake(
        "Frames are stored by reference, not copied.",
        "Every stored frame changes when the environment writes the next one: in the end they are"
        " all alike.",
        BUFFER,
    ),
    "replay.fractions_lost": Mistake(
        "Observations lose their fractions in memory.",
        "Only images are whole numbers of one byte. Positions and velocities stored like that "
        "become a handful of values. Look at the type of the array.",
        REPLAY,
    ),
    "replay.frames_changed": Mistake(
        "Frames come out of memory other than they went in.",
        "The network learns from pictures that it is never shown when it acts. This file was "
        "given: compare it with the handout's.",
        REPLAY,
    ),
    "replay.pixels_scaled": Mistake(
        "The replay buffer scales pixels, and the network does too.",
        "What enters the layers is then nearly black. Follow one pixel from the game to the "
        "network.",
        NATURE,
    ),
    "replay.reward_fractions_lost": Mistake(
        "Rewards lose their fractions in memory.",
        "Small rewards become nothing. Look at the type of the array that they are stored in.",
        REPLAY,
    ),
    "replay.reward_clipped": Mistake(
        "The replay buffer clips rewards.",
        "That is right for Atari alone, and there the environment does it. Lunar Lander's rewards"
        " go from -100 to 100, and lose all proportion.",
        REPLAY,
    ),
    "replay.reward_lost": Mistake(
        "Rewards are not stored.",
        "Every reward that is drawn is zero, so there is nothing to learn.",
        REPLAY,
    ),
    "replay.same_batch": Mistake(
        "Every batch is the same batch.",
        "Two draws in a row are equal. A generator that is seeded anew for each draw knows only "
        "one answer.",
        REPLAY,
    ),
    "replay.not_uniform": Mistake(
        "Some transitions are drawn more often than others.",
        "DQN draws uniformly: the newest ones are too much alike to be favoured.",
        TARGET,
    ),
    "replay.ends_never_drawn": Mistake(
        "The last steps of episodes are never drawn.",
        "They alone tell where the future ends. Without them no value is tied to anything but "
        "other values.",
        REPLAY,
    ),
    "replay.forgets_too_soon": Mistake(
        "Memory is smaller than it was asked to be.",
        "Transitions among the newest `size` are never drawn, so that batches are more alike than"
        " they should be.",
        REPLAY,
    ),
    "replay.can_sample": Mistake(
        "Memory says too early or too late that a batch can be drawn.",
        "Too early, the first updates see a few transitions over and over. Too late, learning "
        "waits for no reason.",
        BUFFER,
    ),
    "replay.stack_crosses_episodes": Mistake(
        "The first observations of an episode show the one before.",
        "A stack of frames should hold blanks where its episode has no earlier frames. Nothing "
        "that was seen before a reset tells what moves now.",
        REPLAY,
    ),
    "replay.stack_crosses_cut": Mistake(
        "After a time limit the first observations show the episode before.",
        "An episode that was cut is over just like one that ended: its frames have no place in "
        "the next one's stacks.",
        REPLAY,
    ),
    "replay.stack_crosses_head": Mistake(
        "When memory is full, stacks mix old frames with the newest.",
        "Behind the oldest frame in a ring stands the newest one. A stack must not reach across.",
        REPLAY,
    ),
    "replay.stack_reversed": Mistake(
        "Stacks of frames are in reverse order.",
        "What moves to the right is shown to move to the left. The newest frame comes last.",
        GLOSSARY,
    ),
    "replay.stack_axis": Mistake(
        "Frames are stacked along the wrong axis.",
        "The network expects the stack first, before rows and columns of pixels.",
        GLOSSARY,
    ),
    "replay.stack_short": Mistake(
        "Stacks hold fewer frames than they should.",
        "Places are blank although their episode has frames for them, so speeds cannot be seen. "
        "From how many frames on is a history whole?",
        REPLAY,
    ),
    "replay.stack_mixed": Mistake(
        "Stacks hold frames in places where they do not belong.",
        "A stack is the newest frames of one episode, each once and one after the other. This "
        "file was given: compare it with the handout's.",
        REPLAY,
    ),
    "replay.recent_stale": Mistake(
        "The policy is not shown the newest frame.",
        "It acts on what was seen a step ago, but learns as if it had seen the present.",
        BUFFER,
    ),
}
