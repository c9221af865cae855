"""Right forms, and mistakes together, of homework 5: PPO and TRPO."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

ADVANTAGE, MINIBATCHES = "hw5.ppo.advantage", "hw5.ppo.minibatches"
STANDARDIZE, LOSS = "hw5.ppo.standardize", "hw5.ppo.clipped_loss"
KL, UPDATE = "hw5.ppo.kl", "hw5.ppo.update"
SURROGATE, CG, FISHER = "hw5.trpo.surrogate", "hw5.cg.step", "hw5.trpo.fisher_product"
LONGEST, SEARCH = "hw5.trpo.longest_step", "hw5.trpo.line_search"
K3 = "((log_ratio_n.exp() - 1.0) - log_ratio_n).mean()"
CLIP = "fast.clip_grad_norm_(self.weights, settings.max_grad_norm)"
ENTRIES = [
    right("", ADVANTAGE, body="""
value_n = ptu.to_numpy(self.critic(ptu.from_numpy(ob_no)))
next_value_n = ptu.to_numpy(self.critic(ptu.from_numpy(next_ob_no)))
adv_n, later = np.zeros(len(re_n)), 0.0
for t in range(len(re_n) - 1, -1, -1):
    delta = re_n[t] + gamma * next_value_n[t] * (1 - terminal_n[t]) - value_n[t]
    later = delta + gamma * gae_lambda * later * (1 - path_ends_n[t])
    adv_n[t] = later
target_n = value_n + adv_n
"""),
    wrong(
        "PPO35", ADVANTAGE, ("ppo_advantage.cut_is_an_end", "ppo_advantage.advantage_as_target"),
        ("terminal_n, path_ends_n", "path_ends_n, path_ends_n"), ("adv_n + value_n", "adv_n"),
    ),
    right("", MINIBATCHES, body="""
rows, parts = list(range(n)), []
np.random.shuffle(rows)
while rows:
    parts.append(torch.tensor(rows[:minibatch_size]))
    rows = rows[minibatch_size:]
return tuple(parts)
"""),
    wrong("PPO31", MINIBATCHES, "minibatches.drawn_with_replacement", body="""
sizes = [min(minibatch_size, n - i) for i in range(0, n, minibatch_size)]
return tuple(torch.as_tensor(np.random.randint(0, n, size)) for size in sizes)
"""),
    right("", STANDARDIZE, body="""
adv_n -= adv_n.mean()
adv_n /= adv_n.std(unbiased=False) + 1e-6
"""),
    right("", LOSS, body="""
loss = 0.0
for r, a in zip(torch.exp(log_ratio_n), adv_n):
    bounded = torch.clip(r, 1 - clip_ratio, 1 + clip_ratio)
    loss = loss - torch.minimum(r * a, bounded * a) / len(adv_n)
"""),
    wrong(
        "", LOSS, ("clipped_loss.sign", "clipped_loss.larger_promise"), ("-torch.min(", "torch.max(")
    ),
    right("", KL, body="r_n = torch.exp(log_ratio_n)\nkl = torch.mean(r_n - 1 - torch.log(r_n))"),
    wrong("", KL, ("kl.noisy_estimate", "kl.sum"), (K3, "(-log_ratio_n).sum()")),
    right("", UPDATE, body="""
error_n = value_n - target_n
value_loss = settings.value_coef * (error_n * error_n).mean()
loss = value_loss + policy_loss
if settings.entropy_coef:
    loss = loss - settings.entropy_coef * entropy
for weight, gradient in zip(self.weights, torch.autograd.grad(loss, self.weights)):
    weight.grad = gradient
grad_norm = torch.nn.utils.clip_grad_norm_(self.weights, settings.max_grad_norm)
self.optimizer.step()
"""),
    wrong(
        "PPO27", UPDATE, ("ppo_update.entropy_punished", "ppo_update.not_clipped"),
        ("- settings.entropy", "+ settings.entropy"), (CLIP, "fast.grad_norm(self.weights)"),
    ),
    right("", SURROGATE, body="""
log_prob_n = log_prob_n - old_log_prob_n
objective = (adv_n * log_prob_n.exp()).sum() / adv_n.numel()
"""),
    wrong(
        "", SURROGATE, ("surrogate.ratio_upside_down", "surrogate.sign"),
        ("log_prob_n - old_log_prob_n", "old_log_prob_n - log_prob_n"), ("(ratio_n *", "-(ratio_n *"),
    ),
    right("", CG, body="""
Hp = product(direction)
a = float(square) / float(direction.dot(Hp))
x += a * direction
residual -= a * Hp
old, square = square, residual.dot(residual)
direction = (square / old) * direction + residual
"""),
    wrong(
        "TRPO20", CG, ("cg.factor_upside_down", "cg.away_from_solution"),
        ("x + alpha", "x - alpha"), ("new_square / square", "square / new_square"),
    ),
    right("", FISHER, body="""
inner = torch.sum(kl_gradient * vector.detach())
second = torch.autograd.grad(inner, weights, retain_graph=True)
product = torch.nn.utils.parameters_to_vector(second) + vector * damping
"""),
    right("", LONGEST, body="""
half = 0.5 * torch.sum(direction * h_direction)
step = direction / torch.sqrt(half / max_kl + 1e-8)
"""),
    right("", SEARCH, body="""
fraction = 1.0
for _ in range(settings.line_search_steps):
    after, divergence = objective_and_kl(start + step)
    if torch.isfinite(after) and after - before > 0 and divergence <= settings.max_kl:
        return start + step, fraction
    step, fraction = step * settings.line_search_shrink, fraction * settings.line_search_shrink
return start.clone(), 0.0
"""),
    wrong(
        "TRPO42", SEARCH,
        ("line_search.begins_at_last_candidate", "line_search.last_candidate_kept"),
        ("start + fraction", "(start if j == 0 else theta) + fraction"), ("start, 0.0", "theta, 0.0"),
    ),
]  # fmt: skip
