"""Advantages: the one-step sum, what is subtracted from it, and how both are standardised."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, site, wrong
from autograder.families.td_target import for_arrays, td_sites
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

ADVANTAGE = "docs/hw3.md, Actor-critic with a bootstrapped critic: Advantage"
GAE = "Schulman et al. 2016, section 3, equation 9"
END = "Sutton and Barto 2018, section 3.4; docs/hw3.md, Time limits: terminated or truncated?"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
COPIES = "NumPy documentation, Copies and views"
SPREAD = "docs/hw3.md, Actor-critic with a bootstrapped critic: Advantage (standardised)"

IN_TENSORS = "tensors"
MASK, PRESENT, NEXT = "(1.0 - terminal_n)", "forward_np(ob_no)", "forward_np(next_ob_no)"
CHECK, IF = 'ptu.check_shape("adv_n", adv_n, (len(re_n),))', "if self.standardize_advantages:"
STANDARD = "(adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)"
TO_ARRAY = "adv_n = ptu.to_numpy(adv_n)"


def done(line: str) -> str:
    """Returns the given check of shapes with a line above that does something to all advantages."""
    return f"{line}\n        {CHECK}"


@secret(nothing)
def bases() -> dict[str, dict[str, str | None]]:
    """Returns the solution in tensors."""
    return {
        IN_TENSORS: {
            "hw3.ac.advantage": f"""
                obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
                re_n, terminal_n = ptu.from_numpy(re_n), ptu.from_numpy(terminal_n)
                next_v_n = self.critic(next_obs)
                q_n = re_n + self.gamma * {MASK} * next_v_n
                adv_n = q_n - self.critic(obs)
                {TO_ARRAY}
            """
        }
    }


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution, and what is given below it, can be written otherwise."""
    sums = td_sites("advantage", "re_n", "self.gamma", "terminal_n", "next_v_n", checked=False)
    known = for_arrays(sums, {"minus": "minus_future"})
    parts = [*sum_sites(), *known, *value_sites(), *tensor_sites()]
    return [*parts, *standard_sites(), *whole_site()]


@secret(nothing)
def sum_sites() -> Sequence[Site]:
    """Returns what is done to the sum besides what is known of any such sum."""
    return [
        site(
            "q_n = re_n",
            wrong(
                "advantage.rewards_standardized",
                Mistake(
                    "The rewards of the batch are standardised first.",
                    "The critic's values are sums of rewards as they are; what is added to them "
                    "must have their scale, and no other batch may change it.",
                    GAE,
                ),
                "re_n = (re_n - re_n.mean()) / (re_n.std() + 1e-8)\nq_n = re_n",
            ),
        ),
        site(
            "re_n + self.gamma",
            wrong(
                "advantage.rewards_changed",
                Mistake(
                    "Estimating advantages changes the rewards it was given.",
                    "A second name for an array is no second array, and operators such as += work"
                    " in place. Whoever uses the rewards next gets wrong ones.",
                    COPIES,
                ),
                "re_n\nq_n += self.gamma",
            ),
        ),
        site(
            "+ self.gamma *",
            wrong(
                "advantage.discount_fixed",
                Mistake(
                    "The discount is 0.99, whatever the setting says.",
                    "It shows only where the setting is another: critic and actor then follow two"
                    " different aims.",
                    GAE,
                ),
                "+ 0.99 *",
            ),
        ),
        site(
            MASK,
            wrong("advantage.mask_of_whole_batch", None, "int(not terminal_n)", base=IN_TENSORS),
        ),
    ]


@secret(nothing)
def value_sites() -> Sequence[Site]:
    """Returns what may be done about the values of both states."""
    return [
        site(
            f"next_v_n = self.critic.{NEXT}",
            wrong(
                "advantage.states_swapped",
                Mistake(
                    "Present and next states have changed places.",
                    "Moving from a bad state to a good one then counts as a loss.",
                    GAE,
                ),
                f"ob_no, next_ob_no = next_ob_no, ob_no\nnext_v_n = self.critic.{NEXT}",
            ),
            wrong(
                "advantage.future_of_present_state",
                Mistake(
                    "The value of the present state stands for the future.",
                    "The advantage then ignores where the action led.",
                    GAE,
                ),
                f"next_v_n = self.critic.{PRESENT}",
            ),
            wrong(
                "advantage.value_of_next_row",
                Mistake(
                    "The next state is taken from the next row of the batch.",
                    "Where a path ends, the next row belongs to another one, and the last row has"
                    " none. Every transition brings its own next state.",
                    GAE,
                ),
                f"next_v_n = np.append(self.critic.{PRESENT}[1:], 0)",
            ),
        ),
        site(
            "= q_n - ",
            wrong(
                "advantage.no_baseline",
                Mistake(
                    "Nothing is subtracted: these are action values.",
                    "What is the action compared with? Without that, the gradient is far noisier.",
                    ADVANTAGE,
                ),
                "= q_n - 0 * ",
            ),
            wrong(
                "advantage.baseline_added",
                Mistake(
                    "The value of the state is added, not subtracted.",
                    "The comparison is with what was to be expected in that state.",
                    GAE,
                ),
                "= q_n + ",
            ),
            wrong(
                "advantage.baseline_discounted",
                Mistake(
                    "What is subtracted is discounted.",
                    "V(s) is the value of the present. Which of the two values lies a step ahead?",
                    GAE,
                ),
                "= q_n - self.gamma * ",
            ),
            wrong(
                "advantage.baseline_in_brackets",
                Mistake(
                    "What is subtracted is discounted and masked, like the future.",
                    "A bracket holds V(s) too. Which of the two values do discount and mask "
                    "belong to?",
                    GAE,
                ),
                f"= q_n - self.gamma * {MASK} * ",
            ),
            wrong(
                "advantage.baseline_masked",
                Mistake(
                    "At the end of an episode nothing is subtracted.",
                    "The state had a value before the last action, too. Which of the two values "
                    "is void then?",
                    END,
                ),
                f"= q_n - {MASK} * ",
            ),
        ),
        site(
            f"self.critic.{PRESENT}",
            wrong(
                "advantage.baseline_mean",
                Mistake(
                    "The same baseline is subtracted in every row.",
                    "Each state has an expectation of its own; here a mean over the batch stands "
                    "for them all.",
                    GAE,
                ),
                f"self.critic.{PRESENT}.mean()",
            ),
            wrong(
                "advantage.next_value_subtracted",
                Mistake(
                    "The value of the next state is subtracted.",
                    "The action is compared with what was expected before it, not after.",
                    GAE,
                ),
                "next_v_n",
            ),
            wrong(
                "advantage.broadcast",
                Mistake(
                    "Columns and rows meet: the result has a number for each two rows.",
                    "An array of shape (n, 1) and one of shape (n,) make one of shape (n, n). "
                    "Print shapes.",
                    SHAPES,
                ),
                f"self.critic.{PRESENT}[:, None]",
            ),
            wrong(
                "advantage.sizes",
                Mistake(
                    "Arrays of different lengths meet.",
                    "All of them should have one element for each transition. Print the shapes.",
                    SHAPES,
                ),
                f"self.critic.{PRESENT}[1:]",
            ),
        ),
        site(
            "self.critic(obs)",
            wrong("advantage.sizes", None, "self.critic(obs)[1:]", base=IN_TENSORS),
        ),
    ]


@secret(nothing)
def tensor_sites() -> Sequence[Site]:
    """Returns what is left a tensor, which the given lines take or do not take."""
    tensors = STANDARD.replace("np.mean(adv_n)", "adv_n.mean()").replace(
        "np.std(adv_n)", "adv_n.std()"
    )
    below = f"\n        {CHECK}\n        {IF}\n            adv_n = "
    return [
        site(
            f"{TO_ARRAY}{below}{STANDARD}",
            wrong(
                "advantage.carries_graph",
                Mistake(
                    "The advantages still carry the critic's graph.",
                    "The policy's update then moves the critic too, or fails. To the actor they "
                    "are constants.",
                    "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient "
                    "computation",
                ),
                f"adv_n = adv_n{below}{tensors}",
            ),
            base=IN_TENSORS,
        ),
        site(
            TO_ARRAY,
            wrong("advantage.carries_graph", None, "adv_n = adv_n"),
            wrong(
                "advantage.tensor",
                Mistake(
                    "The advantages are a tensor where an array is expected.",
                    "The given lines that standardise them are NumPy's and fail.",
                    "cs285/infrastructure/pytorch_util.py, to_numpy",
                ),
                "adv_n = adv_n.detach()",
            ),
            base=IN_TENSORS,
        ),
    ]


@secret(nothing)
def whole_site() -> Sequence[Site]:
    """Returns what is done to all advantages."""
    return [
        site(
            CHECK,
            wrong(
                "advantage.sign",
                Mistake(
                    "The advantages have the wrong sign.",
                    "Good surprises come out negative, so the policy learns to avoid them.",
                    GAE,
                ),
                done("adv_n = -adv_n"),
            ),
            wrong(
                "advantage.clipped",
                Mistake(
                    "Rewards, values or advantages are clipped.",
                    "Where they are small nothing shows. Very good and very bad actions then "
                    "count like middling ones.",
                    GAE,
                ),
                done("adv_n = adv_n.clip(-1, 1)"),
                done("adv_n = adv_n.clip(-10, 10)"),
            ),
            wrong(
                "advantage.always_standardized",
                Mistake(
                    "The advantages are standardised although the setting is off.",
                    "Or merely centred. Then the flag that turns it off has no effect.",
                    SPREAD,
                ),
                done(f"adv_n = {STANDARD}"),
                done("adv_n = (adv_n - adv_n.mean()) / adv_n.std(ddof=1)"),
                done("adv_n = adv_n - adv_n.mean()"),
            ),
            wrong(
                "advantage.inputs_changed",
                Mistake(
                    "Estimating advantages changes the arrays it was given.",
                    "They belong to whoever called. Indexed assignment and operators such as += "
                    "work in place.",
                    COPIES,
                ),
                done("terminal_n[:] = 1 - terminal_n"),
            ),
            wrong(
                "advantage.column",
                Mistake(
                    "The advantages are a column or a row in two dimensions.",
                    "One axis is asked for. A spare axis spreads silently where the actor "
                    "multiplies.",
                    SHAPES,
                ),
                done("adv_n = adv_n[:, None]"),
                done("adv_n = adv_n[None]"),
                "adv_n = adv_n[:, None]",
            ),
            wrong(
                "advantage.one_number",
                Mistake(
                    "There is one advantage for the whole batch.",
                    "Each transition has its own; which operation took them together?",
                    SHAPES,
                ),
                done("adv_n = adv_n.mean()"),
            ),
            wrong(
                "advantage.no_array",
                Mistake(
                    "The advantages are not an array.",
                    "A list, or nothing at all, has no shape; the given line that follows needs "
                    "one.",
                    "NumPy documentation, numpy.array",
                ),
                done("adv_n = list(adv_n)"),
                done("adv_n = None"),
            ),
        ),
    ]


@secret(nothing)
def standard_sites() -> Sequence[Site]:
    """Returns what may be done where advantages are standardised, which is given."""
    return [
        site(
            IF,
            wrong(
                "advantage.setting_reversed",
                Mistake(
                    "The setting for standardising works the wrong way round.",
                    "Which value of the setting means yes?",
                    SPREAD,
                ),
                "if not self.standardize_advantages:",
            ),
        ),
        site(
            STANDARD,
            wrong(
                "advantage.not_standardized",
                Mistake(
                    "The advantages are not standardised although the setting is on.",
                    "Perhaps a result is computed and not used.",
                    SPREAD,
                ),
                "adv_n",
            ),
            wrong(
                "advantage.not_centred",
                Mistake(
                    "Standardised advantages do not have mean 0.",
                    "Their spread is 1, but nothing was subtracted. Check both after "
                    "standardising.",
                    SPREAD,
                ),
                "adv_n / np.std(adv_n)",
            ),
            wrong(
                "advantage.not_scaled",
                Mistake(
                    "Standardised advantages do not have spread 1.",
                    "Their mean is 0, but nothing was divided. Check both after standardising.",
                    SPREAD,
                ),
                "adv_n - np.mean(adv_n)",
            ),
            wrong(
                "advantage.std_precedence",
                Mistake(
                    "Only the mean is divided by the spread: an order of operations.",
                    "A quotient is computed before a difference. Check mean and spread after "
                    "standardising.",
                    "Python reference, Operator precedence",
                ),
                "adv_n - np.mean(adv_n) / np.std(adv_n)",
                "adv_n - np.mean(adv_n) / np.std(adv_n, ddof=1)",
            ),
            wrong(
                "advantage.variance",
                Mistake(
                    "The advantages are divided by their variance.",
                    "Spread is measured in the same unit as the numbers; variance is not.",
                    SPREAD,
                ),
                "(adv_n - np.mean(adv_n)) / np.var(adv_n)",
            ),
            wrong(
                "advantage.centre_added",
                Mistake(
                    "The mean is added, not subtracted.",
                    "Check mean and spread after standardising.",
                    SPREAD,
                ),
                "(adv_n + np.mean(adv_n)) / np.std(adv_n)",
            ),
            wrong(
                "advantage.scale_multiplied",
                Mistake(
                    "The advantages are multiplied by their spread.",
                    "Check mean and spread after standardising.",
                    SPREAD,
                ),
                "(adv_n - np.mean(adv_n)) * np.std(adv_n)",
            ),
        ),
    ]


QUESTION = Question(
    "hw3.ac.advantage", "hw3.probes.advantage:probe", sites, bases, everywhere=False
)
