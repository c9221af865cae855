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
    "trainer_train.batch_size": Mistake(
        "Another number of transitions is sampled than the setting says.",
        "The size of the batch decides how noisy a gradient step is. Which of the settings is "
        "about *training* batches?",
        SETTINGS,
    ),
    "trainer_train.sampled_elsewhere": Mistake(
        "Batches are not asked of the agent, but taken from its memory.",
        "Each agent decides what it may learn from: the newest paths, random draws, or nothing "
        "yet. Going past it trains one of them on what it must not use.",
        "Mnih et al. 2015, Methods, Training algorithm; docs/hw3.md, Blanks",
    ),
    "trainer_train.argument_order": Mistake(
        "The arrays reach the agent in another order than it expects.",
        "Rewards are taken for observations, or flags for rewards. `train` and the critic's "
        "`update` do not take their arguments in the same order.",
        BLANKS,
    ),
    "trainer_train.wrong_arguments": Mistake(
        "`train` is not given the five arrays of a batch.",
        "Something is missing, doubled, or not an array of the batch. Compare your call with the "
        "signature of the agent's `train`.",
        BLANKS,
    ),
    "trainer_train.not_unpacked": Mistake(
        "The whole batch is given to `train` as one argument.",
        "It expects five arrays, one by one.",
        "docs.python.org, Unpacking Argument Lists",
    ),
    "trainer_train.unpacking": Mistake(
        "The batch is unpacked into the wrong number of arrays.",
        "A transition has five parts. Which one has no name in your line?",
        BLANKS,
    ),
    "trainer_train.glued_batches": Mistake(
        "The arrays given to `train` come from several batches.",
        "States of one transition then meet actions and rewards of another, and there is nothing "
        "true to learn. How often do you sample in one round?",
        BLANKS,
    ),
    "trainer_train.sampled_twice": Mistake(
        "More batches are sampled than are trained on.",
        "Sampling costs time and random numbers, and the extra batch teaches nobody.",
        BLANKS,
    ),
    "trainer_train.batch_reused": Mistake(
        "Several updates are made on one and the same batch.",
        "Learning from fresh draws is what keeps updates from following one batch's noise.",
        "Mnih et al. 2015, algorithm 1",
    ),
    "trainer_train.not_trained": Mistake(
        "The agent is never trained.",
        "Nothing is learned, though everything seems to run. Does that line really *call* "
        "something?",
        BLANKS,
    ),
    "trainer_train.parts_trained": Mistake(
        "The agent's parts are updated past its own `train`.",
        "Then nobody keeps the order, the counts and the target networks that `train` takes care "
        "of.",
        BLANKS,
    ),
    "trainer_train.too_few": Mistake(
        "The agent is trained fewer times than the setting says.",
        "The loop over updates stands around the blank already: does something leave it early?",
        SETTINGS,
    ),
    "trainer_train.too_often": Mistake(
        "The agent is trained more often than the setting says.",
        "The loop over updates stands around the blank already. More updates on the same data "
        "overfit the critic to it.",
        SETTINGS,
    ),
    "trainer_train.not_logged": Mistake(
        "What the agent logs is not kept.",
        "The losses never reach the log, so nobody sees how training goes.",
        LOGGED,
    ),
    "trainer_train.log_overwritten": Mistake(
        "One log is returned in the place of the list of all.",
        "The trainer expects a list with one log for each update.",
        LOGGED,
    ),
    "trainer_train.logs_lost": Mistake(
        "Only the last log is in the list.",
        "Each update's log belongs in it; a list that is made anew forgets the others.",
        LOGGED,
    ),
    "trainer_train.log_keys": Mistake(
        "The list holds the names in the logs, not the logs.",
        "Extending a list by a dict adds its keys one by one.",
        "docs.python.org, More on Lists",
    ),
    "trainer_train.log_type": Mistake(
        "What is kept of an update is not its log.",
        "`train` returns a dict of numbers by name, and the logger needs it whole. An update may "
        "also have nothing to report.",
        LOGGED,
    ),
    "trainer_train.empty_log_dropped": Mistake(
        "A log with nothing in it is left out.",
        "Agents return an empty log where they did not learn; each update has its place in the "
        "list.",
        BLANKS,
    ),
    "trainer_train.no_such_setting": Mistake(
        "A setting is asked for that the trainer does not have.",
        "`self.params` is a dict of the script's settings; the comment above the blank names the "
        "one to use.",
        SETTINGS,
    ),
}
