"""What is wrong with handed-in runs, by name."""

from __future__ import annotations

from autograder.mistakes import Mistake

HAND_IN = "docs/hw3.md, 'Questions', what to hand in"
RUN_FOLDER = "docs/hw3.md, 'What a run leaves behind'"
COLUMNS = "docs/hw3.md, 'Logged numbers'"
SETTINGS = "docs/hw3.md, 'Settings'"
RESUME = "docs/hw3.md, 'Stopping and resuming'"
CURVES = "docs/results/hw3.md"
TROUBLE = "docs/hw3.md, 'Troubleshooting'"
BOUND = "docs/autograder.md, 'Runs as evidence'"

MISTAKES = {
    "evidence.missing": Mistake(
        "Something of a run is missing.",
        "A run is judged from its whole folder: config.json, log.csv and policy.safetensors. "
        "Where a question asks for several runs, each has a folder and a seed of its own.",
        HAND_IN,
    ),
    "evidence.unreadable": Mistake(
        "A file of a run cannot be read.",
        "It is cut off, far too large, a link, or not what its name says. Hand in the folder as "
        "the script left it.",
        RUN_FOLDER,
    ),
    "evidence.wrong_setting": Mistake(
        "A run was made with other settings than the question asks for.",
        "Its curve answers another question. config.json holds the settings; the handout's command "
        "holds those that are asked for.",
        SETTINGS,
    ),
    "evidence.sweep": Mistake(
        "The runs do not vary one setting.",
        "If several settings differ at once, nobody can tell which of them made the difference.",
        "docs/hw3.md, q3",
    ),
    "evidence.too_many_steps": Mistake(
        "A run took more steps than the question allows.",
        "Curves are compared at the same number of steps; more of them prove less.",
        SETTINGS,
    ),
    "evidence.unfinished": Mistake(
        "A run ended before its last step.",
        "A stopped run goes on exactly where it was, with --resume and the name of its folder.",
        RESUME,
    ),
    "evidence.below_threshold": Mistake(
        "The curve stays below what the question asks for.",
        "A right solution gets well beyond that on every seed that was measured. `check` tells "
        "which blank may be wrong.",
        CURVES,
    ),
    "evidence.log_disagrees_with_config": Mistake(
        "The log is not one that these settings make.",
        "Some columns follow from the settings by arithmetic, such as the chance of a random "
        "action and the number of updates. These do not: perhaps files of two runs were mixed.",
        COLUMNS,
    ),
    "evidence.log_disagrees_with_events": Mistake(
        "The log and the TensorBoard events tell different numbers.",
        "The same numbers are written to both at the same moment. Perhaps files of two runs were "
        "mixed, or one of them was changed later.",
        RUN_FOLDER,
    ),
    "evidence.not_monotone": Mistake(
        "Steps or time run backwards in the log.",
        "Each row is later than the one above it, also after a resume.",
        COLUMNS,
    ),
    "evidence.impossible": Mistake(
        "The log holds numbers that no run can give.",
        "Such as a return beyond what the environment pays, a mean above the maximum, or a best "
        "mean that is not the best. Logs are written by the script and need no editing.",
        COLUMNS,
    ),
    "evidence.duplicate": Mistake(
        "Two runs are one and the same, under different names.",
        "Runs with different seeds or settings never share their losses or weights, and no two "
        "take the same time. Where two students hand in one run, nobody can tell whose it is: the "
        "one that came first counts; if nothing tells which did, neither. Ask your instructor.",
        HAND_IN,
    ),
    "evidence.weights_do_not_fit": Mistake(
        "The weights are not those of this run's network.",
        "Names, shapes and types follow from the settings. Perhaps policy.safetensors is that of "
        "another run.",
        RUN_FOLDER,
    ),
    "evidence.weights_untrained": Mistake(
        "The weights were never trained.",
        "A layer of them, all but a few numbers, still lies where PyTorch draws it at first.",
        RUN_FOLDER,
    ),
    "evidence.weights_below_claim": Mistake(
        "The weights play clearly worse than the log claims.",
        "They were played in the same environment, with other seeds. The bound below which that "
        "counts leaves room for chance, and for what successive policies differ in.",
        BOUND,
    ),
}
