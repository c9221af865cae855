"""Right forms of SAC's blanks that a mutation file does not have, and pairs of mistakes."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

BACKUP, TARGETS = "hw4.sac.backup", "hw4.sac.targets"
ACTOR, TEMPERATURE = "hw4.sac.actor", "hw4.sac.temperature"
ENTRIES = [
    right("V43", BACKUP, ("v_kn = next_q_kn.flip(0)", "v_kn[[0, 1]] = v_kn[[1, 0]]")),
    right(
        "",
        BACKUP,
        body="""
twins = {"single": lambda q: q, "double": lambda q: torch.flip(q, dims=(0,))}
smaller = torch.min(next_q_kn, dim=0)[0].repeat(len(next_q_kn), 1)
v_kn = twins.get(q_backup, lambda _: smaller)(next_q_kn)
""",
    ),
    wrong(
        "S13",
        BACKUP,
        ("q_backup.not_swapped", "q_backup.larger_critic"),
        (".flip(0)", ""),
        (".min(dim", ".max(dim"),
    ),
    right(
        "",
        TARGETS,
        body="""
entropy_n = -next_log_pi_n
y_kn = torch.zeros_like(v_kn)
for k, v_n in enumerate(v_kn):
    future_n = torch.add(v_n, alpha * entropy_n)
    y_kn[k] = torch.where(terminal_n.bool(), 0.0, future_n) * discount + re_n
""",
    ),
    right(
        "",
        TARGETS,
        body="y_kn = v_kn - alpha * next_log_pi_n\ny_kn = re_n + discount * y_kn * (1 - terminal_n)",
    ),
    wrong(
        "S01",
        TARGETS,
        ("soft_targets.entropy_sign", "soft_targets.no_mask"),
        ("v_kn - alpha", "v_kn + alpha"),
        ("(1.0 - terminal_n) * ", ""),
    ),
    right(
        "",
        ACTOR,
        body="""
value_n = q_kn[0] if len(q_kn) == 1 else torch.min(*q_kn)
loss = torch.mean(-value_n + alpha.detach().squeeze() * log_pi_n)
""",
    ),
    right(
        "",
        ACTOR,
        body="loss = torch.dot(alpha * log_pi_n - q_kn.min(0)[0], torch.ones_like(log_pi_n)) / len(log_pi_n)",
    ),
    wrong(
        "SACN02",
        ACTOR,
        ("soft_actor.no_temperature", "soft_actor.mean_of_critics"),
        ("alpha * ", ""),
        (".min(dim=0).values", ".mean(dim=0)"),
    ),
    right(
        "",
        TEMPERATURE,
        body="""
with torch.no_grad():
    excess = torch.add(log_pi_n, target_entropy).mean()
loss = (-excess * log_alpha).squeeze()
""",
    ),
    right(
        "", TEMPERATURE, body="loss = (log_alpha[0] * (-log_pi_n.detach() - target_entropy)).mean()"
    ),
    wrong(
        "S27",
        TEMPERATURE,
        ("temperature.uphill", "temperature.temperature_itself"),
        ("-(log_alpha", "(log_alpha.exp()"),
    ),
]
