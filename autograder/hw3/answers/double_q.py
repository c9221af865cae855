"""Double Q-learning: which network chooses, which one values, and in which state."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, Way, site, wrong
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

BLANK = "hw3.dqn.double_q"
DOUBLE = "van Hasselt et al. 2016, equation 4; docs/hw3.md, Double DQN"
GATHER = "PyTorch documentation, torch.gather"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"

PICKED = "torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1)).squeeze(1)"
UPDATE = "within the update"  # older handouts compute it there, where the present state is in reach


@secret(nothing)
def bases() -> dict[str, dict[str, str | None]]:
    """Returns the solution as older handouts want it."""
    within = f"""
        with torch.no_grad():
            if self.double_q:
                next_ac_n = self.q_net(next_ob_no).argmax(dim=1)
                qa_tp1_values = self.q_net_target(next_ob_no)  # valued
                q_tp1 = {PICKED}
            else:
                q_tp1 = self.q_net_target(next_ob_no).max(dim=1).values
            target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1
    """
    return {UPDATE: {BLANK: None, "hw3.dqn.targets": within}}


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution can be written otherwise."""
    return [
        site(
            "self.q_net(",
            wrong(
                "double_q.target_selects",
                Mistake(
                    "The target network chooses the next action.",
                    "With double Q on, your targets do not change when the online network does. If "
                    "one network both chooses and values, its errors are chosen for being large.",
                    DOUBLE,
                ),
                "self.q_net_target(",
            ),
        ),
        site(
            "(next_ob_no).argmax",
            wrong(
                "double_q.present_state_selects",
                Mistake(
                    "The next action is chosen by the right network, in the wrong state.",
                    "It is the action that is best where the transition began. In which state will "
                    "the next action be taken?",
                    DOUBLE,
                ),
                "(ob_no).argmax",
                base=UPDATE,
            ),
        ),
        site(
            "self.q_net(next_ob_no).argmax",
            wrong(
                "double_q.nothing_to_choose",
                Mistake(
                    "The next action is chosen among one number for each state.",
                    "Perhaps those are the values of the actions taken, in the present state. "
                    "Which values of which state are there to choose among?",
                    DOUBLE,
                ),
                "q_t_values.argmax",
                base=UPDATE,
                calls="argmax",
            ),
        ),
        site(
            "qa_tp1_values = self.q_net_target(",
            wrong(
                "double_q.online_evaluates",
                Mistake(
                    "The online network values the next action.",
                    "With double Q on, your targets do not depend on the target network: they move "
                    "with every step, and overestimate.",
                    DOUBLE,
                ),
                "qa_tp1_values = self.q_net(",
            ),
        ),
        site(
            "(next_ob_no)  # valued",
            wrong(
                "double_q.present_state_valued",
                Mistake(
                    "The chosen action is valued in the wrong state.",
                    "The target should tell what the state is worth in which the transition ended.",
                    DOUBLE,
                ),
                "(ob_no)",
                base=UPDATE,
            ),
        ),
        site(
            ".argmax(dim=1)",
            wrong(
                "double_q.worst_action",
                Mistake(
                    "The worst action is chosen, not the best.",
                    "The targets become those of an agent that acts as badly as it can.",
                    DOUBLE,
                ),
                ".argmin(dim=1)",
            ),
            wrong(
                "double_q.best_of_batch",
                Mistake(
                    "One action is chosen for the whole batch, or a row for each action.",
                    "Each next state has an action of its own that is best. Along which axis do "
                    "the actions lie?",
                    DOUBLE,
                ),
                ".argmax(dim=0)",
                ".argmax()",
                calls="unsqueeze",
            ),
        ),
        site(
            "next_ac_n = ",
            wrong(
                "double_q.unpacked_argmax",
                Mistake(
                    "argmax returns one thing; max returns two.",
                    "Only one of them has values beside the places.",
                    "PyTorch documentation, torch.argmax and torch.max",
                ),
                "_, next_ac_n = ",
                calls="argmax",
            ),
        ),
        site(
            "next_ac_n.unsqueeze(1)",
            wrong(
                "double_q.shifted",
                Mistake(
                    "The numbers of the actions are shifted by one.",
                    "Actions are counted from 0, as columns are.",
                    GATHER,
                ),
                "(next_ac_n.unsqueeze(1) - 1) % self.ac_dim",
                "(next_ac_n.unsqueeze(1) + 1) % self.ac_dim",
                "(next_ac_n.unsqueeze(1) - 1)",
                "(next_ac_n.unsqueeze(1) + 1)",
            ),
            wrong(
                "double_q.taken_action",
                Mistake(
                    "The action taken before is valued, not the chosen one.",
                    "That action belongs to the state in which the transition began.",
                    DOUBLE,
                ),
                "ac_na.unsqueeze(1)",
                base=UPDATE,
            ),
        ),
        site(PICKED, *picks()),
    ]


@secret(nothing)
def picks() -> Sequence[Sequence[Way]]:
    """Returns what may stand where one value of each row is picked."""
    return [
        wrong(
            "double_q.index_as_value",
            Mistake(
                "The number of the chosen action is used as its value.",
                "Your values are whole numbers between 0 and the number of actions.",
                DOUBLE,
            ),
            "next_ac_n",
        ),
        wrong(
            "double_q.mean_over_actions",
            Mistake(
                "The values are means over all actions.",
                "The chosen action plays no part in them.",
                DOUBLE,
            ),
            "qa_tp1_values.mean(1)",
        ),
        wrong(
            "double_q.all_columns",
            Mistake(
                "Every transition gets the values of all the chosen actions.",
                "A plain index takes the same columns from every row: the result is (n, n), not "
                "(n,).",
                GATHER,
            ),
            "qa_tp1_values[:, next_ac_n]",
            base="",  # in an update it ends as `shape` does
        ),
        wrong(
            "double_q.rows_picked",
            Mistake(
                "The numbers of the chosen actions pick rows of the batch, not actions.",
                "Each transition gets all the values of some other transition. Which axis holds "
                "the transitions, and which the actions?",
                GATHER,
            ),
            "qa_tp1_values[next_ac_n]",
            "torch.gather(qa_tp1_values, 0, next_ac_n.unsqueeze(1)).squeeze(1)",
            base="",  # in an update it ends as `not_reduced` does
        ),
        wrong(
            "double_q.not_reduced",
            Mistake(
                "The values still have one entry for each action.",
                "One action was chosen in each state; the values of the others are not asked for.",
                GATHER,
            ),
            "qa_tp1_values",
        ),
        wrong(
            "double_q.shape",
            Mistake(
                "The values are a column, shape (n, 1).",
                "Added to rewards of shape (n,) they broadcast to (n, n).",
                SHAPES,
            ),
            "torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1))",
            "torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1)).T",
        ),
        wrong(
            "double_q.gather",
            Mistake(
                "The pick of one entry from each row fails.",
                "Mind along which axis is picked, and that the index has as many axes as the "
                "values.",
                GATHER,
            ),
            "torch.gather(qa_tp1_values, 1, next_ac_n).squeeze(1)",
            "torch.gather(qa_tp1_values, 2, next_ac_n.unsqueeze(1)).squeeze(1)",
        ),
    ]


QUESTION = Question(
    BLANK,
    "hw3.probes.double_q:probe",
    sites,
    bases,
    hides=frozenset({"double_q.mean_over_actions", "double_q.index_as_value"}),
)
