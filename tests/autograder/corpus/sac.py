"""Right forms of SAC's blanks that a mutation file does not have, and pairs of mistakes."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

BACKUP, TARGETS = "hw4.sac.backup", "hw4.sac.targets"
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
        ("q_backup.not_swapped", "q_backup.larger"),
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
]
