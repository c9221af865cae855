"""Right forms of the squashed policy's and the noisy policy's blanks, and pairs of mistakes."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

SAMPLE, DENSITY, EXPLORE = "hw4.squashed.sample", "hw4.squashed.log_prob", "hw4.policy.explore"
NORMAL = "torch.distributions.Normal"
ENTRIES = [
    right(
        "",
        SAMPLE,
        body="std_na = torch.exp(log_std_na)\nu_na = std_na.mul(noise_na).add(mean_na)\nac_na = u_na.tanh()",
    ),
    right(
        "",
        SAMPLE,
        body="u_na = noise_na * math.e**log_std_na + mean_na\nac_na = 2 * torch.sigmoid(2 * u_na) - 1",
    ),
    wrong(
        "",
        SAMPLE,
        ("squash.log_of_variance", "squash.not_squashed"),
        ("log_std_na.exp()", "(log_std_na / 2).exp()"),
        ("torch.tanh(u_na)", "u_na"),
    ),
    right(
        "",
        DENSITY,
        body=f"""
std_na = log_std_na.exp()
gaussian = {NORMAL}(u_na - std_na * noise_na, std_na)
tanh = torch.distributions.transforms.TanhTransform()
log_prob_n = gaussian.log_prob(u_na).sum(-1) - tanh.log_abs_det_jacobian(u_na, u_na.tanh()).sum(-1)
""",
    ),
    right(
        "",
        DENSITY,
        body=f"""
log_prob_n = {NORMAL}(0.0, 1.0).log_prob(noise_na).sum(axis=1)
log_prob_n = log_prob_n - log_std_na.sum(axis=1)
log_prob_n -= (2 * (math.log(2) - u_na - F.softplus(-2 * u_na))).sum(axis=1)
""",
    ),
    wrong(
        "S26",
        DENSITY,
        ("log_prob.no_correction", "log_prob.mean_of_components"),
        (" - correction_na", ""),
        (".sum(dim=1)", ".mean(dim=1)"),
    ),
    right(
        "",
        EXPLORE,
        body="""
noise_na = np.random.randn(*mean_na.shape).astype(np.float32) * self.exploration_noise
ac_na = torch.from_numpy(np.clip(ptu.to_numpy(mean_na) + noise_na, -1, 1))
""",
    ),
    right(
        "",
        EXPLORE,
        body=f"""
if self.exploration_noise > 0:
    mean_na = {NORMAL}(mean_na, self.exploration_noise).sample()
ac_na = torch.clamp(mean_na, min=-1, max=1)
""",
    ),
    wrong(
        "",
        EXPLORE,
        ("explore.one_for_all_components", "explore.action_not_clipped"),
        ("torch.randn_like(mean_na)", "torch.randn(len(mean_na), 1)"),
        (".clamp(-1.0, 1.0)", ""),
    ),
]
