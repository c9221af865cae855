"""Mistakes and right forms of homework 4: DDPG and TD3."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

TARGETS, ACTOR, COPY = "hw4.ddpg.targets", "hw4.ddpg.actor", "hw4.critic.soft_copy"
SMOOTHING, CLIPPED = "hw4.td3.smoothing", "hw4.td3.targets"
TWIN, DELAY = "hw4.td3.critic", "hw4.td3.delay"
ENTRIES = [
    right("", TARGETS, body="""
(q_n,) = target_critic(ob_no=next_ob_no, ac_na=target_actor.mode(ob_no=next_ob_no))
q_n[terminal_n.bool()] = 0
y_n = torch.add(re_n, q_n, alpha=discount)
"""),
    wrong("DDPGN02", TARGETS, "ddpg_targets.mask_inverted", ("(1.0 - terminal_n)", "terminal_n")),
    wrong("", TARGETS, ("ddpg_targets.arguments_swapped", "ddpg_targets.no_mask"),
          ("next_ob_no, target_actor(next_ob_no)", "target_actor(next_ob_no), next_ob_no"),
          ("(1.0 - terminal_n) * ", "")),
    right("", ACTOR, body="""
critic.requires_grad_(False)
[q_n] = critic(ob_no=ob_no, ac_na=actor(ob_no=ob_no))
loss = -q_n.sum() / q_n.numel()
critic.requires_grad_(True)
"""),
    wrong("DDPGN04", ACTOR, "ddpg_actor.summed", (".mean()", ".sum()")),
    wrong("DD04", ACTOR, ("ddpg_actor.uphill", "ddpg_actor.summed"),
          ("-critic(ob_no, actor(ob_no)).mean()", "critic(ob_no, actor(ob_no)).sum()")),
    right("", COPY, body="""
torch._foreach_mul_(target, 1.0 - tau)
torch._foreach_add_(target, source, alpha=tau)
"""),
    wrong("DD02", COPY, ("soft_copy.online_moves", "soft_copy.tau_swapped"), body="""
for old, new in zip(source, target, strict=True):
    old.copy_(tau * old + (1 - tau) * new)
"""),
    wrong("TD3N03", COPY, "soft_copy.weights_shared",
          body="for old, new in zip(target, source):\n    old.set_(new)"),
    right("", SMOOTHING, (".clamp(-clip, clip)", ".clip(-clip, clip)")),
    right("", CLIPPED, body="""
q1_n, q2_n = next_q_kn
smaller_n = torch.where(q1_n < q2_n, q1_n, q2_n)
y_n = smaller_n.masked_fill(terminal_n == 1, 0.0).mul(discount) + re_n
"""),
    right("", TWIN, body="""
first_n, second_n = (y_n.detach() - q_n for q_n in q_kn.unbind())
loss = (first_n @ first_n + second_n.dot(second_n)) / first_n.shape[0]
"""),
    wrong("", TWIN, ("twin_loss.critics_averaged", "twin_loss.uphill"),
          ("(q_kn", "-(q_kn"), (".mean(dim=1).sum()", ".mean()")),
    right("", DELAY, body="turn = update in range(policy_delay, update + 1, policy_delay)"),
    right("", DELAY, body="turn = int(update) % int(policy_delay) < 1"),
    wrong("TD06", DELAY, "delay.always", ("update % policy_delay == 0", "update > 0")),
]  # fmt: skip
