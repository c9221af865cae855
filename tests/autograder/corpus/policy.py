"""Stochastic policies: their distribution and their actions."""

# ruff: noqa: E501  (students' lines)

from __future__ import annotations

from tests.autograder.corpus import right, wrong

FORWARD, ACT = "hw3.policy.forward", "hw3.policy.get_action"

GAUSS_FORWARD = """
if self.discrete:
    return distributions.Categorical(logits=self.logits_na(observation))
batch_mean = self.mean_net(observation)
std = torch.exp(self.logstd)
scale_tril = torch.diag(std)
batch_scale_tril = scale_tril.repeat(batch_mean.shape[0], 1, 1)
return distributions.MultivariateNormal(batch_mean, scale_tril=batch_scale_tril)
"""
TRIL = "scale_tril=batch_scale_tril"
PLAIN_FORWARD = """
if self.discrete:
    return distributions.Categorical(logits=self.logits_na(observation))
else:
    mean = self.mean_net(observation)
    std = torch.exp(self.logstd)
    return distributions.Normal(mean, std)
"""
JOINED_FORWARD = PLAIN_FORWARD.replace(
    "distributions.Normal(mean, std)",
    "distributions.Independent(distributions.Normal(mean, std), 1)",
)
LOGITS, MEAN = "self.logits_na(observation)", "self.mean_net(observation)"
STD = "torch.exp(self.logstd)"
CATEGORICAL = "distributions.Categorical(logits=self.logits_na(observation))"

FORWARDS = [
    wrong("P15", FORWARD, "forward.logstd_as_spread", ("self.logstd.exp()", "self.logstd")),
    wrong("P15", FORWARD, "forward.variance_as_spread", ("self.logstd.exp()", "(2 * self.logstd).exp()")),
    wrong("P16", FORWARD, "forward.spread_as_variance",
          (TRIL, "covariance_matrix=batch_scale_tril"), body=GAUSS_FORWARD),
    wrong("P16", FORWARD, "forward.spread_as_variance",
          ("batch_mean, scale_tril=batch_scale_tril", "batch_mean, torch.diag(std)"), body=GAUSS_FORWARD),
    wrong("P18", FORWARD, "forward.network_cut", (MEAN, "torch.as_tensor(self.mean_net(observation).detach().numpy())"),
          body=JOINED_FORWARD),
    wrong("P18", FORWARD, "forward.network_cut", (LOGITS, "self.logits_na(observation).detach()")),
    wrong("P19", FORWARD, "forward.spread_cut", ("self.logstd.exp()", "self.logstd.detach().exp()")),
    wrong("", FORWARD, "forward.network_cut", body="""
with torch.no_grad():
    if self.discrete:
        return distributions.Categorical(logits=self.logits_na(observation))
    mean, std = self.mean_net(observation), torch.exp(self.logstd)
    return distributions.Independent(distributions.Normal(mean, std), 1)
"""),
    wrong("", FORWARD, "forward.components_apart", body=PLAIN_FORWARD),
    wrong("", FORWARD, ["forward.components_apart", "forward.logstd_as_spread"], (STD, "self.logstd"), body=PLAIN_FORWARD),
    wrong("", FORWARD, "forward.logits_as_probs", ("logits=self", "probs=self")),
    wrong("", FORWARD, "forward.logits_as_probs", ("logits=self", "self"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.logits_as_probs", ("(logits=self.logits_na(observation))", "(torch.log_softmax(self.logits_na(observation), -1))"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.softmax_twice", (LOGITS, "torch.softmax(self.logits_na(observation), dim=-1)")),
    wrong("", FORWARD, "forward.sigmoid", ("logits=self.logits_na(observation)", "probs=torch.sigmoid(self.logits_na(observation))")),
    wrong("", FORWARD, "forward.wrong_axis", ("logits=self.logits_na(observation)", "probs=torch.softmax(self.logits_na(observation), dim=0)")),
    wrong("", FORWARD, "forward.wrong_axis", (LOGITS, "F.log_softmax(self.logits_na(observation), 0)")),
    wrong("", FORWARD, "forward.squashed", (LOGITS, "torch.tanh(self.logits_na(observation))")),
    wrong("", FORWARD, "forward.squashed", (LOGITS, "F.relu(self.logits_na(observation))")),
    wrong("", FORWARD, "forward.squashed", (MEAN, "torch.tanh(self.mean_net(observation))")),
    wrong("", FORWARD, "forward.squashed", (MEAN, "F.relu(self.mean_net(observation))")),
    wrong("", FORWARD, "forward.squashed", (MEAN, "torch.softmax(self.mean_net(observation), -1).sigmoid()"), (".softmax(self.mean_net(observation), -1).sigmoid()", ".sigmoid(self.mean_net(observation))")),
    wrong("", FORWARD, "forward.logits_negated", (LOGITS, "-self.logits_na(observation)")),
    wrong("", FORWARD, "forward.mean_missing", (MEAN, "torch.zeros(len(observation), self.ac_dim)")),
    wrong("", FORWARD, "forward.mean_and_spread_swapped", ("mean_na, self.logstd.exp()", "self.logstd, mean_na.exp()")),
    wrong("", FORWARD, "forward.mean_and_spread_swapped", ("mean_na, self.logstd.exp()", "self.logstd.exp().expand_as(mean_na), mean_na")),
    wrong("", FORWARD, "forward.spread_inverted", ("self.logstd.exp()", "torch.exp(-self.logstd)")),
    wrong("", FORWARD, "forward.spread_inverted", (TRIL, "precision_matrix=batch_scale_tril"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.spread_fixed", ("self.logstd.exp()", "torch.ones_like(mean_na)")),
    wrong("", FORWARD, "forward.softplus", ("self.logstd.exp()", "F.softplus(self.logstd)")),
    wrong("", FORWARD, "forward.spread_shared", ("self.logstd.exp()", "self.logstd.mean().exp()")),
    wrong("", FORWARD, "forward.spread_shared", ("self.logstd.exp()", "self.logstd[0].exp()")),
    wrong("", FORWARD, "forward.exp_twice", ("self.logstd.exp()", "self.logstd.exp().exp()")),
    wrong("", FORWARD, "forward.variance_as_spread", ("self.logstd.exp()", "self.logstd.exp() ** 2")),
    wrong("", FORWARD, "forward.variance_as_spread", ("torch.diag(std)", "torch.diag(std ** 2)"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.logstd_as_spread", (STD, "self.logstd"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.logstd_as_spread", ("torch.exp(self.logstd)", "torch.abs(self.logstd)"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.logstd_as_spread", (STD, "self.logstd"), (TRIL, "covariance_matrix=batch_scale_tril"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.not_a_matrix", (TRIL, "scale_tril=std"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.not_a_matrix", ("batch_mean, scale_tril=batch_scale_tril", "batch_mean, std"), body=GAUSS_FORWARD),
    wrong("", FORWARD, "forward.rows_joined", ("normal, 1, validate_args=False", "normal, 2")),
    wrong("", FORWARD, "forward.rows_joined", (CATEGORICAL, "distributions.Independent(" + CATEGORICAL + ", 1)"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.not_one_choice", ("distributions.Categorical(\n        logits", "distributions.OneHotCategorical(\n        logits")),
    wrong("", FORWARD, "forward.not_one_choice", ("Categorical", "Bernoulli"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.not_one_choice", (CATEGORICAL, "distributions.Normal(self.logits_na(observation), 1.0)"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.kinds_swapped", ("if self.discrete", "if not self.discrete")),
    wrong("", FORWARD, "forward.kinds_swapped", ("normal = distributions.Normal(mean_na, self.logstd.exp(), validate_args=False)", "return distributions.Categorical(logits=mean_na)")),
    wrong("", FORWARD, "forward.no_distribution", body="""
if self.discrete:
    return self.logits_na(observation)
return self.mean_net(observation), torch.exp(self.logstd)
"""),
    wrong("", FORWARD, "forward.nothing_returned", ("return distributions.Independent(", "distribution = distributions.Independent(")),
    wrong("", FORWARD, "crash.one_path", body="""
if self.discrete:
    dist = distributions.Categorical(logits=self.logits_na(observation))
elif self.discrete is None:
    dist = distributions.Normal(self.mean_net(observation), self.logstd.exp())
return dist
"""),
    wrong("", FORWARD, "crash.unknown_name", ("distributions.Normal", "Normal")),
    wrong("", FORWARD, ["forward.softmax_twice", "forward.spread_as_variance"],
          (LOGITS, "F.softmax(self.logits_na(observation), dim=1)"), (TRIL, "covariance_matrix=batch_scale_tril"), body=GAUSS_FORWARD),
    wrong("", FORWARD, ["forward.squashed", "forward.spread_fixed"],
          (MEAN, "torch.tanh(self.mean_net(observation))"), (STD, "torch.ones(self.ac_dim)"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.no_distribution", ("distributions.Independent(normal, 1, validate_args=False)", "normal.rsample()")),
    wrong("", FORWARD, "forward.spread_inverted", ("self.logstd.exp()", "1 / torch.exp(self.logstd)")),
    wrong("", FORWARD, "forward.spread_cut", ("self.logstd.exp()", "torch.tensor(np.exp(self.logstd.tolist())).float()")),
    wrong("", FORWARD, "forward.spread_cut", ("self.logstd.exp()", "self.logstd.data.exp()")),
    wrong("", FORWARD, ["forward.network_cut", "forward.spread_as_variance"], (MEAN, "self.mean_net(observation).detach()"), (TRIL, "covariance_matrix=batch_scale_tril"), body=GAUSS_FORWARD),
    wrong("", FORWARD, ["forward.softmax_twice", "forward.logstd_as_spread", "forward.squashed"],
          (LOGITS, "self.logits_na(observation).softmax(1)"), (MEAN, "self.mean_net(observation).tanh()"), (STD, "self.logstd"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.squashed", (MEAN, "self.mean_net(observation).clamp(-1, 1)")),
    right("", FORWARD, body=GAUSS_FORWARD),
    right("", FORWARD, body="""
class DiagonalGaussian(distributions.Normal):
    def log_prob(self, value):
        return super().log_prob(value).sum(-1)
if self.discrete:
    return distributions.Categorical(logits=self.logits_na(observation))
return DiagonalGaussian(self.mean_net(observation), torch.exp(self.logstd))
"""),
    right("V14", FORWARD, body=JOINED_FORWARD),
    right("", FORWARD, (TRIL, "covariance_matrix=torch.diag(std ** 2)"), body=GAUSS_FORWARD),
    right("", FORWARD, ("scale_tril = torch.diag(std)", "scale_tril = torch.diag_embed(std.expand_as(batch_mean))"),
          ("batch_scale_tril = scale_tril.repeat(batch_mean.shape[0], 1, 1)", "batch_scale_tril = scale_tril"), body=GAUSS_FORWARD),
    right("V50", FORWARD, ("logits=self.logits_na(observation)", "probs=torch.softmax(self.logits_na(observation), dim=-1)"), body=JOINED_FORWARD),
    right("V50", FORWARD, (LOGITS, "F.log_softmax(self.logits_na(observation), dim=-1)")),
    wrong("", FORWARD, "forward.overflow", ("logits=self.logits_na(observation)", "probs=self.logits_na(observation).exp()"), body=JOINED_FORWARD),
    wrong("", FORWARD, "forward.overflow", body="""
if self.discrete:
    weights = self.logits_na(observation).exp()
    return distributions.Categorical(probs=weights / weights.sum(dim=-1, keepdim=True), validate_args=False)
normal = distributions.Normal(self.mean_net(observation), self.logstd.exp(), validate_args=False)
return distributions.Independent(normal, 1, validate_args=False)
"""),
    right("V52", FORWARD, (LOGITS, "self.logits_na(observation).double()"), (MEAN, "self.mean_net(observation).double()"), body=JOINED_FORWARD),
    right("", FORWARD, (STD, "torch.exp(torch.clamp(self.logstd, -20, 2))"), body=GAUSS_FORWARD),
    right("", FORWARD, (STD, "torch.exp(self.logstd) + 1e-6"), body=JOINED_FORWARD),
    right("", FORWARD, ("std = torch.exp(self.logstd)", "std = torch.ones_like(mean) * self.logstd.exp()"), body=JOINED_FORWARD),
    right("", FORWARD, ("self.logits_na(observation)", "self.logits_na(observation.float())")),
    right("", FORWARD, ("if self.discrete:", "observation = ptu.from_numpy(observation)\nif self.discrete:")),
    right("", FORWARD, ("if self.discrete:", "print(observation.shape)\nif self.discrete:")),
    right("", FORWARD, body="""
return (
    distributions.Categorical(logits=self.logits_na(observation))
    if self.discrete
    else distributions.LowRankMultivariateNormal(
        self.mean_net(observation), torch.zeros(self.ac_dim, 1), torch.exp(2 * self.logstd))
)
"""),
]  # fmt: skip

SAMPLE = "action_distribution.sample()"
GET = """
observation = ptu.from_numpy(observation)
distribution = self.forward(observation)
action = distribution.sample()
return ptu.to_numpy(action)
"""
NOISE = """
if self.discrete:
    return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())
mean = self.mean_net(ptu.from_numpy(observation))
action = mean + torch.exp(self.logstd) * torch.randn_like(mean)
return ptu.to_numpy(action)
"""

ACTIONS = [
    wrong("", ACT, "get_action.greedy", body="""
dist = self(ptu.from_numpy(observation))
return ptu.to_numpy(dist.probs.argmax(-1) if self.discrete else dist.mean)
"""),
    wrong("", ACT, "get_action.greedy", ("action = distribution.sample()", "action = distribution.mode"), body=GET),
    wrong("", ACT, "get_action.policy_ignored", body="""
if self.discrete:
    return np.random.randint(self.ac_dim, size=1)
return np.random.randn(1, self.ac_dim)
"""),
    wrong("", ACT, "get_action.policy_ignored", ("if self.discrete:\n    return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())", "if self.discrete:\n    return np.array([np.random.choice(self.ac_dim)])"), body=NOISE),
    wrong("", ACT, "get_action.log_probability", ("action = distribution.sample()", "action = distribution.log_prob(distribution.sample())"), body=GET),
    wrong("", ACT, "get_action.probabilities", body="""
dist = self(ptu.from_numpy(observation))
return ptu.to_numpy(dist.probs if self.discrete else dist.sample())
"""),
    wrong("", ACT, "get_action.probabilities", body="""
if self.discrete:
    return ptu.to_numpy(self.logits_na(ptu.from_numpy(observation)))
return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())
"""),
    wrong("", ACT, "get_action.no_action", ("return ptu.to_numpy(action)", "return distribution"), body=GET),
    wrong("", ACT, "get_action.no_action", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action), ptu.to_numpy(distribution.log_prob(action))"), body=GET),
    wrong("", ACT, "get_action.nothing_returned", ("return ptu.to_numpy(action)", "ptu.to_numpy(action)"), body=GET),
    wrong("", ACT, "get_action.tensor", ("return ptu.to_numpy(action)", "return action"), body=GET),
    wrong("", ACT, ["get_action.tensor", "get_action.greedy"], ("distribution.sample()", "distribution.mode"), ("return ptu.to_numpy(action)", "return action"), body=GET),
    wrong("", ACT, "get_action.other_state", ("from_numpy(observation)", "from_numpy(np.zeros_like(observation))"), body=GET),
    wrong("", ACT, "get_action.other_state", ("from_numpy(observation)", "from_numpy(np.roll(observation, 1))"), body=GET),
    wrong("", ACT, "get_action.other_state", ("from_numpy(observation)", "from_numpy(observation[:, ::-1].copy())"), body=GET),
    wrong("", ACT, "get_action.same_draw", ("distribution = self", "torch.manual_seed(0)\ndistribution = self"), body=GET),
    wrong("", ACT, "get_action.same_draw", body="""
dist = self(ptu.from_numpy(observation))
return ptu.to_numpy(dist.probs.argmin(-1) if self.discrete else dist.stddev)
"""),
    wrong("", ACT, "get_action.sharpened", body="""
dist = self(ptu.from_numpy(observation))
if self.discrete:
    return ptu.to_numpy(torch.multinomial(dist.probs ** 2, 1)[:, 0])
return ptu.to_numpy(dist.sample())
"""),
    wrong("", ACT, "get_action.flattened", body="""
dist = self(ptu.from_numpy(observation))
if self.discrete:
    return ptu.to_numpy(distributions.Categorical(logits=dist.probs).sample())
return ptu.to_numpy(dist.sample())
"""),
    wrong("", ACT, "get_action.flattened", body="""
dist = self(ptu.from_numpy(observation))
if self.discrete:
    return ptu.to_numpy(distributions.Categorical(logits=dist.logits / 2).sample())
return ptu.to_numpy(dist.sample())
"""),
    wrong("", ACT, "get_action.logits_as_probs", body="""
if self.discrete:
    return ptu.to_numpy(distributions.Categorical(self.logits_na(ptu.from_numpy(observation))).sample())
return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())
"""),
    wrong("", ACT, "get_action.shifted", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action + 1 if self.discrete else action)"), body=GET),
    wrong("", ACT, "get_action.shifted", ("return ptu.to_numpy(action)", "return ptu.to_numpy((action + 1) % self.ac_dim if self.discrete else action)"), body=GET),
    wrong("", ACT, "get_action.shifted", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action - 1 if self.discrete else action)"), body=GET),
    wrong("", ACT, "get_action.spread", ("torch.exp(self.logstd) * torch", "2 * torch.exp(self.logstd) * torch"), body=NOISE),
    wrong("", ACT, "get_action.spread", ("torch.exp(self.logstd) * torch", "self.logstd * torch"), body=NOISE),
    wrong("", ACT, "get_action.spread", ("torch.exp(self.logstd) * torch", "torch"), body=NOISE),
    wrong("", ACT, "get_action.spread", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action) if self.discrete else ptu.to_numpy(action) + np.random.randn(1, self.ac_dim)"), body=GET),
    wrong("", ACT, "get_action.noise_shared", ("torch.randn_like(mean)", "torch.randn(1)"), body=NOISE),
    wrong("", ACT, "get_action.squashed", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action if self.discrete else torch.tanh(action))"), body=GET),
    wrong("", ACT, "get_action.squashed", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action if self.discrete else action.clamp(-1, 1))"), body=GET),
    wrong("", ACT, "crash.array_and_tensor", ("ptu.from_numpy(observation)", "observation")),
    wrong("", ACT, "crash.unknown_name", ("return ptu.to_numpy(action)", "return ptu.to_numpy(ac)"), body=GET),
    wrong("", ACT, "get_action.one_component", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action if self.discrete else action[0, :1])"), body=GET),
    wrong("", ACT, "get_action.one_number", ("return ptu.to_numpy(action)", "return action.item()"), body=GET),
    wrong("", ACT, "get_action.probabilities", ("return ptu.to_numpy(action)", "return ptu.to_numpy(distribution.probs.max(-1).values if self.discrete else action)"), body=GET),
    wrong("", ACT, "get_action.log_probability", ("return ptu.to_numpy(action)", "return ptu.to_numpy(distribution.logits.max(-1).values if self.discrete else action)"), body=GET),
    wrong("", ACT, "get_action.greedy", body="""
output = (self.logits_na if self.discrete else self.mean_net)(ptu.from_numpy(observation))
return ptu.to_numpy(output.argmax(dim=1) if self.discrete else output)
"""),
    wrong("", ACT, ["get_action.greedy", "get_action.spread"], body="""
if self.discrete:
    return ptu.to_numpy(self.logits_na(ptu.from_numpy(observation)).argmax(dim=1))
mean = self.mean_net(ptu.from_numpy(observation))
return ptu.to_numpy(mean + 0.1 * torch.randn_like(mean))
"""),
    wrong("", ACT, "get_action.whole_numbers", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action).astype(int)"), body=GET),
    right("", ACT, body=GET),
    right("", ACT, body="""
dist = self(ptu.from_numpy(observation))
if self.discrete:
    chances = ptu.to_numpy(dist.probs).cumsum(axis=1)
    return (np.random.rand(len(chances), 1) > chances).sum(axis=1).clip(max=self.ac_dim - 1)
return ptu.to_numpy(torch.normal(dist.mean, dist.stddev))
"""),
    right("", ACT, body=NOISE),
    right("", ACT, (SAMPLE, "action_distribution.sample((1,))[0]")),
    right("", ACT, ("distribution.sample()", "(distribution.sample() if self.discrete else distribution.rsample())"), body=GET),
    right("", ACT, ("return ptu.to_numpy(action)", "return action.detach().cpu().numpy().astype(int if self.discrete else np.float64)"), body=GET),
    wrong("", ACT, "get_action.batch_axis", ("return ptu.to_numpy(action)", "return ptu.to_numpy(action).squeeze()"), body=GET),
    right("", ACT, ("return ptu.to_numpy(action)", "return ptu.to_numpy(action).tolist()"), body=GET),
    wrong("U10", ACT, "crash.dtypes", ("ptu.from_numpy(observation)", "torch.from_numpy(observation).double()"), body=GET),
    wrong("", ACT, "get_action.batch_axis", ("ptu.from_numpy(observation)", "torch.tensor(obs, dtype=torch.float)"), body=GET),
    wrong("", ACT, "get_action.policy_ignored", body="""
dist = self(ptu.from_numpy(observation))
if self.discrete:
    p = ptu.to_numpy(dist.probs).astype(np.float64)[0]
    return np.random.choice(self.ac_dim, size=len(observation), p=p / p.sum())
return ptu.to_numpy(dist.sample())
"""),
    right("", ACT, body="""
if self.discrete:
    probs = ptu.to_numpy(self(ptu.from_numpy(observation)).probs)
    return np.array([np.random.choice(self.ac_dim, p=p / p.sum()) for p in probs.astype(np.float64)])
return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())
"""),
    wrong("", ACT, "get_action.batch_axis", body="""
if self.discrete:
    return ptu.to_numpy(torch.multinomial(self.logits_na(ptu.from_numpy(observation)).softmax(-1), 1))
dist = self(ptu.from_numpy(observation))
return np.random.normal(ptu.to_numpy(dist.mean), ptu.to_numpy(dist.stddev))
"""),
    right("", ACT, body="""
logits = None
if self.discrete:
    logits = ptu.to_numpy(self.logits_na(ptu.from_numpy(observation)))
    return np.argmax(logits + np.random.gumbel(size=logits.shape), axis=-1)
return ptu.to_numpy(self(ptu.from_numpy(observation)).sample())
"""),
]  # fmt: skip

ENTRIES = [*FORWARDS, *ACTIONS]
