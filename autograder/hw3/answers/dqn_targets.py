"""The Bellman targets of DQN, and the gradient step around them, which is given."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, Way, right, site, wrong
from autograder.families.td_target import BELLMAN, SHAPES, td_sites
from autograder.hw3.answers.double_q import DOUBLE
from autograder.hw3.answers.double_q import sites as double_q_sites
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

TARGET_NET = "Mnih et al. 2015, Methods, 'Training algorithm for deep Q-networks'"
OPTIM = "PyTorch documentation, torch.optim, 'Taking an optimization step'"
AUTOGRAD = "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient computation"

LARGEST = "self.q_net_target(next_ob_no).max(dim=1).values"
ONLINE, TARGET = "self.q_net(next_ob_no)", "self.q_net_target(next_ob_no)"
OWN = "self.double_q_values(next_ob_no)"
LOSS = "self.loss(q_t_values, target)"
CLEAR = "        self.optimizer.zero_grad()\n        loss.backward()\n"
CLIP = "        ptu.clip_grad_value_(self.weights, self.grad_norm_clipping)\n"
STEP = "        self.optimizer.step()\n"


def inline(valued: str, chosen: str) -> str:
    """Returns double Q-learning as one line: what is valued, and by what it is chosen."""
    return f"{valued}.gather(1, {chosen}.argmax(1, keepdim=True)).squeeze(1)"


@secret(nothing)
def bases() -> dict[str, dict[str, str | None]]:
    """Returns the solution as some write it who leave the method of double Q-learning aside."""
    usual = f"""
        with torch.no_grad():
            if self.double_q:
                q_tp1 = {inline(TARGET, ONLINE)}
            else:
                q_tp1 = {LARGEST}
            target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1
    """
    return {"its own double Q": {"hw3.dqn.targets": usual}}


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution, and what is given around it, can be written otherwise."""
    sums = td_sites("target", "reward_n", "self.gamma", "terminal_n", "q_tp1")
    return [*sums, *value_sites(), *double_q_site(), *step_sites()]


@secret(nothing)
def value_sites() -> Sequence[Site]:
    """Returns what may be done to the next states' values."""
    return [
        site(
            LARGEST,
            wrong(
                "target.row_below",
                Mistake(
                    "The target values the state of the next row in the batch.",
                    "Rows of a batch come from anywhere in the replay buffer: the one below is no "
                    "successor. Each transition brings its own.",
                    BELLMAN,
                ),
                "torch.cat([self.q_net_target(ob_no).max(dim=1).values[1:], torch.zeros(1)])",
            ),
            wrong(
                "target.double_q_unasked",
                Mistake(
                    "Double Q-learning is used although it is switched off.",
                    "The two ways cannot be compared like that. When is which of them wanted?",
                    DOUBLE,
                ),
                OWN,
            ),
            base="",
        ),
        site(
            "self.q_net_target(next",
            wrong(
                "target.online_net",
                Mistake(
                    "The targets come from the network that is being trained.",
                    "They move with every gradient step, and the network chases its own tail. "
                    "Which set of parameters stands still for a while?",
                    TARGET_NET,
                ),
                "self.q_net(next",
            ),
            base="",
        ),
        site(
            "(next_ob_no).max",
            wrong(
                "target.present_state",
                Mistake(
                    "The target values the present state, not the next one.",
                    "It then ignores where the step has led.",
                    BELLMAN,
                ),
                "(ob_no).max",
            ),
            base="",
        ),
        site(".max(dim=1).values", *reductions(), base=""),
        site(
            "with torch.no_grad():",
            wrong(
                "target.not_cut",
                Mistake(
                    "The gradient also flows into the targets.",
                    "A target is what the prediction should become; here the loss pulls the target "
                    "towards the prediction as well, which is another algorithm and usually a "
                    "worse one. Which part of the computation should be a constant?",
                    AUTOGRAD,
                ),
                "if True:",
            ),
        ),
    ]


@secret(nothing)
def reductions() -> Sequence[Sequence[Way]]:
    """Returns what may be done about the axis of the actions."""
    return [
        wrong(
            "target.taken_action",
            Mistake(
                "The next state is valued by the action taken before.",
                "That action belongs to the present state. Which action does Q-learning assume to "
                "be taken next?",
                BELLMAN,
            ),
            ".gather(1, ac_na.unsqueeze(1)).squeeze(1)",
        ),
        wrong(
            "target.index_as_value",
            Mistake(
                "The number of the best action is used as its value.",
                "Your next value is always a whole number between 0 and the number of actions.",
                BELLMAN,
            ),
            ".argmax(dim=1)",
        ),
        wrong(
            "target.mean_over_actions",
            Mistake(
                "The next state is valued by the mean over its actions.",
                "That is the value of acting at random. Which statistic does the optimality "
                "equation use?",
                BELLMAN,
            ),
            ".mean(dim=1)",
        ),
        wrong(
            "target.min_over_actions",
            Mistake(
                "The next state is valued by its worst action.",
                "The agent expects the worst of itself. Which statistic does the optimality "
                "equation use?",
                BELLMAN,
            ),
            ".min(dim=1).values",
        ),
        wrong(
            "target.max_over_batch",
            Mistake(
                "Every next state has the value of the best one in the batch.",
                "A maximum without an axis is one number for the whole batch, so all targets share "
                "it. What shape should the values of the next states have?",
                BELLMAN,
            ),
            ".max()",
        ),
        wrong(
            "target.sum_over_actions",
            Mistake(
                "The next state is valued by the sum over its actions.",
                "With more actions every state looks better, and values explode.",
                BELLMAN,
            ),
            ".sum(dim=1)",
        ),
        wrong(
            "target.first_action",
            Mistake(
                "The next state is always valued by the same action.",
                "Which action is the best differs from state to state.",
                BELLMAN,
            ),
            "[:, 0]",
            "[:, -1]",
        ),
        wrong(
            "target.not_reduced",
            Mistake(
                "The targets still have one entry for each action.",
                "A transition has one target: something must be done about the axis of the "
                "actions.",
                SHAPES,
            ),
            "",
            "\n    reward_n, terminal_n = reward_n[:, None], terminal_n[:, None]",
        ),
    ]


@secret(nothing)
def double_q_site() -> Sequence[Site]:
    """Returns what may be done about double Q-learning, which another blank computes."""
    known = {way.mistake: way.words for site in double_q_sites() for way in site.ways}

    def its_own(mistake: str, text: str) -> Sequence[Way]:
        words = known[mistake]
        assert words is not None
        return wrong(mistake, words, text)

    return [
        site(
            OWN,
            wrong(
                "target.double_q_of_wrong_states",
                Mistake(
                    "Double Q-learning is asked about the wrong states.",
                    "It should value the states in which the transitions ended.",
                    DOUBLE,
                ),
                "self.double_q_values(ob_no)",
            ),
            wrong(
                "target.double_q_ignored",
                Mistake(
                    "The switch for double Q-learning has no effect.",
                    "With it on, the next values are to come from the method that computes them.",
                    DOUBLE,
                ),
                LARGEST,
            ),
            its_own("double_q.present_state_selects", inline(TARGET, "qa_t_values")),
            its_own("double_q.online_evaluates", inline(ONLINE, ONLINE)),
            base="",
        ),
    ]


@secret(nothing)
def step_sites() -> Sequence[Site]:
    """Returns what may be done to the gradient step."""
    no_step = Mistake(
        "The update does not change the network.",
        "Nothing is left to apply when the optimizer runs, or it never runs. Mind the order of the "
        "three calls.",
        OPTIM,
    )
    return [
        site(
            f"{CLEAR}{CLIP}",
            wrong(
                "gradient.no_step",
                no_step,
                "        loss.backward()\n        self.optimizer.zero_grad()\n        nn.utils."
                "clip_grad_value_(self.q_net.parameters(), self.grad_norm_clipping)\n",
            ),
        ),
        site(
            LOSS,
            right("torch.nn.functional.mse_loss(q_t_values, target)"),
            wrong(
                "gradient.uphill",
                Mistake(
                    "The update goes uphill: the loss grows.",
                    "Optimizers descend; the sign of the loss is wrong.",
                    OPTIM,
                ),
                f"-{LOSS}",
            ),
            wrong(
                "target.prediction_cut",
                Mistake(
                    "The prediction is cut from the graph.",
                    "The loss has no path back to the weights of the network that is to learn, so "
                    "nothing can.",
                    AUTOGRAD,
                ),
                "self.loss(q_t_values.detach(), target)",
            ),
            wrong(
                "gradient.large_errors_ignored",
                Mistake(
                    "Large errors stop teaching anything.",
                    "The error is clipped before the loss, so beyond the bound its slope is zero. "
                    "Huber's loss limits the slope, and keeps it.",
                    "Mnih et al. 2015, Methods, 'Training algorithm details'",
                ),
                "((q_t_values - target).clamp(-1, 1) ** 2).mean()",
            ),
        ),
        site(
            CLEAR,
            wrong(
                "gradient.pile_up",
                Mistake(
                    "Gradients of earlier updates are added to this one.",
                    "They stay in the parameters until they are cleared, so every step repeats all "
                    "before it.",
                    OPTIM,
                ),
                "        loss.backward()\n",
            ),
            wrong(
                "gradient.no_step",
                no_step,
                "        loss.backward()\n        self.optimizer.zero_grad()\n",
            ),
        ),
        site(STEP, wrong("gradient.no_step", no_step, "")),
        site(
            CLIP,
            wrong(
                "gradient.not_clipped",
                Mistake(
                    "Large gradients are not clipped when the step is taken.",
                    "One surprising reward can then throw the network far off. Which parameters "
                    "are clipped, and at what time?",
                    "PyTorch documentation, torch.nn.utils.clip_grad_value_",
                ),
                "",
            ),
            wrong(
                "gradient.graph_kept",
                Mistake(
                    "A loss is kept together with the whole computation behind it.",
                    "Summed up as it is, it keeps the graph of every update alive, and memory "
                    "grows for ever. To log it, a plain number will do.",
                    "PyTorch documentation, Frequently Asked Questions, 'My model reports out of "
                    "memory'",
                ),
                f"{CLIP}        self.losses = loss\n",
            ),
        ),
        site(
            "        self.learning_rate_scheduler.step()\n        return",
            wrong(
                "target.network_moves",
                Mistake(
                    "The update changes the target network.",
                    "It is to stand still until it is copied.",
                    TARGET_NET,
                ),
                "        self.learning_rate_scheduler.step()\n"
                "        self.update_target_network()\n        return",
            ),
        ),
    ]


QUESTION = Question("hw3.dqn.targets", "hw3.probes.dqn_targets:probe", sites, bases, most=2)
