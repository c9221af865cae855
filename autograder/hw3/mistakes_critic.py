"""What mistakes in the fit of the bootstrapped critic say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

FIT = "docs/hw3.md, Actor-critic with a bootstrapped critic: Critic"
SEMI = "Sutton and Barto 2018, section 9.3 (semi-gradient methods)"
TD = "Sutton and Barto 2018, section 6.1, equation 6.2"
END = "Sutton and Barto 2018, section 3.4; docs/hw3.md, Time limits: terminated or truncated?"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
OPTIM = "PyTorch documentation, torch.optim, 'Taking an optimization step'"
AUTOGRAD = "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient computation"
MSE = "PyTorch documentation, torch.nn.MSELoss"

CRITIC_TARGETS = {
    "critic.not_cut": Mistake(
        "The gradient also flows into the targets.",
        "The loss pulls V(s') towards V(s) as well as V(s) towards its target, which makes the fit "
        "worse; with several steps on one target it also crashes. Which part should be a constant?",
        SEMI,
    ),
    "critic.cut_late": Mistake(
        "The targets are frozen one step too late.",
        "The first gradient step on each set of targets still flows into them, the later ones do "
        "not. When does the graph have to be left behind?",
        AUTOGRAD,
    ),
    "critic.prediction_cut": Mistake(
        "The prediction is cut from the graph.",
        "What should learn is frozen: no gradient reaches V(s) through it. If the targets are left "
        "free, the critic changes those instead.",
        AUTOGRAD,
    ),
    "critic.no_mask": Mistake(
        "A future is counted after the episode has ended.",
        "On transitions that ended the episode your target is not what it should be; elsewhere it "
        "is right. Values then settle at a wrong level, or grow without bound.",
        END,
    ),
    "critic.mask_inverted": Mistake(
        "A future is counted only where the episode ended.",
        "The terminal flag works the wrong way round: everywhere else the critic is short-sighted.",
        END,
    ),
    "critic.mask_doubled": Mistake(
        "The terminal mask takes the values 2 and 1 instead of 1 and 0.",
        "Insert both values of the flag into your expression and look at what comes out.",
        END,
    ),
    "critic.mask_precedence": Mistake(
        "The mask does not multiply what it should: an order of operations.",
        "A product is computed before a difference. Read that line aloud, or insert small numbers.",
        "Python reference, Operator precedence",
    ),
    "critic.mask_not_one_minus": Mistake(
        "Negating the terminal flag does not give what you expect of a number.",
        "The operator ~ flips all bits of a whole number, and floats have none. Print it for 0 "
        "and for 1.",
        "Python reference, Unary arithmetic and bitwise operations",
    ),
    "critic.mask_of_whole_batch": Mistake(
        "One decision is taken for the whole batch.",
        "Each transition has its own terminal flag, so a single `if` or `not` cannot decide.",
        END,
    ),
    "critic.mask_flips": Mistake(
        "The terminal mask turns over each time the targets are computed.",
        "The first targets are right, the second mask the wrong rows, and so on. Which variable "
        "changes inside the loop?",
        FIT,
    ),
    "critic.no_discount": Mistake(
        "The future is not discounted.",
        "The targets are right only if the discount is 1; where episodes are long, values explode.",
        TD,
    ),
    "critic.discount_twice": Mistake(
        "The discount is applied twice.",
        "V(s') is one step ahead. How many discounts is that?",
        TD,
    ),
    "critic.no_future": Mistake(
        "The targets hold no future.",
        "The critic learns the next reward alone, not the return that follows it.",
        TD,
    ),
    "critic.minus": Mistake(
        "The future is subtracted, not added.",
        "States that lead to good ones then look bad.",
        TD,
    ),
    "critic.reward_missing": Mistake(
        "The targets hold no reward.",
        "Then nothing tells good from bad, and all values shrink to 0.",
        TD,
    ),
    "critic.reward_sign": Mistake(
        "The reward enters the targets with the wrong sign.",
        "The critic learns to prefer what should be avoided.",
        TD,
    ),
    "critic.reward_discounted": Mistake(
        "The reward is discounted too.",
        "It belongs to this very step. Which part of the target lies a step ahead?",
        TD,
    ),
    "critic.reward_masked": Mistake(
        "The reward of the last step is masked away.",
        "The episode ends after its last reward, not before it. What exactly does not count then?",
        END,
    ),
    "critic.clipped": Mistake(
        "Rewards, values or targets are clipped.",
        "Where they are small nothing shows. Where returns are in the hundreds, as on CartPole, "
        "the critic can never learn them.",
        TD,
    ),
    "critic.rewards_standardized": Mistake(
        "The rewards of the batch are standardised first.",
        "Values are sums of rewards as they are. The mean and spread of a batch differ from "
        "iteration to iteration, and with them what the critic is asked to learn.",
        TD,
    ),
    "critic.targets_standardized": Mistake(
        "The targets are standardised.",
        "A bootstrapped target is made of the critic's own values, so both must keep one scale: "
        "standardised, they forget how much is to be had.",
        FIT,
    ),
    "critic.rewards_pile_up": Mistake(
        "Each set of targets is added to the one before.",
        "What you add the future to has already got one: the rewards are no longer the rewards "
        "when the targets are computed again. Which variable changes inside the loop?",
        FIT,
    ),
    "critic.target_of_present_state": Mistake(
        "The targets are made of the values of the present states.",
        "They ignore where the step led, so no value can travel back from a state to those before.",
        TD,
    ),
    "critic.fits_next_state": Mistake(
        "The values of the next states are fitted.",
        "Which state is this target a value of? The reward was for leaving that one.",
        TD,
    ),
    "critic.states_swapped": Mistake(
        "Present and next states have changed places.",
        "The value of where a step led is fitted to that of where it began: time runs backwards.",
        TD,
    ),
    "critic.advantage_as_target": Mistake(
        "The critic is fitted to advantages.",
        "V(s) should become the target itself; here its old value has been subtracted already.",
        FIT,
    ),
    "critic.broadcast": Mistake(
        "Columns and rows meet: each prediction is compared with all targets.",
        "An array of shape (n, 1) and one of shape (n,) make one of shape (n, n), without an "
        "error (or a mean over the batch was taken). The critic then learns little more than an "
        "average. Print the shapes.",
        SHAPES,
    ),
}
CRITIC_STEPS = {
    "critic.loops_swapped": Mistake(
        "The two loop counts have changed places.",
        "It shows only when they differ: targets are computed as often as there should be steps, "
        "and the other way round.",
        FIT,
    ),
    "critic.one_count_twice": Mistake(
        "Both loops follow the same one of the two counts.",
        "The other setting has no effect. It shows only when they differ.",
        FIT,
    ),
    "critic.nested_twice": Mistake(
        "One of the two counts is applied twice.",
        "An update takes far too many gradient steps. Multiply the numbers of your loops.",
        FIT,
    ),
    "critic.targets_every_step": Mistake(
        "The targets are computed again at every gradient step.",
        "They should stand still for a while: a regression needs labels that do not move.",
        FIT,
    ),
    "critic.targets_once": Mistake(
        "The targets are computed only once.",
        "The critic improves, but its targets do not learn of it until the next iteration.",
        FIT,
    ),
    "critic.prediction_kept": Mistake(
        "V(s) is not computed again for each gradient step.",
        "After a step the critic says something else. Later steps on the old prediction repeat "
        "the first one, or fail since its graph is gone. What is inside which loop?",
        FIT,
    ),
    "critic.too_few_steps": Mistake(
        "An update takes too few gradient steps.",
        "One of the two counts has no effect on how often the optimizer steps. What is inside "
        "which loop?",
        FIT,
    ),
    "critic.loop_off_by_one": Mistake(
        "A loop runs once too often or once too rarely.",
        "Count the passes with settings as small as 1 and 2.",
        "Python tutorial, The range() Function",
    ),
    "critic.gradients_pile_up": Mistake(
        "The gradients of earlier steps are still there at the next step.",
        "A backward pass adds to what is stored. Each step then also repeats older ones.",
        OPTIM,
    ),
    "critic.gradients_zeroed": Mistake(
        "The gradients are cleared before they are used.",
        "The optimizer steps, but there is nothing left to step along: no weight ever changes. "
        "Mind the order of the three calls.",
        OPTIM,
    ),
    "critic.no_backward": Mistake(
        "The optimizer steps, but no gradient is ever computed.",
        "No weight changes, and nothing complains about it.",
        OPTIM,
    ),
    "critic.no_step": Mistake(
        "The optimizer takes no step.",
        "No weight of the critic ever changes, whatever its loss says.",
        OPTIM,
    ),
    "critic.uphill": Mistake(
        "The steps lead uphill.",
        "The optimizer minimises what it is given; the error grows with every step.",
        OPTIM,
    ),
    "critic.loss_not_squared": Mistake(
        "The loss is not a squared error of each prediction.",
        "Its gradient does not grow with the error; without a square, errors of both signs even "
        "cancel. The mean of the targets is what a squared error finds.",
        MSE,
    ),
    "critic.loss_no_scalar": Mistake(
        "The loss is not one number.",
        "A gradient is that of a single number; yours has one for each row.",
        "PyTorch documentation, torch.Tensor.backward",
    ),
    "critic.loss_no_tensor": Mistake(
        "`loss` is a plain number when a tensor is needed.",
        "A plain number has left the graph, and the given line that follows expects a tensor.",
        "PyTorch documentation, torch.Tensor.item",
    ),
    "critic.graph_kept": Mistake(
        "A loss is kept together with the whole computation behind it.",
        "Summed up as it is, it keeps the graph of every step alive, and memory grows for ever. To "
        "log it, a plain number will do.",
        "PyTorch documentation, Frequently Asked Questions, 'My model reports out of memory'",
    ),
    "critic.inputs_changed": Mistake(
        "The update changes the arrays it was given.",
        "They belong to whoever called, who goes on to estimate advantages with them. Operators "
        "such as += and indexed assignment work in place, and from_numpy may share memory.",
        "PyTorch documentation, torch.as_tensor",
    ),
}
MISTAKES = CRITIC_TARGETS | CRITIC_STEPS
