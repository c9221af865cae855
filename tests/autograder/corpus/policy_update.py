"""The policy gradient step."""

# ruff: noqa: E501  (students' lines)

from __future__ import annotations

from tests.autograder.corpus import right, wrong

UPDATE = "hw3.policy.update"
LOSS = "loss = -(log_prob_n * ptu.from_numpy(adv_n)).mean()"
ZERO, BACK, STEP = "self.optimizer.zero_grad()", "loss.backward()", "self.optimizer.step()"
OLDER_UPDATE = """
observations = ptu.from_numpy(observations)
actions = ptu.from_numpy(actions)
adv_n = ptu.from_numpy(adv_n)
dist = self.forward(observations)
logp = dist.log_prob(actions)
loss = torch.neg(torch.mean(torch.mul(logp, adv_n)))
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
"""
NEG_MEAN = "torch.neg(torch.mean(torch.mul(logp, adv_n)))"


def _new_loss(loss: str) -> tuple[str, str]:
    return (NEG_MEAN, loss)


ENTRIES = [
    wrong("P01", UPDATE, "pg_update.wrong_way", (LOSS, "loss = (log_prob_n * ptu.from_numpy(adv_n)).mean()")),
    wrong("P02", UPDATE, "pg_update.every_advantage", _new_loss("-(logp[:, None] * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.inputs_changed", (LOSS, "adv_n *= -1\nloss = (log_prob_n * ptu.from_numpy(adv_n)).mean()")),
    wrong("P03", UPDATE, "pg_update.every_advantage", _new_loss("-(logp * adv_n.view(-1, 1)).sum(-1).mean()"), body=OLDER_UPDATE),
    wrong("P12", UPDATE, "pg_update.every_advantage", _new_loss("-(logp.mean() * adv_n).sum()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.every_advantage", _new_loss("-logp.sum() * adv_n.sum()"), body=OLDER_UPDATE),
    wrong("P08", UPDATE, "pg_update.every_advantage",
          ("adv_n = ptu.from_numpy(adv_n)", "adv_n = ptu.from_numpy(adv_n).unsqueeze(1)\ntorch.squeeze(adv_n)"), body=OLDER_UPDATE),
    wrong("P05", UPDATE, "pg_update.resampled", ("dist.log_prob(actions)", "dist.log_prob(dist.sample())"), body=OLDER_UPDATE),
    wrong("", UPDATE, ["pg_update.resampled", "pg_update.wrong_way"],
          ("dist.log_prob(actions)", "dist.log_prob(dist.sample())"), ("torch.neg", "torch.sum"), body=OLDER_UPDATE),
    wrong("P05", UPDATE, "pg_update.resampled", ("dist.log_prob(actions)", "dist.log_prob(ptu.from_numpy(np.concatenate([self.get_action(o) for o in ptu.to_numpy(observations)])))"), body=OLDER_UPDATE),
    wrong("P20", UPDATE, "pg_update.step_before_backward", (f"{BACK}\n{STEP}", f"{STEP}\n{BACK}")),
    wrong("P20", UPDATE, "pg_update.gradient_cleared", (f"{ZERO}\n{BACK}", f"{BACK}\n{ZERO}")),
    wrong("P20", UPDATE, "pg_update.gradient_cleared", (f"{ZERO}\n{BACK}", f"{BACK}\nself.zero_grad()")),
    wrong("P21", UPDATE, "pg_update.entropy_penalty", _new_loss("-(logp * adv_n).mean() + 0.01 * dist.entropy().mean()"), body=OLDER_UPDATE),
    wrong("P21", UPDATE, "pg_update.entropy_bonus", _new_loss("-(logp * adv_n).mean() - 0.1 * dist.entropy().mean()"), body=OLDER_UPDATE),
    wrong("P22", UPDATE, "pg_update.double_log", ("dist.log_prob(actions)", "torch.log(dist.log_prob(actions))"), body=OLDER_UPDATE),
    wrong("P22", UPDATE, "pg_update.softmax_of_product", ("logp =", "logp = dist.log_prob(actions) if not self.discrete else None #"),
          _new_loss("F.cross_entropy(torch.log_softmax(self.logits_na(observations), 1) * adv_n[:, None], actions.long()) if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("P22", UPDATE, "pg_update.softmax_twice", _new_loss("(F.cross_entropy(dist.probs, actions.long(), reduction='none') * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.probability", _new_loss("-(logp.exp() * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.probability", _new_loss("-(dist.probs.gather(1, actions.long()[:, None])[:, 0] * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.logit", _new_loss("-(self.logits_na(observations).gather(1, actions.long()[:, None])[:, 0] * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.all_actions", _new_loss("-(dist.logits.sum(1) * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_ignored", _new_loss("-logp.mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, ["pg_update.advantage_ignored", "pg_update.wrong_way"], _new_loss("logp.mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_without_sign", _new_loss("-(logp * adv_n.abs()).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.standardized_again", _new_loss("-(logp * (adv_n - adv_n.mean()) / (adv_n.std() + 1e-8)).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.standardized_again", _new_loss("-(logp * (adv_n - adv_n.mean())).sum()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.only_the_sign", _new_loss("-(logp * adv_n.sign()).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_squared", _new_loss("-(logp * adv_n * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_exponentiated", _new_loss("-(logp * adv_n.exp()).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.bad_actions_ignored", _new_loss("-(logp * F.relu(adv_n)).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_clipped", _new_loss("-(logp * adv_n.clamp(-1, 1)).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.greedy_action", ("dist.log_prob(actions)", "dist.log_prob(dist.probs.argmax(1) if self.discrete else actions)"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.greedy_action", ("dist.log_prob(actions)", "dist.log_prob(actions if self.discrete else self.mean_net(observations).detach())"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.every_action_in_every_state", ("dist.log_prob(actions)", "dist.log_prob(actions[:, None])"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.every_action_in_every_state", ("dist.log_prob(actions)", "dist.log_prob(actions[:, None])"), ("mul(logp, adv_n)", "mul(logp, adv_n[:, None])"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.part_of_batch", _new_loss("-(logp * adv_n)[0]"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.part_of_batch", _new_loss("-(logp * adv_n)[:-1].mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.part_of_batch", body="""
dist = self(ptu.from_numpy(observations))
logp = dist.log_prob(ptu.from_numpy(actions))
for i in range(len(adv_n)):
    loss = -logp[i] * float(adv_n[i])
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
"""),
    wrong("", UPDATE, "pg_update.spread_kept", _new_loss("-((logp if self.discrete else distributions.Normal(self.mean_net(observations), self.logstd.exp().detach()).log_prob(actions).sum(-1)) * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.squared_error", _new_loss("-(logp * adv_n).mean() if self.discrete else (((self.mean_net(observations) - actions) ** 2).sum(-1) * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.one_component", _new_loss("-((logp if self.discrete else distributions.Normal(self.mean_net(observations), self.logstd.exp()).log_prob(actions)[:, 0]) * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.no_step", (STEP, "pass")),
    wrong("", UPDATE, ["pg_update.no_step", "pg_update.wrong_way"], (STEP, "pass"), (LOSS, LOSS.replace("-(", "("))),
    wrong("", UPDATE, "pg_update.no_backward", (BACK, "pass")),
    wrong("", UPDATE, "pg_update.no_backward", body=f"dist = self(ptu.from_numpy(observations))\nlog_prob_n = dist.log_prob(ptu.from_numpy(actions))\n{LOSS}"),
    wrong("", UPDATE, "pg_update.gradients_pile_up", (ZERO, "pass")),
    wrong("", UPDATE, "pg_update.more_steps", (STEP, f"{STEP}\n{STEP}")),
    wrong("", UPDATE, "pg_update.more_steps", body="""
for _ in range(4):
    dist = self(ptu.from_numpy(observations))
    loss = -(dist.log_prob(ptu.from_numpy(actions)) * ptu.from_numpy(adv_n)).mean()
    self.optimizer.zero_grad()
    loss.backward()
    self.optimizer.step()
"""),
    wrong("", UPDATE, "pg_update.graph_cut", _new_loss("-(logp.detach() * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.graph_cut", _new_loss("torch.tensor(-(logp * adv_n).mean().item())"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.graph_cut", ("dist = self.forward(observations)", "with torch.no_grad():\n    dist = self.forward(observations)"), ("logp = dist.log_prob(actions)", "logp = dist.log_prob(actions).detach()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.loss_not_scalar", _new_loss("-(logp * adv_n)"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.loss_not_tensor", (STEP, f"{STEP}\nloss = loss.item()")),
    wrong("", UPDATE, "pg_update.loss_not_tensor", (BACK, "loss = loss.item()\nloss.backward()")),
    wrong("", UPDATE, "pg_update.not_actions", ("log_prob(ptu.from_numpy(actions))", "log_prob(ptu.from_numpy(adv_n))")),
    wrong("", UPDATE, "pg_update.shapes", ("ptu.from_numpy(adv_n)", "ptu.from_numpy(adv_n[1:])")),
    wrong("", UPDATE, "crash.array_and_tensor", (" * ptu.from_numpy(adv_n)", " * adv_n")),
    wrong("", UPDATE, "crash.array_and_tensor", ("self(ptu.from_numpy(observations))", "self(observations)")),
    wrong("", UPDATE, ["pg_update.wrong_way", "pg_update.advantage_without_sign"], _new_loss("(logp * adv_n.abs()).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, ["pg_update.wrong_way", "pg_update.gradients_pile_up"], _new_loss("(logp * adv_n).mean()"), (ZERO, "pass"), body=OLDER_UPDATE),
    wrong("", UPDATE, ["pg_update.wrong_way", "pg_update.entropy_bonus"], _new_loss("(logp * adv_n).mean() - 0.1 * dist.entropy().mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, ["pg_update.probability", "pg_update.standardized_again"], _new_loss("-(logp.exp() * (adv_n - adv_n.mean())).mean()"), body=OLDER_UPDATE),
    right("", UPDATE, body=OLDER_UPDATE),
    right("V01", UPDATE, (".mean()", ".sum()")),
    right("V01", UPDATE, _new_loss("-torch.dot(logp, adv_n) / len(adv_n)"), body=OLDER_UPDATE),
    right("V07", UPDATE, (f"{ZERO}\n{BACK}\n{STEP}", f"{BACK}\n{STEP}\n{ZERO}")),
    right("V07", UPDATE, ("action_distribution =", f"{ZERO}\naction_distribution ="), (f"mean()\n{ZERO}", "mean()")),
    right("V15", UPDATE, _new_loss("-((logp.sum(1) if logp.ndim == 2 else logp) * adv_n).mean()"), body=OLDER_UPDATE),
    right("V50", UPDATE, _new_loss("(F.cross_entropy(self.logits_na(observations), actions.long(), reduction='none') * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    right("V50", UPDATE, _new_loss("F.nll_loss(torch.log_softmax(self.logits_na(observations), 1) * adv_n[:, None], actions.long()) if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    right("V50", UPDATE, _new_loss("-(torch.log_softmax(self.logits_na(observations), 1).gather(1, actions.long().view(-1, 1)).squeeze(1) * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    right("V50", UPDATE, _new_loss("-(dist.probs[torch.arange(len(adv_n)), actions.long()].log() * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    right("V52", UPDATE, ("adv_n = ptu.from_numpy(adv_n)", "adv_n = torch.from_numpy(adv_n).double()"), body=OLDER_UPDATE),
    right("", UPDATE, ("ptu.from_numpy(adv_n)", "torch.as_tensor(adv_n)")),
    right("", UPDATE, _new_loss("-(torch.exp(logp - logp.detach()) * adv_n).mean()"), body=OLDER_UPDATE),
    right("", UPDATE, ("dist.log_prob(actions)", "dist.log_prob(actions.int() if self.discrete else actions)"), body=OLDER_UPDATE),
    right("", UPDATE, _new_loss("-torch.einsum('i,i->', logp, adv_n)"), body=OLDER_UPDATE),
    right("", UPDATE, _new_loss("-(logp[:, None] * adv_n[:, None]).mean()"), body=OLDER_UPDATE),
    right("", UPDATE, (ZERO, "self.zero_grad()")),
    right("", UPDATE, (ZERO, "self.optimizer.zero_grad(set_to_none=False)")),
    right("", UPDATE, body="""
self.optimizer.zero_grad()
loss = 0
for ob, ac, adv in zip(observations, actions, adv_n):
    dist = self(ptu.from_numpy(ob[None]))
    ac = ptu.from_numpy(np.array(ac)[None])
    loss = loss - dist.log_prob(ac)[0] * float(adv) / len(adv_n)
loss.backward()
self.optimizer.step()
"""),
    right("", UPDATE, body="""
if self.discrete:
    log_probs = F.log_softmax(self.logits_na(ptu.from_numpy(observations)), dim=-1)
    logp = log_probs[np.arange(len(actions)), actions.astype(int)]
else:
    normal = distributions.Normal(self.mean_net(ptu.from_numpy(observations)), self.logstd.exp())
    logp = normal.log_prob(ptu.from_numpy(actions)).sum(dim=-1)
loss = torch.mean(-1.0 * logp * ptu.from_numpy(adv_n))
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
"""),
    right("", UPDATE, (STEP, "torch.nn.utils.clip_grad_norm_(self.parameters(), 40.0)\nself.optimizer.step()")),
    wrong("", UPDATE, "pg_update.rows_misaligned", _new_loss("-(logp * adv_n.flip(0)).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.rows_misaligned", _new_loss("-(logp * adv_n.roll(-1)).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.divided_by_sum", _new_loss("-(logp * adv_n).sum() / adv_n.sum()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.fits_advantage", _new_loss("F.mse_loss(logp, adv_n)"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.advantage_ignored", _new_loss("-(logp * adv_n.max()).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.wrong_way", _new_loss("-(-logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.actions_not_whole", _new_loss("-(dist.logits.gather(1, actions[:, None])[:, 0] * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.actions_not_whole", _new_loss("(F.cross_entropy(self.logits_na(observations), actions, reduction='none') * adv_n).mean() if self.discrete else -(logp * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "crash.graph_used_twice", (BACK, f"{BACK}\n{BACK}")),
    wrong("", UPDATE, "pg_update.part_of_batch", ("adv_n = ptu.from_numpy(adv_n)", "adv_n = ptu.from_numpy(adv_n)\nobservations, actions, adv_n = observations[1:], actions[1:], adv_n[1:]"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.no_step", (STEP, "for p in self.parameters():\n    if p.grad is not None:\n        p.data -= self.learning_rate * p.grad")),
    wrong("", UPDATE, "pg_update.spread_kept", body="""
if self.discrete:
    logp = self(ptu.from_numpy(observations)).log_prob(ptu.from_numpy(actions))
else:
    with torch.no_grad():
        std = self.logstd.exp()
    mean = self.mean_net(ptu.from_numpy(observations))
    logp = -0.5 * (((ptu.from_numpy(actions) - mean) / std) ** 2).sum(1)
loss = -(logp * ptu.from_numpy(adv_n)).mean()
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
"""),
    wrong("", UPDATE, "pg_update.no_gradient", _new_loss("-(torch.exp(logp - logp) * adv_n).mean()"), body=OLDER_UPDATE),
    wrong("", UPDATE, "pg_update.no_backward", body="loss = torch.zeros(1)"),
    right("", UPDATE, body=f"""
def closure():
    {ZERO}
    loss = -(self(ptu.from_numpy(observations)).log_prob(ptu.from_numpy(actions)) * ptu.from_numpy(adv_n)).mean()
    {BACK}
    return loss
loss = self.optimizer.step(closure)
"""),
    right("", UPDATE, (BACK, "loss.backward(retain_graph=True)")),
    right("", UPDATE, body="""
dist = self(ptu.from_numpy(observations))
weights = ptu.from_numpy(adv_n) / len(adv_n)
loss = (-dist.log_prob(ptu.from_numpy(actions))) @ weights
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
"""),
    right("", UPDATE, ("ptu.from_numpy(actions)", "torch.tensor(actions, dtype=torch.long if self.discrete else torch.float)")),
    right("", UPDATE, _new_loss("(-logp).mul(adv_n.clone().detach()).mean(dim=0)"), body=OLDER_UPDATE),
    right("", UPDATE, _new_loss("-torch.log(logp.exp() + 1e-8).mul(adv_n).mean()"), body=OLDER_UPDATE),
]  # fmt: skip
