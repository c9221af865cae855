"""The call to DQN's critic: when it is made, and what it is given."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, site, wrong
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

ALGORITHM = "Mnih et al. 2015, algorithm 1"
REPLAY = "Mnih et al. 2015, algorithm 1; docs/hw3.md, DQN: replay and a target network"
BLANKS = "docs/hw3.md, Blanks"
ARGUMENTS = "ob_no, ac_na, next_ob_no, re_n, terminal_n"
CALL = f"log = self.critic.update({ARGUMENTS})"
DUE = "due = self.t >= self.learning_starts and self.t % self.learning_freq == 0"


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution, and what is given around it, can be written otherwise."""
    return [
        site(
            DUE,
            wrong(
                "update.every_step",
                Mistake(
                    "The critic is updated between learning steps.",
                    "Updates are due at every learning_freq-th step only.",
                    BLANKS,
                ),
                "due = self.t >= self.learning_starts",
            ),
            wrong(
                "update.before_start",
                Mistake(
                    "The critic is updated before learning starts.",
                    "Memory is to fill with random play first.",
                    BLANKS,
                ),
                "due = self.t % self.learning_freq == 0",
                "due = True",
            ),
        ),
        site(
            CALL,
            wrong(
                "update.time_stands",
                Mistake(
                    "Time does not pass for your agent.",
                    "Its clock has to move by one with every step: exploration and learning depend "
                    "on it.",
                    BLANKS,
                ),
                f"{CALL}\nself.t -= 1",
            ),
            wrong(
                "update.time_runs",
                Mistake(
                    "The agent's clock runs too fast.",
                    "It moves by one with every step; given code takes care of that.",
                    BLANKS,
                ),
                f"{CALL}\nself.t += 1",
            ),
        ),
        site(
            CALL,
            wrong(
                "update.never",
                Mistake("The critic is never updated.", "Nothing can be learned.", ALGORITHM),
                "log = {}",
            ),
            wrong(
                "update.too_rare",
                Mistake(
                    "Some learning steps do not update the critic.",
                    "How often does the algorithm take a gradient step?",
                    ALGORITHM,
                ),
                f"if self.num_param_updates % self.target_update_freq == 0:\n    {CALL}",
            ),
            wrong(
                "update.too_often",
                Mistake(
                    "The critic is updated more than once in a learning step.",
                    "The loop around the blank repeats it as often as asked for.",
                    BLANKS,
                ),
                f"for _ in range(2):\n    {CALL}",
            ),
        ),
        site(
            ARGUMENTS,
            wrong(
                "update.arguments_swapped",
                Mistake(
                    "Some arguments reach the critic in each other's place.",
                    "`train` and `update` take the same five arrays in different orders.",
                    BLANKS,
                ),
                "ob_no, ac_na, re_n, next_ob_no, terminal_n",
            ),
            wrong(
                "update.argument_twice",
                Mistake(
                    "One array reaches the critic twice, another not at all.",
                    "`update` takes five different arrays.",
                    BLANKS,
                ),
                "ob_no, ac_na, ob_no, re_n, terminal_n",
            ),
            wrong(
                "update.missing_argument",
                Mistake(
                    "The critic gets too few arguments, or too many.",
                    "`update` takes five arrays.",
                    BLANKS,
                ),
                "ob_no, ac_na, next_ob_no, re_n",
                "ob_no, ac_na, next_ob_no",
                "",
                "ob_no, ac_na, next_ob_no, re_n, terminal_n, self.t",
            ),
            wrong(
                "update.other_data",
                Mistake(
                    "The critic learns from other data than the sampled batch.",
                    "The batch that `train` is given is the random draw from memory; recent or "
                    "hand-picked data are not independent draws.",
                    REPLAY,
                ),
                "*self.replay_buffer.sample(self.batch_size)",
            ),
        ),
    ]


QUESTION = Question("hw3.dqn.update", "hw3.probes.dqn_update:probe", sites)
