"""Mistakes and right forms of DQN's Bellman targets and of double Q-learning."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

TARGETS, DOUBLE = "hw3.dqn.targets", "hw3.dqn.double_q"
FILE = "critics/dqn_critic.py"
MAX = "self.q_net_target(next_ob_no).max(dim=1).values"
MASK = "(1.0 - terminal_n)"
SUM = f"reward_n + self.gamma * {MASK} * q_tp1"
OWN = "self.double_q_values(next_ob_no)"
ARGMAX = "self.q_net(next_ob_no).argmax(dim=1)"
GATHER = "torch.gather(qa_tp1_values, 1, next_ac_n.unsqueeze(1)).squeeze(1)"
OLDER = """
if self.double_q:
    q_tp1 = self.double_q_values(next_ob_no)
else:
    q_tp1, _ = self.q_net_target(next_ob_no).max(dim=1)
target = reward_n + self.gamma * (1 - terminal_n) * q_tp1
target = target.detach()
"""


def target(source: str, misconception: str, *changes: tuple[str, str]) -> Entry:
    """A change of the targets."""
    return wrong(source, TARGETS, misconception, *changes)


def double(source: str, misconception: str, *changes: tuple[str, str]) -> Entry:
    """A change of double Q."""
    return wrong(source, DOUBLE, misconception, *changes)


def step(source: str, misconception: str, *changes: tuple[str, str]) -> Entry:
    """A change of the gradient step, which is given, around the targets."""
    return wrong(source, FILE, misconception, *changes, check=TARGETS)


ENTRIES = [
    target("Q11", "target.online_net", ("self.q_net_target(", "self.q_net(")),
    target("Q12", "target.no_mask", (f" * {MASK}", "")),
    target("Q14", "target.mask_not_one_minus", (MASK, "~terminal_n")),
    target("Q14", "target.mask_not_one_minus", (MASK, "(~terminal_n.long()).float()")),
    target("Q15", "target.mask_of_whole_batch", (MASK, "int(not terminal_n)")),
    target("Q16", "target.mask_doubled", (MASK, "(1 + (1 - terminal_n))")),
    target("", "target.mask_inverted", (MASK, "terminal_n")),
    target("Q18", "target.reward_discounted", (SUM, f"self.gamma * (reward_n + q_tp1 * {MASK})")),
    wrong("Q19", TARGETS, ("target.reward_discounted", "target.minus"),
          (SUM, f"self.gamma * (reward_n - {MASK} * q_tp1)")),
    target("", "target.minus", ("reward_n +", "reward_n -")),
    target("Q20", "target.reward_masked", (SUM, f"(reward_n + self.gamma * q_tp1) * {MASK}")),
    target("Q21", "target.taken_action", (MAX, "self.q_net_target(next_ob_no).gather(1, ac_na.unsqueeze(1)).squeeze(1)")),
    target("Q22", "target.index_as_value", ("max(dim=1).values", "argmax(dim=1)")),
    target("Q23", "target.mean_over_actions", ("max(dim=1).values", "mean(dim=1)")),
    target("Q23", "target.min_over_actions", ("max(dim=1).values", "min(dim=1).values")),
    target("", "target.max_over_batch", ("max(dim=1).values", "max()")),
    target("", "target.sum_over_actions", ("max(dim=1).values", "sum(dim=1)")),
    target("Q26", "target.not_reduced", (MAX, "self.q_net_target(next_ob_no)"), (SUM, f"reward_n[:, None] + self.gamma * q_tp1 * {MASK}[:, None]")),
    target("Q26", "target.not_reduced", (MAX, "self.q_net_target(next_ob_no)")),
    target("", "target.shape", (SUM, f"({SUM}).unsqueeze(1)")),
    target("", "target.broadcast", (SUM, f"reward_n[:, None] + self.gamma * {MASK} * q_tp1")),
    wrong("Q28", TARGETS, ("target.not_cut", "target.online_net"), ("with torch.no_grad()", "if True"), ("self.q_net_target(", "self.q_net(")),
    wrong("Q29", TARGETS, ("target.not_cut",), body=OLDER.replace("target = target.detach()", "target.detach()")),
    target("", "target.not_cut", ("with torch.no_grad()", "if True")),
    target("Q38", "target.reward_sign_at_end", (SUM, f"torch.where(terminal_n > 0, -reward_n, reward_n) + self.gamma * {MASK} * q_tp1")),
    target("D35", "target.reward_clipped", (SUM, f"torch.sign(reward_n) + self.gamma * {MASK} * q_tp1")),
    target("", "target.no_discount", ("self.gamma * ", "")),
    target("", "target.discount_twice", ("self.gamma *", "self.gamma ** 2 *")),
    target("", "target.reward_missing", ("reward_n + ", "")),
    target("", "target.reward_sign", ("reward_n + ", "-reward_n + ")),
    target("", "target.present_state", ("_target(next_ob_no)", "_target(ob_no)")),
    target("", "target.row_below", (MAX, "torch.cat([self.q_net_target(ob_no).max(dim=1).values[1:], torch.zeros(1)])")),
    target("", "crash.no_such_axis", (MAX, f"{MAX}.squeeze(1)")),
    target("", "target.no_future", (SUM, "reward_n + 0 * q_tp1")),
    target("", "target.double_q_ignored", ("if self.double_q", "if False")),
    target("", "target.double_q_of_wrong_states", ("self.double_q_values(next_ob_no)", "self.double_q_values(ob_no)")),
    target("", "target.double_q_unasked", (MAX, "self.double_q_values(next_ob_no)")),
    target("", "double_q.present_state_selects", (OWN, "self.q_net_target(next_ob_no).gather(1, qa_t_values.argmax(1, keepdim=True)).squeeze(1)")),
    target("", "double_q.online_evaluates", (OWN, "self.q_net(next_ob_no).max(1)[0]")),
    right("", TARGETS, (OWN, "self.q_net_target(next_ob_no).gather(1, self.q_net(next_ob_no).argmax(1, keepdim=True)).squeeze(1)")),
    target("", "target.reward_clipped", ("reward_n +", "reward_n.clamp(-1, 1) +")),
    target("", "target.clipped", (SUM, f"({SUM}).clamp(-1, 1)")),
    right("", TARGETS, body="""
        mask = terminal_n < 1
        q_tp1 = torch.zeros_like(reward_n)
        with torch.no_grad():
            some = next_ob_no[mask]
            q_tp1[mask] = self.double_q_values(some) if self.double_q else self.q_net_target(some).max(1).values
        target = reward_n + self.gamma * q_tp1
    """),
    target("", "crash.unknown_name", ("reward_n +", "re_n +")),
    target("", "crash.unknown_name", (OWN, "self.q_net_target(next_ob_no).gather(1, best.unsqueeze(1)).squeeze(1)")),
    target("", "crash.unpacked", (OWN, "0\n        _, best = self.q_net(next_ob_no).argmax(dim=1)")),
    target("", "crash.one_path", ("q_tp1 = self.q_net_target", "q_next = self.q_net_target")),
    step("Q31", "gradient.no_step", ("        self.optimizer.zero_grad()\n        loss.backward()\n", "        loss.backward()\n        self.optimizer.zero_grad()\n")),
    step("Q32", "gradient.not_clipped", ("        fast.clip_grad_value_(self.weights, self.grad_norm_clipping)\n", "")),
    step("Q32", "gradient.not_clipped", ("clip_grad_value_(self.weights", "clip_grad_value_(self.q_net_target.parameters()")),
    step("Q33", "gradient.not_clipped", ("        fast.clip_grad_value_(self.weights, self.grad_norm_clipping)\n        self.optimizer.step()\n", "        self.optimizer.step()\n        fast.clip_grad_value_(self.weights, self.grad_norm_clipping)\n")),
    step("Q40", "gradient.large_errors_ignored", ("loss = self.loss(q_t_values, target)", "loss = ((q_t_values - target).clamp(-1, 1) ** 2).mean()")),
    step("U08", "crash.no_graph", ("        qa_t_values = self.q_net(ob_no)", "        torch.set_grad_enabled(False)\n        qa_t_values = self.q_net(ob_no)")),
    step("U08", "target.prediction_cut", ("loss = self.loss(q_t_values, target)", "loss = self.loss(q_t_values.detach(), target)")),
    step("", "gradient.uphill", ("loss = self.loss(q_t_values, target)", "loss = -self.loss(q_t_values, target)")),
    step("", "gradient.no_step", ("        self.optimizer.step()\n", "")),
    step("", "gradient.pile_up", ("        self.optimizer.zero_grad()\n", "")),
    double("Q02", "double_q.target_selects", (ARGMAX, "self.q_net_target(next_ob_no).argmax(dim=1)")),
    double("Q03", "double_q.online_evaluates", ("self.q_net_target(next_ob_no)", "self.q_net(next_ob_no)")),
    double("", "double_q.online_evaluates", ("q_tp1 = ", "q_tp1 = self.q_net(next_ob_no).max(1).values  #")),
    wrong("", DOUBLE, "double_q.networks_swapped", ("self.q_net(", "self.q_net_tmp("), ("self.q_net_target(", "self.q_net("), ("self.q_net_tmp(", "self.q_net_target(")),
    double("Q06", "double_q.unpacked_argmax", ("next_ac_n =", "_, next_ac_n =")),
    double("Q08", "double_q.shifted", (ARGMAX, f"{ARGMAX} - 1")),
    double("Q08", "double_q.shifted", ("next_ac_n.unsqueeze(1)", "(next_ac_n.unsqueeze(1) - 1) % self.ac_dim")),
    double("", "double_q.worst_action", ("argmax", "argmin")),
    double("", "double_q.index_as_value", (GATHER, "next_ac_n.float()")),
    double("", "double_q.mean_over_actions", (GATHER, "qa_tp1_values.mean(1)")),
    double("", "double_q.shape", (".squeeze(1)", "")),
    double("", "double_q.all_columns", (GATHER, "qa_tp1_values[:, next_ac_n]")),
    double("", "double_q.not_reduced", (GATHER, "qa_tp1_values")),
    double("", "double_q.gather", ("next_ac_n.unsqueeze(1)", "next_ac_n")),
    double("", "double_q.gather", ("torch.gather(qa_tp1_values, 1", "torch.gather(qa_tp1_values, 2")),
    right("V05", TARGETS, body=OLDER),
    right("V05", TARGETS, (f"target = {SUM}", f"target = {SUM}\n    target.detach_()")),
    *[right("V10", TARGETS, (MASK, mask)) for mask in (
        "(1 - terminal_n)", "~terminal_n.bool()", "torch.logical_not(terminal_n)", "(terminal_n == 0)",
        "(terminal_n == False).type(torch.uint8)", "-(terminal_n - 1)", "(terminal_n < 0.5).float()")],
    right("V10", TARGETS, (SUM, "reward_n + self.gamma * q_tp1.masked_fill(terminal_n.bool(), 0.0)")),
    right("V10", TARGETS, (SUM, "reward_n + self.gamma * torch.where(terminal_n > 0, torch.zeros_like(q_tp1), q_tp1)")),
    right("V10", TARGETS, (f"target = {SUM}", "q_tp1[terminal_n == 1] = 0\n    target = reward_n + self.gamma * q_tp1")),
    right("V17", TARGETS, (MAX, "self.q_net_target(next_ob_no).max(1)[0]")),
    right("V17", TARGETS, (MAX, "torch.amax(self.q_net_target(next_ob_no), 1)")),
    right("V17", TARGETS, (MAX, "self.q_net_target(next_ob_no).topk(1).values.squeeze(1)")),
    right("V17", TARGETS, (MAX, "torch.stack([row.max() for row in self.q_net_target(next_ob_no)])")),
    right("V52", TARGETS, (f"target = {SUM}", f"target = ({SUM}).double().float()")),
    right("V05", TARGETS, (f"target = {SUM}", "target = torch.as_tensor(reward_n.numpy() + self.gamma * (1 - terminal_n.numpy()) * q_tp1.numpy())")),
    right("", TARGETS, (f"target = {SUM}", f"print('debug' * 10)\n    import warnings; warnings.warn('mind')\n    target = {SUM}")),
    right("V49", TARGETS, (f"target = {SUM}", f"target = None\n    target = {SUM}")),
    right("V01", FILE, ("self.loss(q_t_values, target)", "self.loss(q_t_values, target) * batch_size"), check=TARGETS),
    right("V07", FILE, ("        self.optimizer.zero_grad()\n        loss.backward()", "        loss.backward()"), ("        self.optimizer.step()\n", "        self.optimizer.step()\n        self.optimizer.zero_grad()\n"), check=TARGETS),
    right("V37", FILE, ("fast.clip_grad_value_(", "nn.utils.clip_grad_norm_("), check=TARGETS),
    right("V17", DOUBLE, (ARGMAX, "self.q_net(next_ob_no).max(1)[1]")),
    right("V17", DOUBLE, (ARGMAX, "self.q_net(next_ob_no).detach().max(1).indices")),
    right("", DOUBLE, (GATHER, "qa_tp1_values[torch.arange(len(next_ac_n)), next_ac_n]")),
    right("", DOUBLE, (GATHER, "(qa_tp1_values * torch.nn.functional.one_hot(next_ac_n, self.ac_dim)).sum(1)")),
    right("", DOUBLE, (GATHER, "torch.einsum('na,na->n', qa_tp1_values, torch.eye(self.ac_dim)[next_ac_n])")),
    right("", DOUBLE, (GATHER, "qa_tp1_values.gather(1, next_ac_n.view(-1, 1)).view(-1)")),
    right("", DOUBLE, (GATHER, "torch.stack([q[a] for q, a in zip(qa_tp1_values, next_ac_n)])")),
    right("V52", DOUBLE, (GATHER, f"{GATHER}.double()")),
]  # fmt: skip
