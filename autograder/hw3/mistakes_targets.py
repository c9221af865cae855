"""What mistakes in Bellman targets, double Q-learning and the gradient step say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

BELLMAN = "Mnih et al. 2015, equation 2; docs/hw3.md, Q-learning"
TARGET_NET = (
    "Mnih et al. 2015, Methods, 'Training algorithm'; docs/hw3.md, DQN: replay and a target network"
)
DOUBLE = "van Hasselt et al. 2016, equation 4; docs/hw3.md, Double DQN"
LIMITS = "docs/hw3.md, Time limits: terminated or truncated?"
GATHER = "PyTorch documentation, torch.gather"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
OPTIM = "PyTorch documentation, torch.optim, 'Taking an optimization step'"
AUTOGRAD = "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient computation"

MISTAKES = {
    "target.not_cut": Mistake(
        "The gradient also flows into the targets.",
        "A target is what the prediction should become; here the loss pulls the target towards the "
        "prediction as well, which is another algorithm and usually a worse one. Which part of the "
        "computation should be a constant?",
        AUTOGRAD,
    ),
    "target.prediction_cut": Mistake(
        "The prediction is cut from the graph.",
        "The loss has no path back to the weights of the network that is to learn, so nothing can.",
        AUTOGRAD,
    ),
    "target.online_net": Mistake(
        "The targets come from the network that is being trained.",
        "They move with every gradient step, and the network chases its own tail. Which set of "
        "parameters stands still for a while?",
        TARGET_NET,
    ),
    "target.no_mask": Mistake(
        "A future is counted after the episode has ended.",
        "Where an episode ended, your target is not what it should be; elsewhere it is right. "
        "Values then grow without bound, or towards a wrong level.",
        BELLMAN,
    ),
    "target.mask_inverted": Mistake(
        "The mask of ended episodes is the wrong way round.",
        "A future is counted exactly where there is none, and nowhere else.",
        BELLMAN,
    ),
    "target.mask_doubled": Mistake(
        "The mask is 2 and 1 where it should be 1 and 0.",
        "Transitions that ended an episode still carry a future, and all others carry it twice.",
        BELLMAN,
    ),
    "target.mask_not_one_minus": Mistake(
        "Bitwise 'not' was used for 'one minus'.",
        "The two agree for booleans only: on whole numbers it gives -1 and -2, and on floats it is "
        "an error.",
        "PyTorch documentation, torch.bitwise_not",
    ),
    "target.mask_of_whole_batch": Mistake(
        "A whole batch was turned into one true or false.",
        "Each transition has its own flag: the mask has one entry for each of them.",
        SHAPES,
    ),
    "target.no_discount": Mistake(
        "The future is not discounted.",
        "A reward far ahead counts like one now; with endless episodes the values have no limit.",
        BELLMAN,
    ),
    "target.discount_twice": Mistake(
        "The future is discounted twice.",
        "One step ahead is worth one factor of the discount; the agent becomes short-sighted.",
        BELLMAN,
    ),
    "target.no_future": Mistake(
        "The future does not count at all.",
        "Your target is the reward alone, so the agent learns nothing that pays off later.",
        BELLMAN,
    ),
    "target.minus": Mistake(
        "The future's value is subtracted.",
        "Your target falls when the next state gets better: the agent learns to avoid good states.",
        BELLMAN,
    ),
    "target.reward_missing": Mistake(
        "The reward is missing from the target.",
        "Then nothing of what the environment pays ever reaches the values.",
        BELLMAN,
    ),
    "target.reward_discounted": Mistake(
        "The immediate reward is discounted too.",
        "It is paid now; only what follows lies in the future. All values shrink by a factor.",
        BELLMAN,
    ),
    "target.reward_masked": Mistake(
        "The reward of an episode's last step is lost.",
        "The mask removes what comes after the end; the last reward itself was earned. Games that "
        "pay at the end can then not be learned.",
        BELLMAN,
    ),
    "target.reward_sign_at_end": Mistake(
        "The last reward of an episode changes its sign.",
        "The target must hold the reward that the environment paid.",
        BELLMAN,
    ),
    "target.reward_sign": Mistake(
        "The reward enters with a minus sign.",
        "The agent learns to collect as little as it can.",
        BELLMAN,
    ),
    "target.reward_clipped": Mistake(
        "The rewards are clipped in the target.",
        "Where rewards are to be clipped a wrapper does it; here the sizes of rewards get lost.",
        "docs/hw3.md, Settings",
    ),
    "target.clipped": Mistake(
        "The targets are clipped.",
        "Values that lie beyond the bounds can then never be learned. Gradients have a bound of "
        "their own, and rewards where it is wanted.",
        BELLMAN,
    ),
    "target.present_state": Mistake(
        "The target values the present state, not the next one.",
        "It then ignores where the step has led.",
        BELLMAN,
    ),
    "target.row_below": Mistake(
        "The target values the state of the next row in the batch.",
        "Rows of a batch come from anywhere in the replay buffer: the one below is no successor. "
        "Each transition brings its own.",
        BELLMAN,
    ),
    "target.taken_action": Mistake(
        "The next state is valued by the action taken before.",
        "That action belongs to the present state. Which action does Q-learning assume to be taken "
        "next?",
        BELLMAN,
    ),
    "target.index_as_value": Mistake(
        "The number of the best action is used as its value.",
        "Your next value is always a whole number between 0 and the number of actions.",
        BELLMAN,
    ),
    "target.mean_over_actions": Mistake(
        "The next state is valued by the mean over its actions.",
        "That is the value of acting at random. Which statistic does the optimality equation use?",
        BELLMAN,
    ),
    "target.min_over_actions": Mistake(
        "The next state is valued by its worst action.",
        "The agent expects the worst of itself. Which statistic does the optimality equation use?",
        BELLMAN,
    ),
    "target.max_over_batch": Mistake(
        "Every next state has the value of the best one in the batch.",
        "A maximum without an axis is one number for the whole batch, so all targets share it. "
        "What shape should the values of the next states have?",
        BELLMAN,
    ),
    "target.sum_over_actions": Mistake(
        "The next state is valued by the sum over its actions.",
        "With more actions every state looks better, and values explode.",
        BELLMAN,
    ),
    "target.not_reduced": Mistake(
        "The targets still have one entry for each action.",
        "A transition has one target: something must be done about the axis of the actions.",
        SHAPES,
    ),
    "target.broadcast": Mistake(
        "A column met a row: every prediction is compared with every target.",
        "Shapes (n, 1) and (n,) broadcast to (n, n). All predictions are then pulled towards the "
        "mean of the batch's targets.",
        SHAPES,
    ),
    "target.shape": Mistake(
        "The targets have a shape of their own.",
        "There should be one target for each transition, in a tensor of one axis.",
        SHAPES,
    ),
    "target.network_moves": Mistake(
        "The update changes the target network.",
        "It is to stand still until it is copied.",
        TARGET_NET,
    ),
    "target.double_q_ignored": Mistake(
        "The switch for double Q-learning has no effect.",
        "With it on, the next values are to come from the method that computes them.",
        DOUBLE,
    ),
    "target.double_q_unasked": Mistake(
        "Double Q-learning is used although it is switched off.",
        "The two ways cannot be compared like that. When is which of them wanted?",
        DOUBLE,
    ),
    "target.double_q_of_wrong_states": Mistake(
        "Double Q-learning is asked about the wrong states.",
        "It should value the states in which the transitions ended.",
        DOUBLE,
    ),
    "double_q.target_selects": Mistake(
        "The target network chooses the next action.",
        "With double Q on, your targets do not change when the online network does. If one network "
        "both chooses and values, its errors are chosen for being large.",
        DOUBLE,
    ),
    "double_q.online_evaluates": Mistake(
        "The online network values the next action.",
        "With double Q on, your targets do not depend on the target network: they move with every "
        "step, and overestimate.",
        DOUBLE,
    ),
    "double_q.present_state_selects": Mistake(
        "The next action is chosen by the right network, in the wrong state.",
        "It is the action that is best where the transition began. In which state will the next "
        "action be taken?",
        DOUBLE,
    ),
    "double_q.present_state_valued": Mistake(
        "The chosen action is valued in the wrong state.",
        "The target should tell what the state is worth in which the transition ended.",
        DOUBLE,
    ),
    "double_q.worst_action": Mistake(
        "The worst action is chosen, not the best.",
        "The targets become those of an agent that acts as badly as it can.",
        DOUBLE,
    ),
    "double_q.shifted": Mistake(
        "The numbers of the actions are shifted by one.",
        "Actions are counted from 0, as columns are.",
        GATHER,
    ),
    "double_q.index_as_value": Mistake(
        "The number of the chosen action is used as its value.",
        "Your values are whole numbers between 0 and the number of actions.",
        DOUBLE,
    ),
    "double_q.taken_action": Mistake(
        "The action taken before is valued, not the chosen one.",
        "That action belongs to the state in which the transition began.",
        DOUBLE,
    ),
    "double_q.mean_over_actions": Mistake(
        "The values are means over all actions.",
        "The chosen action plays no part in them.",
        DOUBLE,
    ),
    "double_q.all_columns": Mistake(
        "Every transition gets the values of all the chosen actions.",
        "A plain index takes the same columns from every row: the result is (n, n), not (n,).",
        GATHER,
    ),
    "double_q.not_reduced": Mistake(
        "The values still have one entry for each action.",
        "One action was chosen in each state; the values of the others are not asked for.",
        GATHER,
    ),
    "double_q.shape": Mistake(
        "The values are a column, shape (n, 1).",
        "Added to rewards of shape (n,) they broadcast to (n, n).",
        SHAPES,
    ),
    "double_q.gather": Mistake(
        "The pick of one entry from each row fails.",
        "Mind along which axis is picked, and that the index has as many axes as the values.",
        GATHER,
    ),
    "double_q.nothing_to_choose": Mistake(
        "The next action is chosen among one number for each state.",
        "Perhaps those are the values of the actions taken, in the present state. Which values of "
        "which state are there to choose among?",
        DOUBLE,
    ),
    "double_q.unpacked_argmax": Mistake(
        "argmax returns one thing; max returns two.",
        "Only one of them has values beside the places.",
        "PyTorch documentation, torch.argmax and torch.max",
    ),
    "gradient.no_step": Mistake(
        "The update does not change the network.",
        "Nothing is left to apply when the optimizer runs, or it never runs. Mind the order of the "
        "three calls.",
        OPTIM,
    ),
    "gradient.uphill": Mistake(
        "The update goes uphill: the loss grows.",
        "Optimizers descend; the sign of the loss is wrong.",
        OPTIM,
    ),
    "gradient.pile_up": Mistake(
        "Gradients of earlier updates are added to this one.",
        "They stay in the parameters until they are cleared, so every step repeats all before it.",
        OPTIM,
    ),
    "gradient.graph_kept": Mistake(
        "A loss is kept together with the whole computation behind it.",
        "Summed up as it is, it keeps the graph of every update alive, and memory grows for ever. "
        "To log it, a plain number will do.",
        "PyTorch documentation, Frequently Asked Questions, 'My model reports out of memory'",
    ),
    "gradient.second_differs": Mistake(
        "The second update does something else than the first.",
        "Something is kept from one update to the next that should not be.",
        OPTIM,
    ),
    "gradient.not_clipped": Mistake(
        "Large gradients are not clipped when the step is taken.",
        "One surprising reward can then throw the network far off. Which parameters are clipped, "
        "and at what time?",
        "PyTorch documentation, torch.nn.utils.clip_grad_value_",
    ),
    "gradient.large_errors_ignored": Mistake(
        "Large errors stop teaching anything.",
        "The error is clipped before the loss, so beyond the bound its slope is zero. Huber's loss "
        "limits the slope, and keeps it.",
        "Mnih et al. 2015, Methods, 'Training algorithm details'",
    ),
}
