"""Mistakes and right forms of the bootstrapped critic's fit."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

UPDATE, CRITIC = "hw3.critic.update", "critics/bootstrapped_continuous_critic.py"
NO_GRAD = ("with torch.no_grad():", "if True:")
OUTER = "range(self.num_target_updates)"
INNER = "range(self.num_grad_steps_per_target_update)"
TARGET = "rewards + self.gamma * (1.0 - terminals) * self(next_obs)"
LOSS = "loss = self.loss(self(obs), target_n)"
FLAT = """
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
for i in range(self.num_target_updates * self.num_grad_steps_per_target_update):
    if i % self.num_grad_steps_per_target_update == 0:
        next_v = self(next_obs)
        target_n = (rewards + self.gamma * next_v * (1 - terminals)).detach()
    loss = self.loss(self(obs), target_n)
    self.optimizer.zero_grad()
    loss.backward()
    self.optimizer.step()
"""
NUMPY = """
for _ in range(self.num_target_updates):
    next_v_n = self.forward_np(next_ob_no)
    next_v_n[terminal_n == 1] = 0
    target_n = ptu.from_numpy(reward_n.astype(np.float64) + self.gamma * next_v_n)
    for _ in range(self.num_grad_steps_per_target_update):
        self.optimizer.zero_grad()
        loss = F.mse_loss(target_n, self.forward(ptu.from_numpy(ob_no)), reduction="sum")
        loss.backward()
        self.optimizer.step()
"""
COLUMNS = """
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n)[:, None], ptu.from_numpy(terminal_n)[:, None]
for _ in range(self.num_target_updates):
    target_n = rewards + self.gamma * (1 - terminals) * self.critic_network(next_obs)
    target_n.detach_()
    for _ in range(self.num_grad_steps_per_target_update):
        loss = ((target_n - self.critic_network(obs)) ** 2).mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
"""


def fit(source: str, misconceptions: str | tuple[str, ...], *changes: tuple[str, str]) -> Entry:
    """A change of the critic's fit."""
    return wrong(source, UPDATE, misconceptions, *changes)


def flat(source: str, misconceptions: str | tuple[str, ...], *changes: tuple[str, str]) -> Entry:
    """A change of the fit in one loop."""
    return wrong(source, UPDATE, misconceptions, *changes, body=FLAT)


def fitted(*changes: tuple[str, str], source: str = "", body: str | None = None) -> Entry:
    """Another right form of the fit."""
    return right(source, UPDATE, *changes, body=body)


def loops(text: str) -> tuple[str, str]:
    """Replaces the inner loop's head."""
    return (INNER, text)


FIT_WRONG = [
    fit("C01", "critic.not_cut", NO_GRAD),
    fit("C02", "critic.cut_late", NO_GRAD,
        ("loss.backward()", "loss.backward()\n        target_n.detach_()")),
    fit("C03", "critic.not_cut", NO_GRAD, ("(1.0 - terminals)", "(1.0 - terminals).detach()")),
    fit("C04", "critic.prediction_cut", NO_GRAD, ("self.loss(self(obs),", "self.loss(self(obs).detach(),")),
    fit("C04", "critic.prediction_cut", ("self.loss(self(obs),", "self.loss(self(obs).detach(),")),
    fit("", "critic.not_cut", NO_GRAD, ("backward()", "backward(retain_graph=True)")),
    fit("C05", "critic.loops_swapped", (OUTER, "range(0)"), (INNER, OUTER), ("range(0)", INNER)),
    fit("", ("critic.loops_swapped", "critic.not_cut"), (OUTER, "range(0)"), (INNER, OUTER), ("range(0)", INNER), NO_GRAD),
    fit("C06", "critic.nested_twice", (OUTER, "range(self.num_target_updates * self.num_grad_steps_per_target_update)")),
    fit("", "critic.nested_twice", (INNER, "range(self.num_target_updates * self.num_grad_steps_per_target_update)")),
    flat("C07", "critic.targets_every_step", ("if i % self.num_grad_steps_per_target_update == 0:", "if True:")),
    flat("C07", ("critic.targets_every_step", "critic.not_cut"),
         ("if i % self.num_grad_steps_per_target_update == 0:", "if True:"), (".detach()", "")),
    wrong("C08", UPDATE, "critic.too_few_steps", body="""
        obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
        rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
        for i in range(self.num_target_updates * self.num_grad_steps_per_target_update):
            if i % self.num_grad_steps_per_target_update == 0:
                target_n = (rewards + self.gamma * (1 - terminals) * self(next_obs)).detach()
                loss = self.loss(self(obs), target_n)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
    """),
    fit("", ("critic.one_count_twice", "critic.targets_every_step"), (OUTER, INNER), ("        loss = self.loss", "        target_n = target_n * 0 + rewards + self.gamma * (1.0 - terminals) * self(next_obs).detach()\n        loss = self.loss")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = F.smooth_l1_loss(self(obs), target_n)")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = F.huber_loss(self(obs), target_n, reduction='sum')")),
    fit("", "critic.too_few_steps", (INNER, "range(1)")),
    fit("", "critic.too_few_steps", (OUTER, "range(1)")),
    fit("", "critic.too_few_steps", (OUTER, "range(1)"), (INNER, "range(1)")),
    flat("", "critic.targets_once", ("if i % self.num_grad_steps_per_target_update == 0:", "if i == 0:")),
    flat("", ("critic.not_cut", "critic.targets_once"),
         ("if i % self.num_grad_steps_per_target_update == 0:", "if i == 0:"), (".detach()", "")),
    flat("", "critic.loops_swapped", ("i % self.num_grad_steps_per_target_update", "i % self.num_target_updates")),
    fit("", "critic.one_count_twice", (OUTER, INNER)),
    fit("", "critic.one_count_twice", (INNER, OUTER)),
    fit("", "critic.loop_off_by_one", (INNER, "range(self.num_grad_steps_per_target_update + 1)")),
    fit("", "critic.loop_off_by_one", (OUTER, "range(self.num_target_updates + 1)")),
    fit("", "critic.loop_off_by_one", (INNER, "range(1, self.num_grad_steps_per_target_update)")),
    fit("", "critic.loop_off_by_one", (OUTER, "range(1, self.num_target_updates)")),
    fit("C12", "critic.no_discount", ("self.gamma * ", "")),
    fit("C13", "critic.mask_precedence", (TARGET, "rewards + self.gamma * (self(next_obs) * 1 - terminals)")),
    fit("C13", "critic.mask_precedence", (TARGET, "rewards + self.gamma * self(next_obs) * 1 - terminals")),
    fit("", "critic.mask_precedence", (TARGET, "rewards + self.gamma * 1 - terminals * self(next_obs)")),
    fit("", "critic.mask_precedence", (TARGET, "rewards + self.gamma * (1 - terminals * self(next_obs))")),
    fit("C14", "critic.fits_next_state", ("self(obs)", "self(next_obs)")),
    fit("C15", "critic.target_of_present_state", ("self(next_obs)", "self(obs)")),
    fit("", "critic.states_swapped", ("obs, next_obs =", "next_obs, obs =")),
    fit("C16", "critic.no_mask", ("(1.0 - terminals) * ", "")),
    fit("C16", "critic.mask_inverted", ("(1.0 - terminals)", "terminals")),
    fit("", "critic.mask_doubled", ("(1.0 - terminals)", "(1 + (1.0 - terminals))")),
    fit("", "critic.mask_not_one_minus", ("(1.0 - terminals)", "(~terminals.long())")),
    fit("", "critic.mask_not_one_minus", ("(1.0 - terminals)", "(~terminals)")),
    fit("", "critic.mask_not_one_minus", ("(1.0 - terminals)", "ptu.from_numpy(~terminal_n)")),
    fit("", ("critic.mask_inverted", "critic.minus"), ("(1.0 - terminals)", "-terminals")),
    fit("", "critic.minus", ("(1.0 - terminals)", "(terminals - 1)")),
    fit("", "critic.mask_of_whole_batch", ("(1.0 - terminals)", "(0 if terminal_n else 1)")),
    fit("", "critic.mask_of_whole_batch", ("(1.0 - terminals)", "(not terminals)")),
    fit("", "critic.mask_flips", ("    with torch", "    terminals = 1 - terminals\n    with torch"), ("(1.0 - terminals)", "terminals")),
    fit("C18", "crash.array_and_tensor", ("self(next_obs)", "self(next_ob_no)")),
    fit("C18", "crash.array_and_tensor", ("self(next_obs)", "self(next_obs).numpy()"), NO_GRAD),
    fit("", "crash.array_and_tensor", ("ptu.from_numpy(reward_n)", "reward_n"), (TARGET, "self(next_obs) * self.gamma * (1 - terminals) + rewards"), NO_GRAD),
    fit("", "crash.dtypes", ("ptu.from_numpy(ob_no)", "torch.tensor(ob_no, dtype=torch.float64)")),
    fit("", "crash.unknown_name", ("self.gamma", "gamma")),
    fit("", "critic.discount_twice", ("self.gamma *", "self.gamma ** 2 *")),
    fit("", "critic.rewards_standardized", ("ptu.from_numpy(reward_n)", "ptu.from_numpy((reward_n - reward_n.mean()) / (reward_n.std() + 1e-8))")),
    fit("", "critic.targets_standardized", ("    for _ in range(self.num_grad", "    target_n = (target_n - target_n.mean()) / (target_n.std() + 1e-8)\n    for _ in range(self.num_grad")),
    fit("", "critic.targets_standardized", (TARGET, "ptu.from_numpy(reward_n + self.gamma * (1 - terminal_n) * self.forward_np(next_ob_no))\n        target_n = (target_n - target_n.mean()) / target_n.std(unbiased=False)")),
    *(
        fit("", "critic.prediction_kept", (f"    for _ in {INNER}:\n        {LOSS}", f"    {LOSS}\n    for _ in {INNER}:\n        pass"), ("backward()", backward))
        for backward in ("backward()", "backward(retain_graph=True)")
    ),
    *(
        fit("", "critic.prediction_kept", ("for _ in", "v_n = self(obs)\nfor _ in"), (LOSS, "loss = self.loss(v_n, target_n)"), ("backward()", backward))
        for backward in ("backward()", "backward(retain_graph=True)")
    ),
    fit("", "crash.array_and_tensor", (TARGET, "reward_n + self.gamma * (1 - terminal_n) * self.forward_np(next_ob_no)")),
    fit("", "critic.reward_clipped", ("ptu.from_numpy(reward_n)", "ptu.from_numpy(np.clip(reward_n, -1, 1))")),
    fit("", "critic.clipped", (TARGET, f"torch.clamp({TARGET}, -1, 1)")),
    fit("", "critic.no_future", (TARGET, "rewards")),
    fit("", "critic.minus", ("rewards + ", "rewards - ")),
    fit("", "critic.reward_missing", ("rewards + ", "")),
    fit("", "critic.reward_sign", ("rewards + ", "-rewards + ")),
    fit("", "critic.reward_discounted", (TARGET, "self.gamma * (rewards + (1 - terminals) * self(next_obs))")),
    fit("", "critic.reward_masked", (TARGET, "(rewards + self.gamma * self(next_obs)) * (1 - terminals)")),
    fit("", "critic.rewards_pile_up", (f"target_n = {TARGET}", "rewards += self.gamma * (1.0 - terminals) * self(next_obs)\n        target_n = rewards")),
    fit("", "critic.rewards_pile_up", (f"target_n = {TARGET}", f"rewards = {TARGET}\n        target_n = rewards")),
    fit("", "critic.inputs_changed", ("obs, next_obs =", "terminal_n[:] = 1 - terminal_n\nobs, next_obs ="), ("(1.0 - terminals)", "terminals")),
    fit("", "critic.advantage_as_target", (TARGET, TARGET + " - self(obs)")),
    fit("", "critic.broadcast", ("self(obs)", "self.critic_network(obs)")),
    fit("", "critic.broadcast", ("self(next_obs)", "self.critic_network(next_obs)")),
    fit("", "critic.broadcast", ("ptu.from_numpy(reward_n)", "ptu.from_numpy(reward_n)[:, None]")),
    fit("", "critic.broadcast", ("ptu.from_numpy(terminal_n)", "ptu.from_numpy(terminal_n).unsqueeze(1)")),
    fit("", "critic.broadcast", ("self(obs)", "self.critic_network(obs)"), ("self(next_obs)", "self.critic_network(next_obs)")),
    wrong("", CRITIC, "critic.broadcast", ("self.critic_network(obs).squeeze(1)", "self.critic_network(obs)"), check=UPDATE),
    fit("", "critic.uphill", ("loss = self", "loss = -self")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = (target_n - self(obs)).mean()")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = (self(obs) - target_n).sum()")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = F.l1_loss(self(obs), target_n)")),
    fit("", "critic.loss_not_squared", (LOSS, "loss = (self(obs) - target_n).mean() ** 2")),
    fit("", "critic.loss_no_scalar", (LOSS, "loss = (self(obs) - target_n) ** 2")),
    fit("", "critic.loss_no_tensor", ("self.optimizer.step()", "self.optimizer.step()\n        loss = loss.item()")),
    fit("", "critic.no_step", ("\n        self.optimizer.step()", "")),
    fit("", "critic.no_backward", ("        loss.backward()\n", "")),
    fit("", "critic.gradients_zeroed", ("self.optimizer.zero_grad()\n        loss.backward()", "loss.backward()\n        self.optimizer.zero_grad()")),
    fit("", "critic.gradients_pile_up", ("        self.optimizer.zero_grad()\n", "")),
    fit("", "critic.gradients_pile_up", ("        self.optimizer.zero_grad()\n", ""), ("    with torch", "    self.optimizer.zero_grad()\n    with torch")),
    fit("", ("critic.not_cut", "critic.no_mask"), NO_GRAD, ("(1.0 - terminals) * ", "")),
    fit("", ("critic.not_cut", "critic.no_discount"), NO_GRAD, ("self.gamma * ", "")),
    fit("", ("critic.no_mask", "critic.no_discount"), ("self.gamma * (1.0 - terminals) * ", "")),
    fit("", ("critic.no_mask", "critic.no_discount", "critic.loops_swapped"), ("self.gamma * (1.0 - terminals) * ", ""),
        (OUTER, "range(0)"), (INNER, OUTER), ("range(0)", INNER)),
    fit("", ("critic.broadcast", "critic.not_cut"), NO_GRAD, ("self(obs)", "self.critic_network(obs)")),
    fit("", ("critic.gradients_pile_up", "critic.no_mask"), ("        self.optimizer.zero_grad()\n", ""), ("(1.0 - terminals) * ", "")),
    flat("", ("critic.targets_every_step", "critic.mask_inverted"),
         ("if i % self.num_grad_steps_per_target_update == 0:", "if True:"), ("(1 - terminals)", "terminals")),
]  # fmt: skip
FIT_RIGHT = [
    fitted(source="V06", body=FLAT),
    fitted(source="V05", body=NUMPY),
    fitted(source="V07", body=COLUMNS),
    fitted(NO_GRAD, (TARGET, f"({TARGET}).detach()"), source="V05"),
    fitted(NO_GRAD, ("self(next_obs)", "self(next_obs).detach()"), source="V05"),
    fitted(NO_GRAD, ("self(next_obs)", "ptu.from_numpy(ptu.to_numpy(self(next_obs)))"), source="V05"),
    fitted(NO_GRAD, ("target_n = rewards", "target_n = self(next_obs).data * 0 + rewards"), ("self(next_obs)\n", "self(next_obs).data\n"), source="V05"),
    fitted(("self(obs), target_n", "target_n, self(obs)"), source="V19"),
    fitted((LOSS, "loss = torch.sum((self(obs) - target_n) ** 2)"), source="V01"),
    fitted((LOSS, "loss = 0.5 * nn.MSELoss()(self.critic_network(obs).squeeze(-1), target_n)")),
    fitted((LOSS, "loss = self.loss(self(obs).unsqueeze(1), target_n.view(-1, 1))"), source="V54"),
    fitted((LOSS, "loss = sum((self(obs)[i] - target_n[i]) ** 2 for i in range(len(obs))) / len(obs)")),
    fitted((LOSS, "loss = torch.einsum('i,i->', self(obs) - target_n, self(obs) - target_n) / len(obs)")),
    fitted(("self.optimizer.zero_grad()\n        loss.backward()\n        self.optimizer.step()",
            "loss.backward()\n        self.optimizer.step()\n        self.optimizer.zero_grad()"), source="V07"),
    fitted(("self.optimizer.zero_grad()", "self.zero_grad()")),
    fitted(("backward()", "backward(retain_graph=True)")),
    fitted((LOSS, "loss = (self(obs) - target_n).norm()")),
    fitted(("        loss.backward()", "        loss.backward()\n        nn.utils.clip_grad_norm_(self.parameters(), 0.1)")),
    fitted((LOSS, "def closure():\n            self.optimizer.zero_grad()\n            loss = self.loss(self(obs), target_n)\n            loss.backward()\n            return loss"),
           ("        self.optimizer.zero_grad()\n        loss.backward()\n        self.optimizer.step()", "        loss = self.optimizer.step(closure)")),
    fitted(("obs, next_obs =", "print(len(ob_no))\nobs, next_obs =")),
    fitted((f"target_n = {TARGET}", f"target_n = {TARGET}\n    print('new targets')")),
    fitted(("self(next_obs)", "self(next_obs.requires_grad_(False))")),
    *(
        fitted(("(1.0 - terminals)", mask), source="V10")
        for mask in (
            "(1 - terminals)", "~terminals.bool()", "torch.logical_not(terminals)", "(terminals == 0)",
            "(terminals == False).type(torch.uint8)", "-(terminals - 1)", "(terminals != 1).float()",
            "ptu.from_numpy(np.where(terminal_n, 0, 1))", "ptu.from_numpy(np.logical_not(terminal_n))",
            "ptu.from_numpy(1 - terminal_n)", "torch.where(terminals > 0, 0.0, 1.0)",
        )
    ),
    fitted((f"target_n = {TARGET}", "v = self(next_obs)\n        v[terminals == 1] = 0.0\n        target_n = rewards + self.gamma * v"), source="V10"),
    fitted((f"target_n = {TARGET}", "v = self(next_obs).masked_fill(terminals.bool(), 0)\n        target_n = rewards + self.gamma * v"), source="V10"),
    fitted((f"target_n = {TARGET}", "target_n = torch.addcmul(rewards, 1 - terminals, self(next_obs), value=self.gamma)")),
    fitted((TARGET, "torch.where(terminals.bool(), rewards, rewards + self.gamma * self(next_obs))")),
    fitted((TARGET, "torch.stack([r + (0 if t else self.gamma * v) for r, t, v in zip(rewards, terminals, self(next_obs))])")),
    wrong("", CRITIC, "critic.loss_not_squared", ("self.loss = nn.MSELoss()", "self.loss = nn.SmoothL1Loss()"), check=UPDATE),
    right("", CRITIC, ("self.optimizer = fast.FusedAdam(", "self.optimizer = torch.optim.Adam("), check=UPDATE),
    right("", CRITIC, ("self.critic_network(obs).squeeze(1)", "self.critic_network(obs)[:, 0]"), check=UPDATE),
]  # fmt: skip

ENTRIES = [*FIT_WRONG, *FIT_RIGHT]
