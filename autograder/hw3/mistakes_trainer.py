"""What mistakes in the trainer's two blanks say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

BLANKS = "docs/hw3.md, Blanks"
SETTINGS = "docs/hw3.md, Settings"
LOGGED = "docs/hw3.md, Logged numbers"
TRAINER = "cs285/infrastructure/rollouts.py, sample_trajectories"
ON_POLICY = (
    "Sutton & Barto 2018, section 13.2; docs/hw3.md, Actor-critic with a bootstrapped critic"
)

MISTAKES: dict[str, Mistake] = {
    "collect.eval_env": Mistake(
        "Training paths are collected in the evaluation environment.",
        "Its scores are raw and its episodes are not counted as training, so you learn and "
        "measure in the same place.",
        BLANKS,
    ),
    "collect.environment_touched": Mistake(
        "The environment is asked for something besides the paths.",
        "Whoever samples a path resets the environment itself; a reset of your own, or a seed for "
        "it, makes every iteration begin alike.",
        TRAINER,
    ),
    "collect.counted_twice": Mistake(
        "The steps are counted here, and once more by the loop around it.",
        "Return how many steps were taken: the loop adds them to its total.",
        BLANKS,
    ),
    "collect.other_env": Mistake(
        "Paths are collected in something that is not the training environment.",
        "Which of the trainer's attributes is the environment itself?",
        BLANKS,
    ),
    "collect.other_policy": Mistake(
        "Paths are not collected with the policy that was handed over.",
        "An on-policy gradient holds only for actions of the policy that is being improved.",
        ON_POLICY,
    ),
    "collect.wrong_count": Mistake(
        "Another number of environment steps is collected than was asked for.",
        "The noise of the gradient depends on it. Several settings have similar names: which one "
        "is this method given?",
        SETTINGS,
    ),
    "collect.no_path_length": Mistake(
        "The longest path length is not passed on.",
        "Without it nothing ends a path in an environment that never ends by itself.",
        SETTINGS,
    ),
    "collect.wrong_path_length": Mistake(
        "Paths may have another length than the setting says.",
        "Episodes are cut too early or too late, and returns cannot be compared with those of the "
        "handout.",
        SETTINGS,
    ),
    "collect.arguments_swapped": Mistake(
        "Two arguments of the collecting function have changed places.",
        "Compare your call with the order of its parameters; passing by keyword makes such a slip "
        "impossible.",
        TRAINER,
    ),
    "collect.arguments": Mistake(
        "The collecting function is called with arguments it does not have.",
        "Look at its signature in `infrastructure/rollouts.py`.",
        TRAINER,
    ),
    "collect.results_swapped": Mistake(
        "Paths and number of steps have changed places.",
        "The trainer would count paths as steps. In which order does the collecting function "
        "return them?",
        TRAINER,
    ),
    "collect.pair_not_unpacked": Mistake(
        "The pair that was returned is taken for the list of paths.",
        "Two things come back at once: the paths, and how many steps they hold.",
        TRAINER,
    ),
    "collect.results": Mistake(
        "What the collecting function returns is taken apart wrongly.",
        "How many things does it return, and which are they?",
        TRAINER,
    ),
    "collect.collected_twice": Mistake(
        "Paths are collected twice in each iteration.",
        "Half of the environment steps are thrown away, or the steps counted belong to other "
        "paths.",
        TRAINER,
    ),
    "collect.paths_for_steps": Mistake(
        "The batch size is used as a number of paths.",
        "It counts environment steps. Whole episodes that many take far longer, and the learning "
        "curve's axis is wrong.",
        SETTINGS,
    ),
    "collect.one_trajectory": Mistake(
        "A single path is collected instead of a batch.",
        "One episode is a very noisy sample of what the policy does. Two functions have almost "
        "the same name.",
        TRAINER,
    ),
    "collect.too_few_steps": Mistake(
        "Collecting stops before there are enough steps.",
        "The gradient gets noisier than the setting asks for.",
        SETTINGS,
    ),
    "collect.too_many_steps": Mistake(
        "Collecting does not stop when there are enough steps.",
        "Each iteration takes longer than it should, or never ends. What does your loop count?",
        SETTINGS,
    ),
    "collect.wrong_steps": Mistake(
        "The number of steps returned is not that of the paths.",
        "Everything is plotted over environment steps; whole paths rarely hold exactly as many as "
        "were asked for.",
        "docs/hw3.md, Logged numbers",
    ),
    "collect.paths_lost": Mistake(
        "The paths returned are not those that were collected.",
        "What was played and paid for does not reach the agent.",
        TRAINER,
    ),
    "collect.nothing_collected": Mistake(
        "No path is collected.",
        "Without fresh paths an on-policy agent has nothing to learn from.",
        BLANKS,
    ),
    "collect.rendered": Mistake(
        "Every training path is filmed.",
        "Rendering each step takes far longer than playing it, and memory fills with pictures.",
        TRAINER,
    ),
    "collect.no_such_setting": Mistake(
        "A setting is asked for that the trainer does not have.",
        "`self.params` is a dict of the script's settings; the comment above the blank names the "
        "one to use.",
        SETTINGS,
    ),
}
