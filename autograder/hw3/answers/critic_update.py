"""The bootstrapped critic: its targets, its gradient steps, and the schedule of both."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, site, wrong
from autograder.families.td_target import td_sites
from autograder.judge import ARRAYS, Judgement, ends_as_given
from autograder.mistakes import Mistake
from autograder.probing import Observation
from autograder.recording import nothing, secret

FIT = "docs/hw3.md, Actor-critic with a bootstrapped critic: Critic"
SEMI = "Sutton and Barto 2018, section 9.3 (semi-gradient methods)"
TD = "Sutton and Barto 2018, section 6.1, equation 6.2"
SHAPES = "NumPy documentation, Broadcasting; docs/hw3.md, Glossary"
OPTIM = "PyTorch documentation, torch.optim, 'Taking an optimization step'"
AUTOGRAD = "PyTorch documentation, 'Autograd mechanics', Locally disabling gradient computation"
MSE = "PyTorch documentation, torch.nn.MSELoss"
BROADCAST = Mistake(
    "Columns and rows meet: each prediction is compared with all targets.",
    "An array of shape (n, 1) and one of shape (n,) make one of shape (n, n), without an "
    "error (or a mean over the batch was taken). The critic then learns little more than an "
    "average. Print the shapes.",
    SHAPES,
)
NOT_CUT = Mistake(
    "The gradient also flows into the targets.",
    "The loss pulls V(s') towards V(s) as well as V(s) towards its target, which makes the fit "
    "worse; with several steps on one target it also crashes. Which part should be a constant?",
    SEMI,
)
PREDICTION_CUT = Mistake(
    "The prediction is cut from the graph.",
    "What should learn is frozen: no gradient reaches V(s) through it. If the targets are left "
    "free, the critic changes those instead.",
    AUTOGRAD,
)
LOOPS_SWAPPED = Mistake(
    "The two loop counts have changed places.",
    "It shows only when they differ: targets are computed as often as there should be steps, "
    "and the other way round.",
    FIT,
)
TOO_FEW_STEPS = Mistake(
    "An update takes too few gradient steps.",
    "One of the two counts has no effect on how often the optimizer steps. What is inside "
    "which loop?",
    FIT,
)
TARGETS_EVERY_STEP = Mistake(
    "The targets are computed again at every gradient step.",
    "They should stand still for a while: a regression needs labels that do not move.",
    FIT,
)
NESTED_TWICE = Mistake(
    "One of the two counts is applied twice.",
    "An update takes far too many gradient steps. Multiply the numbers of your loops.",
    FIT,
)
ONE_COUNT_TWICE = Mistake(
    "Both loops follow the same one of the two counts.",
    "The other setting has no effect. It shows only when they differ.",
    FIT,
)
LOOP_OFF_BY_ONE = Mistake(
    "A loop runs once too often or once too rarely.",
    "Count the passes with settings as small as 1 and 2.",
    "Python tutorial, The range() Function",
)

LOSS_NO_TENSOR = Mistake(
    "`loss` is a plain number when a tensor is needed.",
    "A plain number has left the graph, and the given line that follows expects a tensor.",
    "PyTorch documentation, torch.Tensor.item",
)
GRADIENTS_PILE_UP = Mistake(
    "The gradients of earlier steps are still there at the next step.",
    "A backward pass adds to what is stored. Each step then also repeats older ones.",
    OPTIM,
)
CUT = "with torch.no_grad():"
OUTER, INNER = "range(self.num_target_updates)", "range(self.num_grad_steps_per_target_update)"
TARGET = "rewards + self.gamma * (1.0 - terminals) * self(next_obs)"
LOSS = "loss = self.loss(self(obs), target_n)"
BACK = "        self.optimizer.zero_grad()\n        loss.backward()\n"
STEP, PLAIN = "        self.optimizer.step()", "loss.backward()"
IN_ONE, NEW = "one loop", "i % self.num_grad_steps_per_target_update == 0"


@secret(nothing)
def bases() -> dict[str, dict[str, str | None]]:
    """Returns the solution with one loop in place of two."""
    return {
        IN_ONE: {
            "hw3.critic.update": f"""
                obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
                rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
                for i in range(self.num_target_updates * self.num_grad_steps_per_target_update):
                    if {NEW}:
                        target_n = ({TARGET}).detach()
                    {LOSS}
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
            """
        }
    }


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution can be written otherwise."""
    sums = td_sites("critic", "rewards", "self.gamma", "terminals", "self(next_obs)", checked=False)
    known = {way.mistake: way.words for site in sums for way in site.ways}
    masks = [
        wrong(
            "critic.mask_not_one_minus",
            known["critic.mask_not_one_minus"],
            "ptu.from_numpy(~terminal_n)",
        ),
        wrong(
            "critic.mask_of_whole_batch",
            known["critic.mask_of_whole_batch"],
            "(0 if terminal_n else 1)",
        ),
    ]
    mask = site("(1.0 - terminals)", *masks)
    steps = [*schedule_sites(), *step_sites()]
    return [*one_loop_site(), *sums, mask, *value_sites(), *steps, *whole_sites()]


@secret(nothing)
def whole_sites() -> Sequence[Site]:
    """Returns what is done to the targets as they are made, kept or cut."""
    return [
        site(
            f"target_n = {TARGET}",
            wrong(
                "critic.rewards_pile_up",
                Mistake(
                    "Each set of targets is added to the one before.",
                    "What you add the future to has already got one: the rewards are no longer "
                    "the rewards when the targets are computed again. Which variable changes "
                    "inside the loop?",
                    FIT,
                ),
                f"rewards = {TARGET}\n        target_n = rewards",
                f"rewards += {TARGET.removeprefix('rewards + ')}\n        target_n = rewards",
            ),
            wrong(
                ARRAYS,
                None,
                "target_n = reward_n + self.gamma * (1 - terminal_n) * self.forward_np(next_ob_no)",
            ),
            wrong(
                "critic.advantage_as_target",
                Mistake(
                    "The critic is fitted to advantages.",
                    "V(s) should become the target itself; here its old value has been subtracted"
                    " already.",
                    FIT,
                ),
                f"target_n = {TARGET} - self(obs)",
            ),
            wrong(
                "critic.targets_standardized",
                Mistake(
                    "The targets are standardised.",
                    "A bootstrapped target is made of the critic's own values, so both must keep "
                    "one scale: standardised, they forget how much is to be had.",
                    FIT,
                ),
                f"target_n = {TARGET}\n        target_n = (target_n - target_n.mean()) / "
                "target_n.std()",
                f"target_n = {TARGET}\n        target_n = (target_n - target_n.mean()) / "
                "target_n.std(correction=0)",
            ),
            base="",
        ),
        site(
            "ptu.from_numpy(reward_n)",
            wrong(
                "critic.rewards_standardized",
                Mistake(
                    "The rewards of the batch are standardised first.",
                    "Values are sums of rewards as they are. The mean and spread of a batch "
                    "differ from iteration to iteration, and with them what the critic is asked "
                    "to learn.",
                    TD,
                ),
                "ptu.from_numpy((reward_n - reward_n.mean()) / (reward_n.std() + 1e-8))",
            ),
            wrong("critic.broadcast", BROADCAST, "ptu.from_numpy(reward_n)[:, None]"),
        ),
        site(
            "ptu.from_numpy(terminal_n)",
            wrong("critic.broadcast", BROADCAST, "ptu.from_numpy(terminal_n)[:, None]"),
        ),
        site(
            "    with torch.no_grad():\n        target_n = rewards + self.gamma "
            "* (1.0 - terminals)",
            wrong(
                "critic.mask_flips",
                Mistake(
                    "The terminal mask turns over each time the targets are computed.",
                    "The first targets are right, the second mask the wrong rows, and so on. "
                    "Which variable changes inside the loop?",
                    FIT,
                ),
                "    terminals = 1 - terminals\n    with torch.no_grad():\n"
                "        target_n = rewards + self.gamma * terminals",
            ),
            base="",
        ),
    ]


@secret(nothing)
def value_sites() -> Sequence[Site]:
    """Returns what may be done to the values of both states, and to the graph behind them."""
    late = "        loss.backward()\n        target_n.detach_()\n"
    kept = "loss.backward(retain_graph=True)"
    body = BACK + STEP
    return [
        site(
            "obs, next_obs =",
            wrong(
                "critic.states_swapped",
                Mistake(
                    "Present and next states have changed places.",
                    "The value of where a step led is fitted to that of where it began: time runs"
                    " backwards.",
                    TD,
                ),
                "next_obs, obs =",
            ),
            wrong(
                "critic.inputs_changed",
                Mistake(
                    "The update changes the arrays it was given.",
                    "They belong to whoever called, who goes on to estimate advantages with them."
                    " Operators such as += and indexed assignment work in place, and from_numpy "
                    "may share memory.",
                    "PyTorch documentation, torch.as_tensor",
                ),
                "ac_na += 1\nobs, next_obs =",
            ),
            base="",
        ),
        site(
            f"{CUT}\n        target_n = {TARGET}\n    for _ in {INNER}:\n        {LOSS}\n{body}",
            wrong(
                "critic.not_cut",
                NOT_CUT,
                f"if True:\n        target_n = {TARGET}\n    for _ in {INNER}:\n        {LOSS}\n"
                f"{body.replace('loss.backward()', kept)}",
            ),
            wrong(
                "critic.cut_late",
                Mistake(
                    "The targets are frozen one step too late.",
                    "The first gradient step on each set of targets still flows into them, the "
                    "later ones do not. When does the graph have to be left behind?",
                    AUTOGRAD,
                ),
                f"if True:\n        target_n = {TARGET}\n    for _ in {INNER}:\n        {LOSS}\n"
                f"        self.optimizer.zero_grad()\n{late}{STEP}",
            ),
            wrong(
                "critic.prediction_cut",
                PREDICTION_CUT,
                f"if True:\n        target_n = {TARGET}\n    for _ in {INNER}:\n"
                f"        loss = self.loss(self(obs).detach(), target_n)\n{body}",
            ),
            base="",
        ),
        site(CUT, wrong("critic.not_cut", NOT_CUT, "if True:"), base=""),
        site(".detach()\n", wrong("critic.not_cut", NOT_CUT, "\n"), base=IN_ONE),
        site(
            "self(next_obs)",
            wrong(
                "critic.target_of_present_state",
                Mistake(
                    "The targets are made of the values of the present states.",
                    "They ignore where the step led, so no value can travel back from a state to "
                    "those before.",
                    TD,
                ),
                "self(obs)",
            ),
        ),
        site(
            "self(obs), target_n",
            wrong(
                "critic.fits_next_state",
                Mistake(
                    "The values of the next states are fitted.",
                    "Which state is this target a value of? The reward was for leaving that one.",
                    TD,
                ),
                "self(next_obs), target_n",
            ),
            wrong("critic.prediction_cut", PREDICTION_CUT, "self(obs).detach(), target_n"),
            wrong("critic.broadcast", BROADCAST, "self(obs)[:, None], target_n"),
        ),
        site(
            "self.critic_network(obs).squeeze(1)",
            wrong("critic.broadcast", BROADCAST, "self.critic_network(obs)"),
        ),
        site(
            "* self(next_obs)",
            wrong("critic.broadcast", BROADCAST, "* self.critic_network(next_obs)"),
        ),
        site(
            LOSS,
            wrong(
                "critic.uphill",
                Mistake(
                    "The steps lead uphill.",
                    "The optimizer minimises what it is given; the error grows with every step.",
                    OPTIM,
                ),
                "loss = -self.loss(self(obs), target_n)",
            ),
            wrong(
                "critic.loss_not_squared",
                Mistake(
                    "The loss is not a squared error of each prediction.",
                    "Its gradient does not grow with the error; without a square, errors of both "
                    "signs even cancel. The mean of the targets is what a squared error finds.",
                    MSE,
                ),
                "loss = (target_n - self(obs)).mean()",
                "loss = (self(obs) - target_n).mean()",
                "loss = F.l1_loss(self(obs), target_n)",
                "loss = (self(obs) - target_n).mean() ** 2",
            ),
            wrong(
                "critic.loss_no_scalar",
                Mistake(
                    "The loss is not one number.",
                    "A gradient is that of a single number; yours has one for each row.",
                    "PyTorch documentation, torch.Tensor.backward",
                ),
                "loss = (self(obs) - target_n) ** 2",
            ),
            wrong(
                "critic.loss_no_tensor",
                LOSS_NO_TENSOR,
                f"{LOSS}.item()",
            ),
            wrong(
                "critic.graph_kept",
                Mistake(
                    "A loss is kept together with the whole computation behind it.",
                    "Summed up as it is, it keeps the graph of every step alive, and memory grows"
                    " for ever. To log it, a plain number will do.",
                    "PyTorch documentation, Frequently Asked Questions, 'My model reports out of "
                    "memory'",
                ),
                f"{LOSS}\n        self.total = loss + 0",
            ),
        ),
    ]


@secret(nothing)
def one_loop_site() -> Sequence[Site]:
    """Returns what may be done to the turn of new targets."""
    return [
        site(
            NEW,
            wrong("critic.targets_every_step", TARGETS_EVERY_STEP, "True"),
            wrong(
                "critic.targets_once",
                Mistake(
                    "The targets are computed only once.",
                    "The critic improves, but its targets do not learn of it until the next "
                    "iteration.",
                    FIT,
                ),
                "i == 0",
            ),
            wrong("critic.loops_swapped", LOOPS_SWAPPED, "i % self.num_target_updates == 0"),
            base=IN_ONE,
        ),
    ]


@secret(nothing)
def schedule_sites() -> Sequence[Site]:
    """Returns what may be done to the two loops."""
    product = "range(self.num_target_updates * self.num_grad_steps_per_target_update)"
    target = f"    {CUT}\n        target_n = {TARGET}\n"
    return [
        site(
            f"for _ in {OUTER}:\n{target}    for _ in {INNER}:",
            wrong(
                "critic.loops_swapped",
                LOOPS_SWAPPED,
                f"for _ in {INNER}:\n{target}    for _ in {OUTER}:",
            ),
            wrong(
                "critic.too_few_steps",
                TOO_FEW_STEPS,
                f"for _ in range(1):\n{target}    for _ in range(1):",
            ),
            base="",
        ),
        site(
            f"{target}    for _ in {INNER}:\n",
            wrong(
                "critic.targets_every_step",
                TARGETS_EVERY_STEP,
                f"    for _ in {INNER}:\n        {CUT}\n            target_n = {TARGET}\n",
            ),
            base="",
        ),
        site(
            f"for _ in {OUTER}:\n{target}    for _ in {INNER}:\n        {LOSS}\n{BACK}",
            wrong(
                "critic.prediction_kept",
                Mistake(
                    "V(s) is not computed again for each gradient step.",
                    "After a step the critic says something else. Later steps on the old "
                    "prediction repeat the first one, or fail since its graph is gone. What is "
                    "inside which loop?",
                    FIT,
                ),
                *(
                    f"{begin}for _ in {OUTER}:\n{target}{middle}{BACK.replace(PLAIN, back)}"
                    for begin, middle in (
                        ("", f"    {LOSS}\n    for _ in {INNER}:\n"),
                        (
                            "v_n = self(obs)\n",
                            f"    for _ in {INNER}:\n        loss = self.loss(v_n, target_n)\n",
                        ),
                    )
                    for back in (PLAIN, "loss.backward(retain_graph=True)")
                ),
            ),
            base="",
        ),
        site(
            OUTER,
            wrong("critic.nested_twice", NESTED_TWICE, product),
            wrong("critic.one_count_twice", ONE_COUNT_TWICE, INNER),
            wrong("critic.too_few_steps", TOO_FEW_STEPS, "range(1)"),
            wrong(
                "critic.loop_off_by_one",
                LOOP_OFF_BY_ONE,
                "range(self.num_target_updates + 1)",
                "range(1, self.num_target_updates)",
            ),
            base="",
        ),
        site(
            INNER,
            wrong("critic.nested_twice", NESTED_TWICE, product),
            wrong("critic.one_count_twice", ONE_COUNT_TWICE, OUTER),
            wrong("critic.too_few_steps", TOO_FEW_STEPS, "range(1)"),
            wrong(
                "critic.loop_off_by_one",
                LOOP_OFF_BY_ONE,
                "range(self.num_grad_steps_per_target_update + 1)",
                "range(1, self.num_grad_steps_per_target_update)",
            ),
            base="",
        ),
    ]


@secret(nothing)
def step_sites() -> Sequence[Site]:
    """Returns what may be done to the gradient step."""
    return [
        site(
            BACK,
            wrong(
                "critic.gradients_pile_up",
                GRADIENTS_PILE_UP,
                "        loss.backward()\n",
            ),
            wrong(
                "critic.gradients_zeroed",
                Mistake(
                    "The gradients are cleared before they are used.",
                    "The optimizer steps, but there is nothing left to step along: no weight ever"
                    " changes. Mind the order of the three calls.",
                    OPTIM,
                ),
                "        loss.backward()\n        self.optimizer.zero_grad()\n",
            ),
            wrong(
                "critic.no_backward",
                Mistake(
                    "The optimizer steps, but no gradient is ever computed.",
                    "No weight changes, and nothing complains about it.",
                    OPTIM,
                ),
                "        self.optimizer.zero_grad()\n",
            ),
            base="",
        ),
        site(
            f"    {CUT}\n        target_n = {TARGET}\n    for _ in {INNER}:\n"
            f"        {LOSS}\n{BACK}",
            wrong(
                "critic.gradients_pile_up",
                GRADIENTS_PILE_UP,
                f"    self.optimizer.zero_grad()\n    {CUT}\n        target_n = {TARGET}\n"
                f"    for _ in {INNER}:\n        {LOSS}\n        loss.backward()\n",
            ),
            base="",
        ),
        site(
            STEP,
            wrong("critic.loss_no_tensor", LOSS_NO_TENSOR, f"{STEP}\n        loss = loss.item()"),
            wrong(
                "critic.no_step",
                Mistake(
                    "The optimizer takes no step.",
                    "No weight of the critic ever changes, whatever its loss says.",
                    OPTIM,
                ),
                "",
            ),
            base="",
        ),
    ]


def left_as_given(seen: Observation, verdict: Judgement) -> None:
    """Older handouts end in a line that reads `loss`, which an empty blank does not make."""
    crash = seen["one"].crash if "one" in seen else None
    if crash and ends_as_given(crash) and bool(seen["one"].arrays.get("no_backward")):
        verdict.blank = True


QUESTION = Question(
    "hw3.critic.update",
    "hw3.probes.critic_update:probe",
    sites,
    bases,
    most=2,
    everywhere=False,
    facts=(left_as_given,),
)
