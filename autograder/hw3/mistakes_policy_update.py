"""What mistakes in the policy gradient step say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

ACTOR = "docs/hw3.md, Actor-critic with a bootstrapped critic"
SUTTON = "Sutton et al., 2000, Policy Gradient Methods ..., theorem 1"
BROADCASTING = "NumPy documentation, Broadcasting"
OPTIM = "PyTorch documentation, torch.optim, Taking an optimization step"
AUTOGRAD = "PyTorch documentation, Autograd mechanics"
TORCH = "PyTorch documentation, torch.distributions"

WEIGHTS = {
    "pg_update.wrong_way": Mistake(
        "The step makes good actions less likely and bad ones likelier.",
        "With one good and one bad action, your update favours the bad one. Optimizers descend: "
        "is the loss something that should become smaller?",
        ACTOR,
    ),
    "pg_update.advantage_ignored": Mistake(
        "All actions count alike, whatever their advantages.",
        "Every action that was tried becomes likelier, good or bad: the policy copies itself and "
        "learns nothing from rewards.",
        SUTTON,
    ),
    "pg_update.every_advantage": Mistake(
        "Every action is credited with all advantages of the batch.",
        "Two arrays of different shape made a table of all pairs, or the average was taken before "
        "the product. Which action was good can no longer be told. Print the shape of the product.",
        BROADCASTING,
    ),
    "pg_update.advantage_without_sign": Mistake(
        "The sign of the advantages is lost.",
        "Bad actions become likelier just as good ones do.",
        ACTOR,
    ),
    "pg_update.standardized_again": Mistake(
        "The mean of the advantages is subtracted here.",
        "Where actions are better than expected on the whole, half of them are punished anyway. "
        "Whether advantages are standardised is the agent's choice, and made before.",
        ACTOR,
    ),
    "pg_update.only_the_sign": Mistake(
        "Only the sign of an advantage counts.",
        "An action that was a little better than average counts as much as a great one.",
        ACTOR,
    ),
    "pg_update.advantage_squared": Mistake(
        "The advantages are multiplied twice.",
        "Bad actions become likelier too, since a square has no sign.",
        SUTTON,
    ),
    "pg_update.advantage_exponentiated": Mistake(
        "The exponential of the advantages is used in their place.",
        "Bad actions become likelier too, only more slowly. That belongs to another algorithm.",
        "Peng et al., 2019, Advantage-Weighted Regression, section 3",
    ),
    "pg_update.bad_actions_ignored": Mistake(
        "Actions with a negative advantage are left out.",
        "The policy learns from half of what it has seen: it is never told what to avoid.",
        ACTOR,
    ),
    "pg_update.advantage_clipped": Mistake(
        "Advantages are clipped.",
        "Very good and very bad actions count like middling ones, which changes what the policy "
        "converges to.",
        ACTOR,
    ),
    "pg_update.divided_by_sum": Mistake(
        "The loss is divided by the sum of the advantages.",
        "That sum may be negative or nearly 0: the step turns round, or becomes huge.",
        ACTOR,
    ),
    "pg_update.rows_misaligned": Mistake(
        "Actions are credited with the advantages of other rows.",
        "The order of the advantages has changed; row i of all three arrays is one transition.",
        ACTOR,
    ),
    "pg_update.part_of_batch": Mistake(
        "Only a part of the batch is used.",
        "The gradient is noisier than it needs to be, and data that was paid for is thrown away. "
        "Does a loop or an index leave rows out?",
        ACTOR,
    ),
}

DENSITIES = {
    "pg_update.probability": Mistake(
        "Probabilities are used where log-probabilities belong.",
        "Actions that are already likely then count for more, because they were also tried more "
        "often; rare good ones are hardly learned.",
        SUTTON,
    ),
    "pg_update.double_log": Mistake(
        "The logarithm is taken twice.",
        "Count the logarithms between probability and loss. A log-probability is usually negative "
        "and has no logarithm.",
        TORCH,
    ),
    "pg_update.fits_advantage": Mistake(
        "Log-probabilities are fitted to the advantages, as in a regression.",
        "They are made equal to numbers they have nothing to do with. The loss is a product, not "
        "a difference.",
        SUTTON,
    ),
    "pg_update.logit": Mistake(
        "Logits are used that are not normalised.",
        "The logit of a good action grows, but those of the others never fall for it, and nothing "
        "keeps them from growing without end.",
        "PyTorch documentation, torch.nn.functional.log_softmax",
    ),
    "pg_update.softmax_twice": Mistake(
        "The softmax is taken twice.",
        "A loss that expects logits gets probabilities, so its gradient is small and wrong. What "
        "does the loss function do itself with what it is given?",
        "PyTorch documentation, torch.nn.functional.cross_entropy",
    ),
    "pg_update.softmax_of_product": Mistake(
        "A softmax is taken after the advantages were multiplied in.",
        "The advantage belongs outside: it weighs the log-probability of an action and is no part "
        "of the distribution.",
        "PyTorch documentation, torch.nn.functional.cross_entropy",
    ),
    "pg_update.all_actions": Mistake(
        "Log-probabilities of all actions are used, not only of those taken.",
        "The advantage belongs to the action that was taken; of the others nothing is known.",
        SUTTON,
    ),
    "pg_update.resampled": Mistake(
        "The actions are drawn anew, rather than those that were taken.",
        "Which action was the reward for? The advantage says nothing about a fresh one.",
        SUTTON,
    ),
    "pg_update.greedy_action": Mistake(
        "The policy's best action is judged, not the one that was taken.",
        "Which action was the reward for?",
        SUTTON,
    ),
    "pg_update.every_action_in_every_state": Mistake(
        "Each action is looked up in every state of the batch.",
        "The actions have an axis too many, so log-probabilities come as a table of all pairs. "
        "How many are there for a batch of n?",
        BROADCASTING,
    ),
    "pg_update.one_component": Mistake(
        "Only one component of a continuous action is used.",
        "The other components are never learned.",
        ACTOR,
    ),
    "pg_update.spread_kept": Mistake(
        "The step leaves `logstd` as it is.",
        "The mean learns, the spread does not: no gradient reaches it from this loss.",
        AUTOGRAD,
    ),
    "pg_update.squared_error": Mistake(
        "Squared errors are used in place of a Gaussian's log-probability.",
        "The spread then has no part in the loss and is never learned, and components with little "
        "spread count for too little.",
        ACTOR,
    ),
    "pg_update.entropy_bonus": Mistake(
        "The loss rewards entropy, which was not asked for.",
        "The policy is kept more random than the rewards call for, and results are not comparable "
        "with those of the handout.",
        ACTOR,
    ),
    "pg_update.entropy_penalty": Mistake(
        "The loss punishes entropy.",
        "The policy becomes sure of itself before it has tried enough. No entropy is asked for "
        "here; where it is, a larger bonus has to make a policy more random.",
        ACTOR,
    ),
}

STEPS = {
    "pg_update.no_backward": Mistake(
        "No gradient of the loss is ever computed.",
        "The policy stays as it is.",
        OPTIM,
    ),
    "pg_update.no_step": Mistake(
        "`self.optimizer` never takes a step.",
        "The gradient is computed, and the policy does not change by it as it should.",
        OPTIM,
    ),
    "pg_update.step_before_backward": Mistake(
        "The optimizer steps before the gradient is computed.",
        "It has nothing to go by, or what an earlier batch left. In which order do the three "
        "belong?",
        OPTIM,
    ),
    "pg_update.gradient_cleared": Mistake(
        "The gradient is cleared before the optimizer uses it.",
        "Every step is made with nothing, and the policy stays as it is. In which order do the "
        "three belong?",
        OPTIM,
    ),
    "pg_update.no_gradient": Mistake(
        "The gradient of the loss is zero.",
        "Whatever the actions and advantages were, the policy stays as it is: where parameters "
        "enter the loss, they cancel out.",
        SUTTON,
    ),
    "pg_update.gradients_pile_up": Mistake(
        "Gradients of earlier updates are still there.",
        "They add up, so each step goes mostly where old batches pointed.",
        "PyTorch documentation, torch.optim.Optimizer.zero_grad",
    ),
    "pg_update.inputs_changed": Mistake(
        "The update changes the arrays it was given.",
        "They belong to whoever called, who may update again with them: a sign that is turned in "
        "place is turned back then.",
        "PyTorch documentation, torch.as_tensor",
    ),
    "pg_update.more_steps": Mistake(
        "One update takes more than one step.",
        "After the first the actions no longer come from the policy that is being improved. How "
        "often to update is the agent's choice.",
        ACTOR,
    ),
    "pg_update.graph_cut": Mistake(
        "The loss does not depend on the policy's parameters any more.",
        "Something between network and loss takes numbers out of the graph.",
        AUTOGRAD,
    ),
    "pg_update.loss_not_scalar": Mistake(
        "The loss is one number for each row, not one for all.",
        "A gradient exists of a single number.",
        ACTOR,
    ),
    "pg_update.loss_not_tensor": Mistake(
        "`loss` is a plain number where a tensor is needed.",
        "A number has forgotten what it was computed from.",
        AUTOGRAD,
    ),
    "pg_update.not_actions": Mistake(
        "A log-probability is asked for something that is no action.",
        "The distribution refuses it. Which of the three arrays is it?",
        TORCH,
    ),
    "pg_update.actions_not_whole": Mistake(
        "Actions are used as indices, but they arrive as decimal numbers.",
        "Rollouts store everything as 32-bit floats.",
        "PyTorch documentation, Tensor Attributes, torch.dtype",
    ),
    "pg_update.shapes": Mistake(
        "The shapes of two arrays do not fit on that line.",
        "Print them: one log-probability and one advantage belong to each row.",
        BROADCASTING,
    ),
}

MISTAKES: dict[str, Mistake] = WEIGHTS | DENSITIES | STEPS
