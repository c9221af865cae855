"""What mistakes in actor-critic's advantages say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

ADVANTAGE = "docs/hw3.md, Actor-critic with a bootstrapped critic: Advantage"
GAE = "Schulman et al. 2016, section 3, equation 9"
END = "Sutton and Barto 2018, section 3.4; docs/hw3.md, Time limits: terminated or truncated?"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
COPIES = "NumPy documentation, Copies and views"
SPREAD = "docs/hw3.md, Actor-critic with a bootstrapped critic: Advantage (standardised)"

VALUES = {
    "advantage.no_mask": Mistake(
        "At the end of an episode the advantage still counts a future.",
        "On transitions that ended the episode it is wrong; elsewhere it is right.",
        END,
    ),
    "advantage.mask_inverted": Mistake(
        "A future is counted only where the episode ended.",
        "The terminal flag works the wrong way round.",
        END,
    ),
    "advantage.mask_doubled": Mistake(
        "The terminal mask takes the values 2 and 1 instead of 1 and 0.",
        "Insert both values of the flag into your expression and look at what comes out.",
        END,
    ),
    "advantage.mask_precedence": Mistake(
        "The mask does not multiply what it should: an order of operations.",
        "A product is computed before a difference. Read that line aloud, or insert small numbers.",
        "Python reference, Operator precedence",
    ),
    "advantage.mask_not_one_minus": Mistake(
        "Negating the terminal flag does not give what you expect of a number.",
        "The operator ~ flips all bits of a whole number, and floats have none. Print it for 0 "
        "and for 1.",
        "Python reference, Unary arithmetic and bitwise operations",
    ),
    "advantage.mask_of_whole_batch": Mistake(
        "One decision is taken for the whole batch.",
        "Each transition has its own terminal flag, so a single `if` or `not` cannot decide.",
        END,
    ),
    "advantage.no_discount": Mistake(
        "The future is not discounted.",
        "The advantages are right only if the discount is 1.",
        GAE,
    ),
    "advantage.discount_twice": Mistake(
        "The discount is applied twice.",
        "V(s') is one step ahead. How many discounts is that?",
        GAE,
    ),
    "advantage.discount_fixed": Mistake(
        "The discount is 0.99, whatever the setting says.",
        "It shows only where the setting is another: critic and actor then follow two different "
        "aims.",
        GAE,
    ),
    "advantage.no_future": Mistake(
        "The advantages hold no future.",
        "An action that leads to a good state gets no credit for it.",
        GAE,
    ),
    "advantage.minus_future": Mistake(
        "The future is subtracted, not added.",
        "Actions that lead to good states are then discouraged.",
        GAE,
    ),
    "advantage.reward_missing": Mistake(
        "The advantages hold no reward.",
        "What the action earned at once is not counted.",
        GAE,
    ),
    "advantage.reward_sign": Mistake(
        "The reward enters with the wrong sign.",
        "Actions that earn much are then discouraged.",
        GAE,
    ),
    "advantage.reward_discounted": Mistake(
        "The reward is discounted too.",
        "It belongs to this very step. Which part lies a step ahead?",
        GAE,
    ),
    "advantage.reward_masked": Mistake(
        "The reward of the last step is masked away.",
        "The episode ends after its last reward, not before it. What exactly does not count then?",
        END,
    ),
    "advantage.clipped": Mistake(
        "Rewards, values or advantages are clipped.",
        "Where they are small nothing shows. Very good and very bad actions then count like "
        "middling ones.",
        GAE,
    ),
    "advantage.rewards_standardized": Mistake(
        "The rewards of the batch are standardised first.",
        "The critic's values are sums of rewards as they are; what is added to them must have "
        "their scale, and no other batch may change it.",
        GAE,
    ),
    "advantage.sign": Mistake(
        "The advantages have the wrong sign.",
        "Good surprises come out negative, so the policy learns to avoid them.",
        GAE,
    ),
    "advantage.no_baseline": Mistake(
        "Nothing is subtracted: these are action values.",
        "What is the action compared with? Without that, the gradient is far noisier.",
        ADVANTAGE,
    ),
    "advantage.baseline_added": Mistake(
        "The value of the state is added, not subtracted.",
        "The comparison is with what was to be expected in that state.",
        GAE,
    ),
    "advantage.baseline_mean": Mistake(
        "The same baseline is subtracted in every row.",
        "Each state has an expectation of its own; here a mean over the batch stands for them all.",
        GAE,
    ),
    "advantage.baseline_discounted": Mistake(
        "What is subtracted is discounted.",
        "V(s) is the value of the present. Which of the two values lies a step ahead?",
        GAE,
    ),
    "advantage.baseline_in_brackets": Mistake(
        "What is subtracted is discounted and masked, like the future.",
        "A bracket holds V(s) too. Which of the two values do discount and mask belong to?",
        GAE,
    ),
    "advantage.baseline_masked": Mistake(
        "At the end of an episode nothing is subtracted.",
        "The state had a value before the last action, too. Which of the two values is void then?",
        END,
    ),
    "advantage.future_of_present_state": Mistake(
        "The value of the present state stands for the future.",
        "The advantage then ignores where the action led.",
        GAE,
    ),
    "advantage.value_of_next_row": Mistake(
        "The next state is taken from the next row of the batch.",
        "Where a path ends, the next row belongs to another one, and the last row has none. Every "
        "transition brings its own next state.",
        GAE,
    ),
    "advantage.next_value_subtracted": Mistake(
        "The value of the next state is subtracted.",
        "The action is compared with what was expected before it, not after.",
        GAE,
    ),
    "advantage.states_swapped": Mistake(
        "Present and next states have changed places.",
        "Moving from a bad state to a good one then counts as a loss.",
        GAE,
    ),
}
FORM = {
    "advantage.broadcast": Mistake(
        "Columns and rows meet: the result has a number for each two rows.",
        "An array of shape (n, 1) and one of shape (n,) make one of shape (n, n). Print shapes.",
        SHAPES,
    ),
    "advantage.column": Mistake(
        "The advantages are a column or a row in two dimensions.",
        "One axis is asked for. A spare axis spreads silently where the actor multiplies.",
        SHAPES,
    ),
    "advantage.one_number": Mistake(
        "There is one advantage for the whole batch.",
        "Each transition has its own; which operation took them together?",
        SHAPES,
    ),
    "advantage.sizes": Mistake(
        "Arrays of different lengths meet.",
        "All of them should have one element for each transition. Print the shapes.",
        SHAPES,
    ),
    "advantage.no_array": Mistake(
        "The advantages are not an array.",
        "A list, or nothing at all, has no shape; the given line that follows needs one.",
        "NumPy documentation, numpy.array",
    ),
    "advantage.carries_graph": Mistake(
        "The advantages still carry the critic's graph.",
        "The policy's update then moves the critic too, or fails. To the actor they are constants.",
        "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient computation",
    ),
    "advantage.tensor": Mistake(
        "The advantages are a tensor where an array is expected.",
        "The given lines that standardise them are NumPy's and fail.",
        "cs285/infrastructure/pytorch_util.py, to_numpy",
    ),
    "advantage.rewards_changed": Mistake(
        "Estimating advantages changes the rewards it was given.",
        "A second name for an array is no second array, and operators such as += work in place. "
        "Whoever uses the rewards next gets wrong ones.",
        COPIES,
    ),
    "advantage.inputs_changed": Mistake(
        "Estimating advantages changes the arrays it was given.",
        "They belong to whoever called. Indexed assignment and operators such as += work in place.",
        COPIES,
    ),
    "advantage.always_standardized": Mistake(
        "The advantages are standardised although the setting is off.",
        "Or merely centred. Then the flag that turns it off has no effect.",
        SPREAD,
    ),
    "advantage.setting_reversed": Mistake(
        "The setting for standardising works the wrong way round.",
        "Which value of the setting means yes?",
        SPREAD,
    ),
    "advantage.not_standardized": Mistake(
        "The advantages are not standardised although the setting is on.",
        "Perhaps a result is computed and not used.",
        SPREAD,
    ),
    "advantage.not_centred": Mistake(
        "Standardised advantages do not have mean 0.",
        "Their spread is 1, but nothing was subtracted. Check both after standardising.",
        SPREAD,
    ),
    "advantage.not_scaled": Mistake(
        "Standardised advantages do not have spread 1.",
        "Their mean is 0, but nothing was divided. Check both after standardising.",
        SPREAD,
    ),
    "advantage.std_precedence": Mistake(
        "Only the mean is divided by the spread: an order of operations.",
        "A quotient is computed before a difference. Check mean and spread after standardising.",
        "Python reference, Operator precedence",
    ),
    "advantage.variance": Mistake(
        "The advantages are divided by their variance.",
        "Spread is measured in the same unit as the numbers; variance is not.",
        SPREAD,
    ),
    "advantage.centre_added": Mistake(
        "The mean is added, not subtracted.",
        "Check mean and spread after standardising.",
        SPREAD,
    ),
    "advantage.scale_multiplied": Mistake(
        "The advantages are multiplied by their spread.",
        "Check mean and spread after standardising.",
        SPREAD,
    ),
}
MISTAKES = VALUES | FORM
