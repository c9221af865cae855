"""Right forms and combined mistakes of homework 2's policy gradient."""

# ruff: noqa: E501  (students' lines)

from __future__ import annotations

from collections.abc import Iterator

from tests.autograder.corpus import Entry, right, wrong

RETURN, Q, STEP = "hw2.returns.discounted_return", "hw2.pg.q_values", "hw2.policy.update"
ADVANTAGE, SCALE = "hw2.pg.advantage", "hw2.pg.standardize"
UNITS = "* np.std(q_values) + np.mean(q_values)"
VALUE, BASELINE = "hw2.value.update", "hw2.pg.baseline"


def forms(blank: str, *bodies: str) -> Iterator[Entry]:
    """Yields right forms of a blank."""
    for body in bodies:
        yield right("", blank, body=body)


GAE = "v, adv_n = np.append(np.mean(q_values) + self.critic.forward_np(obs) * np.std(q_values), 0) if self.nn_baseline else None, np.array(q_values)\nif self.nn_baseline and self.gae_lambda is None:\n    adv_n -= v[:-1]\nelif self.nn_baseline:\n    rewards, adv_n = np.hstack(rewards_list), np.zeros(len(obs) + 1)\n    for i in reversed(range(len(obs))):\n        going = 1 - terminals[i]\n        adv_n[i] = {delta} + self.gamma * self.gae_lambda * going * adv_n[i + 1]\n    adv_n = adv_n[:-1]"
FIT = "v = self.critic_network(torch.from_numpy(ob_no))\nloss = {loss}\nself.optimizer.zero_grad()\nloss.backward()\nself.optimizer.step()"
PG = "dist = self.forward(torch.as_tensor(observations))\nlog_prob = dist.log_prob(torch.as_tensor(actions))\nloss = {loss}\nself.optimizer.zero_grad()\nloss.backward()\nself.optimizer.step()"
ENTRIES = [
    *forms(
        RETURN,
        "total = 0\nfor r in reversed(rewards):\n    total = r + discount * total",
        "total, factor = 0.0, 1.0\nfor r in reward_n:\n    total += factor * r\n    factor *= discount",
        "total = sum(r * discount**t for t, r in enumerate(reward_n.tolist()))",
        "total = np.vander([discount], len(rewards), increasing=True)[0] @ rewards",
        "import functools\ntotal = functools.reduce(lambda later, r: r + discount * later, rewards[::-1])",
        "discounted = np.array([rewards[t] * discount**t for t in range(rewards.shape[0])])\ntotal = discounted.sum()",
    ),
    wrong("", RETURN, ("return.first_discounted", "return.last_missing"), body="total = 0.0\nfor t in range(len(rewards) - 1):\n    total += discount ** (t + 1) * rewards[t]"),
    *forms(
        Q,
        "if not self.reward_to_go:\n    q_n = np.concatenate([self._discounted_return(r) for r in rewards_list])\nelse:\n    q_n = np.concatenate([self._discounted_cumsum(r) for r in rewards_list])",
        "q = []\nfor path in rewards_list:\n    q.extend(self._discounted_cumsum(path) if self.agent_params.reward_to_go else [discounted_return(path, self.gamma)] * len(path))\nq_n = np.array(q)",
        "q_n = np.zeros(sum(len(r) for r in rewards_list))\ni = 0\nfor r in rewards_list:\n    q_n[i : i + len(r)] = self._discounted_cumsum(r) if self.reward_to_go else self._discounted_return(r)[0]\n    i += len(r)",
        "q_n = np.array([])\nfor r in rewards_list:\n    for t in range(len(r)):\n        later = r[t:] if self.reward_to_go else r\n        q_n = np.append(q_n, sum(self.gamma**k * x for k, x in enumerate(later)))",
    ),
    wrong("", Q, ("q_values.flag_inverted", "q_values.wrong_order"), ("if self.reward_to_go", "if not self.reward_to_go"), ("in rewards_list", "in rewards_list[::-1]")),
    *forms(
        STEP,
        PG.format(loss="-torch.mean(log_prob * torch.from_numpy(advantages))"),
        PG.format(loss="(-log_prob * torch.tensor(advantages, dtype=torch.float32)).sum() / len(observations)"),
        PG.format(loss="torch.mul(log_prob, ptu.from_numpy(advantages)).neg().mean()"),
        "dist = self(ptu.from_numpy(observations))\nself.optimizer.zero_grad()\nweights = ptu.from_numpy(advantages)\nloss = torch.dot(dist.log_prob(ptu.from_numpy(actions)).neg(), weights)\nloss.backward()\nself.optimizer.step()",
        "obs, acs, adv = map(ptu.from_numpy, (observations, actions, advantages))\nif self.discrete:\n    nll = torch.nn.functional.cross_entropy(self.logits_na(obs), acs.long(), reduction='none')\nelse:\n    nll = -self(obs).log_prob(acs)\nloss = (nll * adv).mean()\nself.optimizer.zero_grad()\nloss.backward()\nself.optimizer.step()",
        "self.optimizer.zero_grad()\ndef closure():\n    loss = -(self(ptu.from_numpy(observations)).log_prob(ptu.from_numpy(actions)) * ptu.from_numpy(advantages)).mean()\n    loss.backward()\n    return loss\nloss = self.optimizer.step(closure)",
    ),
    wrong("", STEP, ("pg_step.every_advantage", "pg_step.wrong_way"), body=PG.format(loss="(log_prob[:, None] * torch.from_numpy(advantages)).mean()")),
    *forms(
        ADVANTAGE,
        GAE.format(delta="rewards[i] + self.gamma * going * v[i + 1] - v[i]"),
        GAE.format(delta="(rewards[i] + self.gamma * v[i + 1] - v[i] if going else q_values[i] - v[i])"),
        "if self.critic is None:\n    adv_n = q_values\nelse:\n    value_n = ptu.to_numpy(self.critic(ptu.from_numpy(obs)))\n    value_n = value_n * q_values.std() + q_values.mean()\n    if self.gae_lambda is None:\n        adv_n = np.subtract(q_values, value_n)\n    else:\n        ends = terminals.astype(bool)\n        following = np.concatenate([value_n[1:], value_n[:1]])\n        adv_n = generalized_advantages(np.concatenate(rewards_list), value_n, following, terminals, ends, self.gamma, self.gae_lambda)",
        "adv_n = q_values\nif self.nn_baseline:\n    mean, std = np.mean(q_values), torch.as_tensor(q_values).std().item()\n    value_n = self.critic.forward_np(obs).astype(np.float64) * std + mean\n    adv_n = q_values - value_n\n    if self.gae_lambda is not None:\n        following = np.zeros_like(value_n)\n        following[:-1] = value_n[1:]\n        adv_n = generalized_advantages(reward_n=np.concatenate(rewards_list), value_n=value_n, next_value_n=following, terminal_n=terminals, path_ends_n=self.replay_buffer.batch.path_ends_n, discount=self.gamma, gae_lambda=self.gae_lambda)",
    ),
    wrong("", ADVANTAGE, ("pg_advantage.half_undone", "pg_advantage.wrong_next"), (" + np.mean(q_values)", ""), ("np.append(value_n[1:], 0.0)", "value_n")),
    *forms(
        SCALE,
        "adv_n = adv_n - adv_n.mean()\nadv_n = adv_n / (adv_n.std() + 1e-8)",
        "adv_n -= adv_n.mean()\nadv_n /= np.sqrt(np.mean(adv_n**2)) + 1e-8",
        "a = torch.as_tensor(adv_n)\nadv_n = ((a - a.mean()) / (a.std() + 1e-8)).numpy()",
        "centred = adv_n - np.average(adv_n)\nadv_n = centred / (np.linalg.norm(centred) / np.sqrt(len(centred)) + 1e-8)",
        "adv_n = (adv_n - np.mean(adv_n)) / np.std(adv_n) if np.std(adv_n) > 0 else np.zeros_like(adv_n)",
    ),
    *forms(
        VALUE,
        FIT.format(loss="F.mse_loss(v.squeeze(-1), torch.as_tensor(target_n, dtype=torch.float32))"),
        FIT.format(loss="(v[:, 0] - torch.from_numpy(target_n)).pow(2).mean()"),
        FIT.format(loss="0.5 * torch.sum((ptu.from_numpy(target_n)[:, None] - v) ** 2)"),
        FIT.format(loss="self.loss(ptu.from_numpy(target_n), self.forward(ptu.from_numpy(ob_no)))"),
        "loss = self.loss(self(ptu.from_numpy(ob_no)), ptu.from_numpy(target_n))\nweights = list(self.critic_network.parameters())\nfor w, g in zip(weights, torch.autograd.grad(loss, weights)):\n    w.grad = g\nself.optimizer.step()",
    ),
    wrong("", VALUE, ("value_update.uphill", "value_update.gradients_pile_up"), ("loss = self", "loss = -self"), ("self.optimizer.zero_grad()\n", "")),
    *forms(
        BASELINE,
        "mean, std = q_n.mean(), q_n.std()\nfor step in range(self.agent_params.baseline_gradient_steps):\n    loss = critic.update(ob_no, (q_n - mean) / (std + 1e-8))",
        "y = torch.as_tensor(q_n)\ny = ((y - y.mean()) / (y.std() + 1e-8)).numpy()\nlosses = [self.critic.update(ob_no, target_n=y) for _ in range(self.agent_params['baseline_gradient_steps'])]\nloss = losses[-1]",
        "target_n, left = q_n - self.q_mean, self.agent_params['baseline_gradient_steps']\ntarget_n /= self.q_std + 1e-8\nwhile left > 0:\n    loss, left = critic.update(ob_no, target_n), left - 1",
        "target_n = ((q_n - self.q_mean) / (self.q_std + 1e-8)).astype(np.float32)\nloss = np.mean([critic.update(ob_no, target_n) for _ in range(self.agent_params['baseline_gradient_steps'])])",
    ),
    # A mistake in advantages is that blank's alone, and hides none of this one.
    *(right("", ADVANTAGE, (UNITS, new), check=SCALE) for new in ("* self.q_std + self.q_mean", "* np.nan")),
    right("", ADVANTAGE, ("q_values - value_n", "0 * q_values"), check=SCALE),
    right("", ADVANTAGE, ("adv_n = q_values - value_n", "adv_n = q_values\n    adv_n -= value_n"), check=SCALE),
    right("", ADVANTAGE, ("adv_n = q_values - value_n", "adv_n = q_values"), check=SCALE),
    wrong("", BASELINE, ("baseline.not_standardized", "baseline.setting_ignored"), ("(q_n - self.q_mean) / (self.q_std + 1e-8)", "q_n"), ('self.agent_params["baseline_gradient_steps"]', "1")),
    # Only a training refused these once (issue 52).
    wrong("hw2-w35", ADVANTAGE, "pg_advantage.baseline_fitted_first", ("value_n = self", "self.critic.update(obs, (q_values - q_values.mean()) / (q_values.std() + 1e-8))\n    value_n = self")),
    wrong("hw2-w47", VALUE, "value_update.root", ("loss = self", "loss = torch.sqrt(self"), (", ptu.from_numpy(target_n))", ", ptu.from_numpy(target_n)))")),
    wrong("hw2-w52", BASELINE, "baseline.units_overwritten", body="q_n = (q_n - self.q_mean) / (self.q_std + 1e-8)\nself.q_mean, self.q_std = float(q_n.mean()), float(q_n.std())\nfor _ in range(self.agent_params['baseline_gradient_steps']):\n    loss = critic.update(ob_no, q_n)"),
]  # fmt: skip
