"""What mistakes in the given environments and their wrappers say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

SETTINGS = "docs/hw3.md, Settings"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?"
NATURE = "Mnih et al. 2015, Methods (Preprocessing, Training details)"
GYM = "Gymnasium documentation, gymnasium.Wrapper"

MISTAKES: dict[str, Mistake] = {
    "atari.not_scaled": Mistake(
        "Pixels enter the network as numbers up to 255.",
        "The first layer's outputs are hundreds of times too large, and so is every early loss. "
        "Check the range of numbers that enter your network.",
        NATURE,
    ),
    "atari.scaled_twice": Mistake(
        "Pixels are scaled twice.",
        "What enters the network is nearly black. Follow one pixel from the game to the first "
        "layer and count the divisions.",
        NATURE,
    ),
    "atari.frame_shape": Mistake(
        "Frames do not have 84 times 84 pixels.",
        "Frames of another shape or with colours neither fit the network nor the memory that was "
        "planned.",
        NATURE,
    ),
    "atari.frame_skip": Mistake(
        "An action is not repeated for four frames.",
        "Steps, episode lengths and every schedule count the agent's decisions, and mean "
        "something else now.",
        NATURE,
    ),
    "atari.reward_one_frame": Mistake(
        "Of the frames of one step, only one is rewarded.",
        "Rewards that are earned while an action is repeated disappear, and with them most of the"
        " score.",
        NATURE,
    ),
    "atari.reward_mean": Mistake(
        "Rewards of the frames of one step are averaged.",
        "The step's reward is their sum. Scores are reported at a quarter of what they were.",
        NATURE,
    ),
    "atari.reward_at_lost_life": Mistake(
        "The reward of a step that loses a life is lost.",
        "Another step is taken before the agent hears of the first one. Whose reward is it then?",
        NATURE,
    ),
    "atari.not_clipped": Mistake(
        "Rewards of Atari games are not clipped for training.",
        "Games whose points come in hundreds then need another learning rate than all others.",
        NATURE,
    ),
    "atari.clipped_per_frame": Mistake(
        "Rewards are clipped frame by frame, before they are summed.",
        "A step's reward reaches up to 4 instead of 1. In which order do skipping and clipping "
        "wrap the game?",
        NATURE,
    ),
    "atari.score_clipped": Mistake(
        "Reported returns are in clipped units.",
        "Nobody else's numbers can be compared with them. Which wrapper counts the returns, and "
        "does it stand above or below the one that clips?",
        GYM,
    ),
    "atari.score_per_life": Mistake(
        "Scores are counted for each life, not for the whole game.",
        "A game in three lives is reported as three games. Only training takes a life for an "
        "episode.",
        NATURE,
    ),
    "atari.lives_ignored": Mistake(
        "In training, a lost life does not end the agent's episode.",
        "A player learns more slowly that lives are worth something. How does the wrapper learn "
        "that one was lost?",
        NATURE,
    ),
    "atari.life_resets_game": Mistake(
        "A lost life resets the whole game.",
        "A lost life should end the agent's episode, not the game: beyond its first life, the "
        "agent never sees it.",
        NATURE,
    ),
    "atari.no_new_game": Mistake(
        "After the last life no new game begins.",
        "From then on all steps happen in a game that is over.",
        GYM,
    ),
    "atari.no_fire": Mistake(
        "FIRE is not pressed where a game waits for it.",
        "At the start, and in many games after each lost life, nothing happens until it is. An "
        "agent may wait for ever.",
        NATURE,
    ),
    "atari.end_lost": Mistake(
        "The end of a game is not reported as terminated.",
        "The agent plays on in a game that is over, and its values never meet an end.",
        GYM,
    ),
    "atari.ends_early": Mistake(
        "Episodes end though neither a life nor the game was lost.",
        "The future of such a step is cut off for a reason that the agent cannot see.",
        GYM,
    ),
    "atari.limit_lost": Mistake(
        "The fact that time ran out is lost on the way.",
        "The episode runs on past its limit. Follow the flag through every wrapper, from the "
        "innermost on.",
        LIMITS,
    ),
    "atari.cut_is_end": Mistake(
        "A time limit is reported as the end of the task.",
        "With a discount below 1 the state at the limit keeps its value: nothing has ended but "
        "the clock.",
        LIMITS,
    ),
    "atari.limit_is_no_end": Mistake(
        "A time limit that is part of the task is not reported as its end.",
        "Without a discount, returns are finite only because episodes end. Look at the rule for "
        "the flag `time_limit`.",
        LIMITS,
    ),
    "atari.limit_steps": Mistake(
        "Episodes are cut after another number of steps than asked for.",
        "The limit counts steps of the agent, not frames of the game.",
        SETTINGS,
    ),
    "atari.limit_above_monitor": Mistake(
        "Episodes that are cut never reach the count of returns.",
        "The wrapper that counts them does not hear of the limit. Which one stands above the "
        "other?",
        GYM,
    ),
    "atari.same_start": Mistake(
        "All episodes begin with the same seed.",
        "If every episode begins alike, the agent learns one beginning by heart.",
        GYM,
    ),
    "atari.cut_frame": Mistake(
        "The last frame of a cut episode is not kept, or kept when not cut.",
        "Memory needs it as the successor of the last transition, and only then: an episode that "
        "ended has none.",
        LIMITS,
    ),
    "atari.cut_frame_changes": Mistake(
        "The last frame of a cut episode changes after the reset.",
        "It is kept by reference, and the environment writes its next frame into the same array.",
        LIMITS,
    ),
}
