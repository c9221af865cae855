"""Mistakes and right forms of actor-critic's train."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

TRAIN, AGENT = "hw3.ac.train", "agents/ac_agent.py"
CRITIC_CALL = "self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)"
ACTOR_CALL = "self.actor.update(ob_no, ac_na, adv_n)"
ADVANTAGE = "self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n)"
CRITIC_LOOP = 'range(self.agent_params["num_critic_updates_per_agent_update"])'
ACTOR_LOOP = 'range(self.agent_params["num_actor_updates_per_agent_update"])'


def calls(source: str, misconceptions: str | tuple[str, ...], *changes: tuple[str, str]) -> Entry:
    """A change of train."""
    return wrong(source, TRAIN, misconceptions, *changes)


def called(*changes: tuple[str, str], source: str = "", body: str | None = None) -> Entry:
    """Another right form of train."""
    return right(source, TRAIN, *changes, body=body)


ONE_LOOP = f"""
loss = OrderedDict()
for _ in {CRITIC_LOOP}:
    loss["Critic_Loss"] = {CRITIC_CALL}
    adv_n = {ADVANTAGE}
    loss["Actor_Loss"] = {ACTOR_CALL}
"""
NESTED = f"""
loss = OrderedDict()
for _ in {CRITIC_LOOP}:
    loss["Critic_Loss"] = {CRITIC_CALL}
    adv_n = {ADVANTAGE}
    for _ in {ACTOR_LOOP}:
        loss["Actor_Loss"] = {ACTOR_CALL}
"""
ACTOR_FIRST = f"""
loss = OrderedDict()
adv_n = {ADVANTAGE}
for _ in {ACTOR_LOOP}:
    loss["Actor_Loss"] = {ACTOR_CALL}
for _ in {CRITIC_LOOP}:
    loss["Critic_Loss"] = {CRITIC_CALL}
"""
INSIDE = f"""
loss = OrderedDict()
for _ in {CRITIC_LOOP}:
    adv_n = {ADVANTAGE}
    loss["Critic_Loss"] = {CRITIC_CALL}
for _ in {ACTOR_LOOP}:
    loss["Actor_Loss"] = {ACTOR_CALL}
"""
LISTS = f"""
critic_losses, actor_losses = [], []
for _ in {CRITIC_LOOP}:
    critic_losses.append({CRITIC_CALL})
for _ in {ACTOR_LOOP}:
    advantages = self.estimate_advantage(ob_no, next_ob_no, re_n=re_n, terminal_n=terminal_n)
    actor_losses.append(self.actor.update(observations=ob_no, actions=ac_na, adv_n=advantages))
loss = OrderedDict(Critic_Loss=FORM(critic_losses), Actor_Loss=FORM(actor_losses))
"""
INLINE = """
v_n, next_v_n = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
adv_n = re_n + self.gamma * next_v_n * (1 - terminal_n) - v_n
for"""

WRONG = [
    calls("A10", "ac_train.actor_count", (ACTOR_LOOP, CRITIC_LOOP)),
    calls("", "ac_train.critic_count", (CRITIC_LOOP, ACTOR_LOOP)),
    calls("", "ac_train.counts_swapped", (CRITIC_LOOP, "range(0)"), (ACTOR_LOOP, CRITIC_LOOP), ("range(0)", ACTOR_LOOP)),
    calls("", "ac_train.critic_count", (CRITIC_LOOP, 'range(self.agent_params["num_agent_train_steps_per_iter"])')),
    calls("", "ac_train.critic_count", (CRITIC_LOOP, 'range(self.agent_params["num_target_updates"])')),
    calls("", "ac_train.critic_once", (f"for _ in {CRITIC_LOOP}:", "if True:")),
    calls("", "ac_train.actor_once", (f"for _ in {ACTOR_LOOP}:", "if True:")),
    calls("", ("ac_train.critic_once", "ac_train.actor_once"), (f"for _ in {CRITIC_LOOP}:", "if True:"), (f"for _ in {ACTOR_LOOP}:", "if True:")),
    calls("A12", "ac_train.critic_swapped", ("next_ob_no, re_n, terminal_n)\n", "re_n, next_ob_no, terminal_n)\n")),
    calls("", "ac_train.critic_arguments", (CRITIC_CALL, CRITIC_CALL.replace("next_ob_no", "ob_no"))),
    calls("", "ac_train.critic_arguments", (CRITIC_CALL, CRITIC_CALL.replace(", terminal_n", ""))),
    calls("", "ac_train.critic_arguments", (CRITIC_CALL, CRITIC_CALL.replace("ob_no, ac_na, next_ob_no", "next_ob_no, ac_na, ob_no"))),
    calls("", "ac_train.critic_arguments", (CRITIC_CALL, CRITIC_CALL.replace("terminal_n", "1 - terminal_n"))),
    calls("", "ac_train.advantage_argument", (f"adv_n = {ADVANTAGE}\nfor", INLINE)),
    calls("", "ac_train.advantage_arguments", (ADVANTAGE, ADVANTAGE.replace("next_ob_no, re_n", "re_n, next_ob_no"))),
    calls("", "ac_train.advantage_arguments", (ADVANTAGE, ADVANTAGE.replace("ob_no, next_ob_no", "next_ob_no, ob_no"))),
    calls("", "ac_train.actor_arguments", (ACTOR_CALL, ACTOR_CALL.replace("ob_no, ac_na", "ac_na, ob_no"))),
    calls("", "ac_train.actor_arguments", (ACTOR_CALL, ACTOR_CALL.replace("ob_no", "next_ob_no"))),
    wrong("A13", TRAIN, "ac_train.advantage_early", body=INSIDE),
    calls("A13", "ac_train.advantage_early", ("loss = OrderedDict()", f"loss = OrderedDict()\nadv_n = {ADVANTAGE}"),
          (f"\nadv_n = {ADVANTAGE}\nfor _ in range(self.agent_params[\"num_actor", "\nfor _ in range(self.agent_params[\"num_actor")),
    calls("A14", "crash.not_iterable", (CRITIC_LOOP, 'self.agent_params["num_critic_updates_per_agent_update"]')),
    calls("A15", "ac_train.advantage_missing", (", adv_n)", ")")),
    calls("A15", "ac_train.rewards_as_advantage", ("ac_na, adv_n)", "ac_na, re_n)")),
    calls("", "ac_train.advantage_argument", ("ac_na, adv_n)", "ac_na, -adv_n)")),
    calls("", "ac_train.advantage_argument", ("ac_na, adv_n)", "ac_na, re_n + adv_n)")),
    calls("A17", "ac_train.losses_swapped", ('loss["Critic_Loss"]', 'loss["?"]'), ('loss["Actor_Loss"]', 'loss["Critic_Loss"]'), ('loss["?"]', 'loss["Actor_Loss"]')),
    calls("A17", "ac_train.losses_swapped", ("loss = OrderedDict()", "loss = OrderedDict()\nc = a = 0"), ('loss["Critic_Loss"]', "c"), ('loss["Actor_Loss"]', "a"),
          (ACTOR_CALL, ACTOR_CALL + '\nloss["Critic_Loss"], loss["Actor_Loss"] = a, c')),
    calls("", "ac_train.losses_swapped", (ACTOR_CALL, ACTOR_CALL + '\nloss["Actor_Loss"] = loss["Critic_Loss"]')),
    wrong("", TRAIN, "ac_train.actor_first", body=ACTOR_FIRST),
    wrong("", TRAIN, "ac_train.interleaved", body=ONE_LOOP),
    wrong("", TRAIN, "ac_train.interleaved", body=NESTED),
    calls("", "ac_train.no_critic_update", (f'for _ in {CRITIC_LOOP}:\n    loss["Critic_Loss"] = {CRITIC_CALL}\n', "")),
    calls("", "ac_train.no_actor_update", (f'for _ in {ACTOR_LOOP}:\n    loss["Actor_Loss"] = {ACTOR_CALL}', "")),
    calls("", "ac_train.no_critic_update", ("self.critic.update(", "max(0, len(re_n), *re_n) or (")),
    calls("", "ac_train.no_such_setting", ("num_critic_updates_per_agent_update", "num_critic_updates")),
    calls("", "ac_train.no_such_setting", (CRITIC_LOOP, "range(self.num_critic_updates_per_agent_update)")),
    calls("", "ac_train.inputs_changed", ("loss = OrderedDict()", "loss = OrderedDict()\nac_na += 1"), ("self.critic.update(ob_no, ac_na", "self.critic.update(ob_no, ac_na - 1"), ("self.actor.update(ob_no, ac_na", "self.actor.update(ob_no, ac_na - 1")),
    calls("", ("ac_train.actor_count", "ac_train.critic_swapped"), (ACTOR_LOOP, CRITIC_LOOP), ("next_ob_no, re_n, terminal_n)\n", "re_n, next_ob_no, terminal_n)\n")),
    calls("", ("ac_train.actor_count", "ac_train.losses_swapped", "ac_train.advantage_arguments"), (ACTOR_LOOP, CRITIC_LOOP),
          (ADVANTAGE, ADVANTAGE.replace("re_n, terminal_n", "terminal_n, re_n")), (ACTOR_CALL, ACTOR_CALL + '\nloss["Critic_Loss"], loss["Actor_Loss"] = loss["Actor_Loss"], loss["Critic_Loss"]')),
    wrong("", TRAIN, ("ac_train.no_critic_update", "ac_train.no_actor_update"), body="loss = {}"),
    *(wrong("V25", TRAIN, "ac_train.loss_no_number", body=LISTS.replace("FORM", form)) for form in ("list", "torch.tensor", "np.array")),
    calls("", "ac_train.log_name_missing", ('loss["Critic_Loss"]', 'loss["Critic Loss"]')),
    calls("", "ac_train.log_name_missing", (ACTOR_CALL, ACTOR_CALL + '\nloss.pop("Actor_Loss")')),
    called((ACTOR_CALL, ACTOR_CALL + '\nloss["Advantage"] = float(adv_n.mean())')),
    calls("", "crash.unknown_name", ("ac_na, adv_n)", "ac_na, advantages)")),
]  # fmt: skip
RIGHT = [
    *(called(source="V25", body=LISTS.replace("FORM", form)) for form in ("sum", "np.mean")),
    called(("= self.critic", "= -1 + self.critic"), source="V25"),
    called(("loss = OrderedDict()", "loss = OrderedDict(Rate=self.actor.optimizer.param_groups[0]['lr'])")),
    called(("loss = OrderedDict()", "loss = OrderedDict()\nif self.actor.logstd is not None:\n    loss['Spread'] = self.actor.logstd.exp().mean().item()")),
    called(("terminal_n)\nadv", "terminal_n)\nloss = dict(loss)\nadv"), source="V25"),
    called(("loss = OrderedDict()", "loss = OrderedDict(Critic_Loss=0.0, Actor_Loss=0.0)"), ('_Loss"] =', '_Loss"] +='), source="V25"),
    called((f"adv_n = {ADVANTAGE}\n", ""), (ACTOR_CALL, ACTOR_CALL.replace("adv_n", ADVANTAGE))),
    called((f"adv_n = {ADVANTAGE}", f"adv_n = ptu.from_numpy({ADVANTAGE})"), source="V28"),
    called(("terminal_n)\nadv", f"terminal_n)\n    adv_n = {ADVANTAGE}\nadv")),
    called(("loss = OrderedDict()", "loss = OrderedDict()\nob_no, re_n = ptu.from_numpy(ob_no), re_n.astype(np.float64)")),
    called(("ob_no, ac_na, next_ob_no, re_n, terminal_n)", "terminal_n=terminal_n, reward_n=re_n, ob_no=ob_no, ac_na=ac_na, next_ob_no=next_ob_no)")),
    called(("self.agent_params[", "int(self.agent_params["), ("update\"])", "update\"]))")),
]  # fmt: skip
ENTRIES = [*WRONG, *RIGHT]
