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

FORWARD = {
    "forward.logits_as_probs": Mistake(
        "The network's numbers are taken for probabilities.",
        "Logits may be negative and do not sum to one; the policy that results is not the one "
        "the network describes. Read what each parameter of the distribution expects.",
        CATEGORICAL,
    ),
    "forward.softmax_twice": Mistake(
        "The softmax is taken twice.",
        "Numbers between 0 and 1 as logits make a policy that can never be nearly sure of "
        "anything. What does the distribution do itself with what it is given?",
        CATEGORICAL,
    ),
    "forward.sigmoid": Mistake(
        "Each logit goes through a sigmoid of its own.",
        "The distribution over actions is then flatter than the network says, however long it "
        "learns. One action is chosen among all of them: which function compares them?",
        CATEGORICAL,
    ),
    "forward.wrong_axis": Mistake(
        "Probabilities are normalised over the batch, not over the actions.",
        "What the policy does in one state then depends on which others are in the batch. Which "
        "axis holds the actions of one state?",
        GLOSSARY,
    ),
    "forward.squashed": Mistake(
        "The network's output is squashed before it is used.",
        "The logits or the mean can no longer take every value, and far out no gradient is left. "
        "The formula in the docstring has the output itself.",
        ACTOR,
    ),
    "forward.logits_negated": Mistake(
        "The logits have the wrong sign.",
        "The action that the network rates highest is the one that is taken least.",
        CATEGORICAL,
    ),
    "forward.mean_missing": Mistake(
        "The Gaussian's mean does not come from the network.",
        "The policy acts alike in every state, and the network is never trained.",
        ACTOR,
    ),
    "forward.mean_and_spread_swapped": Mistake(
        "Mean and spread have changed places.",
        "The network's output is where the spread belongs, or the spread's parameter is where the "
        "mean belongs. In which order does the distribution take them?",
        TORCH,
    ),
    "forward.logstd_as_spread": Mistake(
        "`logstd` is used as if it were the standard deviation.",
        "At logstd 0 the policy would have no spread at all, and below it none exists. What is the "
        "spread when its logarithm is 0?",
        GLOSSARY,
    ),
    "forward.variance_as_spread": Mistake(
        "The variance stands where the standard deviation belongs.",
        "Both are 1 at the start, so all looks well until logstd has moved; then exploration "
        "shrinks or grows twice as fast as it should. Variance or spread: which is asked for?",
        TORCH,
    ),
    "forward.spread_as_variance": Mistake(
        "The standard deviation stands where a variance belongs.",
        "Both are 1 at the start, so all looks well until logstd has moved. Is that argument a "
        "variance or a spread?",
        MULTIVARIATE,
    ),
    "forward.spread_inverted": Mistake(
        "A larger `logstd` makes the policy narrower.",
        "The spread enters upside down: as a precision, or with its logarithm's sign changed.",
        MULTIVARIATE,
    ),
    "forward.spread_fixed": Mistake(
        "The spread does not depend on `logstd`.",
        "It is 1 for ever: the policy never learns how much to explore.",
        ACTOR,
    ),
    "forward.softplus": Mistake(
        "The spread is another function of `logstd` than the exponential.",
        "It is positive, but at logstd 0 it is not 1, and `logstd` is no logarithm of anything.",
        GLOSSARY,
    ),
    "forward.spread_shared": Mistake(
        "All components of an action get the same spread.",
        "`logstd` has an entry for each component, and each is to learn its own.",
        GLOSSARY,
    ),
    "forward.exp_twice": Mistake(
        "The exponential is taken twice.",
        "At logstd 0 the policy is nearly three times as wide as it should be, and it can never "
        "become narrower than 1.",
        GLOSSARY,
    ),
    "forward.components_apart": Mistake(
        "A continuous action gets one log-probability for each component.",
        "A step has one action and so one log-probability, whatever the number of components. "
        "Neither `forward` nor `update` puts them together here.",
        INDEPENDENT,
    ),
    "forward.rows_joined": Mistake(
        "The whole batch gets one log-probability.",
        "Advantages can then no longer be told apart: each row needs its own. Count the axes that "
        "are counted as one event.",
        INDEPENDENT,
    ),
    "forward.not_one_choice": Mistake(
        "This distribution does not choose one among the discrete actions.",
        "Its samples have a number for each action, where the environment takes the number of one.",
        CATEGORICAL,
    ),
    "forward.kinds_swapped": Mistake(
        "Discrete and continuous actions are mixed up.",
        "Only one of the two networks exists in each case. Look at the condition, and at which "
        "network each branch uses.",
        GLOSSARY,
    ),
    "forward.nothing_returned": Mistake(
        "`forward` returns nothing, at least for one kind of actions.",
        "Whoever calls it gets None. Does every branch end with what it has computed?",
        BLANKS,
    ),
    "forward.no_distribution": Mistake(
        "`forward` returns numbers, not a distribution.",
        "Others ask what it returns for samples and for log-probabilities.",
        TORCH,
    ),
    "forward.network_cut": Mistake(
        "No gradient reaches the network from a log-probability.",
        "The path from the loss to the weights is cut, so the policy never learns. What takes a "
        "tensor out of the graph?",
        AUTOGRAD,
    ),
    "forward.spread_cut": Mistake(
        "No gradient reaches `logstd` from a log-probability.",
        "The spread keeps its first value for ever. What takes a tensor out of the graph?",
        AUTOGRAD,
    ),
    "forward.not_a_matrix": Mistake(
        "This Gaussian wants a matrix, and gets a vector.",
        "A multivariate Gaussian is told how all components vary together. Where do those of "
        "independent components stand in that matrix?",
        MULTIVARIATE,
    ),
}

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

MISTAKES: dict[str, Mistake] = FORWARD | GET_ACTION
