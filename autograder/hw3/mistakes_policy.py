"""What mistakes in a policy's distribution and actions say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

ACTOR = "docs/hw3.md, Actor-critic with a bootstrapped critic"
BLANKS = "docs/hw3.md, Blanks"
GLOSSARY = "docs/hw3.md, Glossary"
TORCH = "PyTorch documentation, torch.distributions"
CATEGORICAL = "PyTorch documentation, torch.distributions.categorical.Categorical"
INDEPENDENT = "PyTorch documentation, torch.distributions.independent.Independent"
MULTIVARIATE = "PyTorch documentation, torch.distributions.multivariate_normal.MultivariateNormal"
AUTOGRAD = "PyTorch documentation, Autograd mechanics"

GET_ACTION = {
    "get_action.greedy": Mistake(
        "Actions are not drawn: it is always the likeliest one, or the mean.",
        "Without chance nothing new is ever tried, and the policy gradient, which compares the "
        "actions tried in a state, has nothing to compare.",
        BLANKS,
    ),
    "get_action.same_draw": Mistake(
        "Asked again in one state, the policy gives the same action again.",
        "It is not the best one either: perhaps a generator is seeded anew at every call.",
        BLANKS,
    ),
    "get_action.policy_ignored": Mistake(
        "Actions do not depend on the policy.",
        "They have the same distribution in every state. What is learned never reaches the "
        "environment.",
        BLANKS,
    ),
    "get_action.other_state": Mistake(
        "The policy is asked about another state than the one given.",
        "Its actions fit something else. Follow the observation to the network.",
        BLANKS,
    ),
    "get_action.sharpened": Mistake(
        "Likely actions are drawn more often than the policy says.",
        "Actions from another distribution than the one in the loss make its gradient wrong. Are "
        "probabilities used twice?",
        TORCH,
    ),
    "get_action.flattened": Mistake(
        "Unlikely actions are drawn more often than the policy says.",
        "Actions from another distribution than the one in the loss make its gradient wrong. What "
        "is done to the logits or probabilities on the way?",
        CATEGORICAL,
    ),
    "get_action.logits_as_probs": Mistake(
        "Actions are drawn with the network's numbers for probabilities.",
        "Logits may be negative and do not sum to one. The policy already has a method that makes "
        "a distribution of them.",
        CATEGORICAL,
    ),
    "get_action.shifted": Mistake(
        "The number of the action is off by one.",
        "The policy chooses one action and the environment plays its neighbour. Actions are "
        "counted from 0.",
        BLANKS,
    ),
    "get_action.probabilities": Mistake(
        "Probabilities or logits are returned, not an action.",
        "How likely actions are is a question for the loss; here one of them is wanted.",
        BLANKS,
    ),
    "get_action.log_probability": Mistake(
        "The log-probability of an action is returned, not the action.",
        "The environment needs to know what to do, not how likely it was.",
        TORCH,
    ),
    "get_action.nothing_returned": Mistake(
        "`get_action` returns nothing.",
        "Whoever calls it gets None. Is the last line there?",
        BLANKS,
    ),
    "get_action.no_action": Mistake(
        "What is returned is not an action.",
        "It is a distribution, or several things together; the rollout passes it on to the "
        "environment, which wants an array.",
        BLANKS,
    ),
    "get_action.tensor": Mistake(
        "A tensor is returned, not an array.",
        "Environments know nothing of tensors.",
        "cs285/infrastructure/pytorch_util.py, from_numpy and to_numpy",
    ),
    "get_action.whole_numbers": Mistake(
        "Continuous actions are made into whole numbers.",
        "Only discrete actions are; a torque of 0.7 becomes none at all.",
        BLANKS,
    ),
    "get_action.one_number": Mistake(
        "An action is made into a single number, which it need not be.",
        "That works for discrete actions; continuous ones have several components.",
        "PyTorch documentation, torch.Tensor.item",
    ),
    "get_action.one_component": Mistake(
        "Of an action that has several components, one is left.",
        "A first entry is an action as long as there is a batch. Without a batch, it is a number.",
        BLANKS,
    ),
    "get_action.spread": Mistake(
        "Actions are spread more, or less, than the policy says.",
        "The mean is right. Exploration is then not what `logstd` has learned, and the loss "
        "judges actions by another distribution than the one they came from.",
        ACTOR,
    ),
    "get_action.noise_shared": Mistake(
        "All components of an action get the same noise.",
        "They move together, although the policy's components are independent; most actions are "
        "never tried.",
        ACTOR,
    ),
    "get_action.squashed": Mistake(
        "Actions are squashed or clipped after they are drawn.",
        "The action stored is not the one that was drawn, and its log-probability is another.",
        ACTOR,
    ),
}

MISTAKES: dict[str, Mistake] = GET_ACTION
