"""Mistakes and right forms of `sample_trajectory`."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

PLAY, FILE = "hw3.rollouts.sample_trajectory", "infrastructure/rollouts.py"
OBS = "obs.append(ob)"
ASK = "ac = policy.get_action(ob)[0]"
ACT = "acs.append(ac)"
TOOK = "ob, rew, terminated, truncated, _ = env.step(ac)"
NEXT = "next_obs.append(ob)"
PAID = "rewards.append(rew)"
TERMINAL = "terminals.append(terminated)"
DONE = "rollout_done = terminated or truncated or len(acs) >= max_path_length"
RESET = "ob, _ = env.reset()\n    while"
KEPT = "next_ob, rew, terminated, truncated, _ = env.step(ac)"
OLDER_BODY = f"""
{OBS}
ac = policy.get_action(ob)
ac = ac[0]
{ACT}
ob, rew, done, _ = env.step(ac)
{NEXT}
{PAID}
rollout_done = 1 if done or len(acs) == max_path_length else 0
terminals.append(rollout_done)
"""
# the whole older method: its lines within the region, and the line that resets
OLDER = (
    ("ob, _ = env.reset()", "ob = env.reset()"),
    (TOOK, "ob, rew, done, _ = env.step(ac)"),
    (f"        {TERMINAL}\n", ""),
    (
        DONE,
        "rollout_done = done or len(acs) >= max_path_length\n        terminals.append(rollout_done)",
    ),
)
SINGLE = (  # a policy that answers a single observation with a single action, and its rollout
    (
        "return ptu.to_numpy(action_distribution.sample())",
        "return ptu.to_numpy(action_distribution.sample())[0 if len(obs.shape) == 1 else slice(None)]",
    ),
)


def keep_ob(*changes: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Returns changes to the form that keeps `ob` and `next_ob` apart."""
    return ((TOOK, KEPT), (NEXT, "next_obs.append(next_ob)"), *changes)


def done(decision: str) -> tuple[str, str]:
    """Returns the change to another way of deciding that the path ends."""
    return DONE, f"rollout_done = {decision}"


ENTRIES = [
    # observations
    wrong("", PLAY, "rollout.observation_after_step", (f"{OBS}\n", ""), (NEXT, f"{NEXT}\n{OBS}")),
    wrong("D25", PLAY, "rollout.observation_after_step", (f"{OBS}\n", ""), (TOOK, f"{TOOK}\n{OBS}")),
    wrong("", PLAY, "rollout.observation_batched", (OBS, "obs.append(ob[None])")),
    wrong("", PLAY, "rollout.observation_batched", (OBS, "ob = ob.reshape(1, -1)\n" + OBS)),
    wrong("D24", PLAY, "rollout.ob_not_updated", *keep_ob()),
    wrong("", PLAY, "rollout.ob_not_updated", (TOOK, "_, rew, terminated, truncated, _ = env.step(ac)")),
    wrong("", PLAY, "rollout.next_is_present", (f"{NEXT}\n", ""), (TOOK, f"{NEXT}\n{TOOK}")),
    wrong("", PLAY, "rollout.next_is_present", *keep_ob((DONE, f"ob = next_ob\n{DONE}"), ("next_obs.append(next_ob)", NEXT))),
    wrong("", PLAY, "rollout.observations_swapped", *keep_ob((OBS + "\n", ""), ("next_obs.append(next_ob)", "obs.append(next_ob)\nnext_obs.append(ob)\nob = next_ob"))),
    wrong("D39", PLAY, "rollout.next_is_reset", (TOOK, f"{TOOK}\nif terminated or truncated:\n    ob, _ = env.reset()")),
    wrong("D39", PLAY, "rollout.next_is_reset", (NEXT, ""), (DONE, f"{DONE}\nif rollout_done:\n    ob, _ = env.reset()\n{NEXT}")),
    # actions
    wrong("", PLAY, "rollout.action_batch", ("(ob)[0]", "(ob)")),
    wrong("", PLAY, "rollout.action_batch", ("(ob)[0]", "(ob)"), (TOOK, TOOK.replace("(ac)", "(ac[0])"))),
    wrong("", PLAY, "rollout.indexed_twice", ("(ob)[0]", "(ob)[0][0]")),
    wrong("", PLAY, "rollout.indexed_twice", ("(ob)[0]", "(ob).flatten()[0]")),
    wrong("", PLAY, "rollout.discrete_only", ("(ob)[0]", "(ob).item()")),
    wrong("", PLAY, "rollout.discrete_only", ("(ob)[0]", "(ob)[0]\nac = int(ac)")),
    wrong("", PLAY, "rollout.list_shown", ("get_action(ob)", "get_action(np.array(obs))")),
    wrong("", PLAY, "rollout.list_shown", ("get_action(ob)", "get_action(obs)")),
    wrong("", PLAY, "rollout.policy_ignored", (ASK, "ac = env.action_space.sample()")),
    wrong("", PLAY, "rollout.policy_ignored", (TOOK, TOOK.replace("(ac)", "(env.action_space.sample())"))),
    wrong("", PLAY, "rollout.action_squashed", (TOOK, TOOK.replace("(ac)", "(np.clip(ac, -1, 1))"))),
    wrong("", PLAY, "rollout.action_squashed", (TOOK, TOOK.replace("(ac)", "(np.tanh(ac))"))),
    wrong("", PLAY, "rollout.asked_twice", (ACT, "acs.append(policy.get_action(ob)[0])")),
    wrong("D28", PLAY, "rollout.action_not_taken", (ACT, "acs.append(acs[-1] if acs else ac)")),
    wrong("", PLAY, "rollout.acts_in_other_state", (ASK, "ac = policy.get_action(obs[max(0, len(obs) - 2)])[0]")),
    wrong("", PLAY, "rollout.acts_in_other_state", (ASK, "ac = acs[0] if acs else policy.get_action(ob)[0]")),
    wrong("", PLAY, "rollout.not_get_action", ("policy.get_action(ob)", "policy(ob)")),
    wrong("", PLAY, "rollout.not_get_action", ("policy.get_action(ob)", "policy.act(ob)")),
    # rewards
    wrong("D35", PLAY, "rollout.reward_clipped", (PAID, "rewards.append(np.clip(rew, -1, 1))")),
    wrong("D35", PLAY, "rollout.reward_clipped", (PAID, "rewards.append(np.sign(rew))")),
    wrong("D35", PLAY, "rollout.reward_changed_at_end", (PAID, "rewards.append(-200.0 if terminated or truncated else rew)")),
    wrong("Q38", PLAY, "rollout.reward_changed_at_end", (PAID, "rewards.append(-rew if terminated else rew)")),
    wrong("B09", PLAY, "rollout.reward_rounded", (PAID, "rewards.append(int(rew))")),
    wrong("", PLAY, "rollout.reward_summed", (PAID, "rewards.append(rew + (rewards[-1] if rewards else 0))")),
    wrong("", PLAY, "rollout.reward_shifted", (PAID, ""), (ASK, f"{ASK}\nrewards.append(0.0 if len(acs) == 0 else rew)")),
    # terminals
    wrong("D36", PLAY, "rollout.cut_is_terminal", (TERMINAL, "terminals.append(terminated or truncated)")),
    wrong("D36", PLAY, "rollout.done_is_terminal", (TERMINAL, ""), (DONE, f"{DONE}\nterminals.append(rollout_done)")),
    wrong("", PLAY, ("rollout.done_is_terminal", "rollout.ignores_truncated"), (TERMINAL, ""),
          (DONE, "rollout_done = 1 if terminated or len(acs) == max_path_length else 0\nterminals.append(rollout_done)")),
    wrong("", PLAY, ("rollout.done_is_terminal", "rollout.one_step_too_many"), (TERMINAL, ""),
          (DONE, f"{DONE.replace('>=', '>')}\nterminals.append(rollout_done)")),
    wrong("", PLAY, "crash.never_ends", body="obs.append(ob)\nrollout_done = False"),
    wrong("", PLAY, "crash.never_ends", body="while True:\n    pass"),
    wrong("", PLAY, "rollout.cut_is_terminal", (TERMINAL, "terminals.append(terminated or len(acs) >= max_path_length)")),
    wrong("", PLAY, "rollout.truncated_is_terminal", (TERMINAL, "terminals.append(truncated)")),
    wrong("", PLAY, "rollout.truncated_is_terminal", (TOOK, "ob, rew, truncated, terminated, _ = env.step(ac)")),
    wrong("", PLAY, "rollout.terminal_inverted", (TERMINAL, "terminals.append(not terminated)")),
    wrong("", PLAY, "rollout.terminal_inverted", (TERMINAL, "terminals.append(1 - float(terminated or truncated))")),
    wrong("", PLAY, "rollout.never_terminal", (TERMINAL, "terminals.append(0)")),
    wrong("", PLAY, "rollout.always_terminal", (TERMINAL, "terminals.append(True)")),
    wrong("", PLAY, "rollout.terminal_lost_at_limit", (TERMINAL, "terminals.append(terminated and not truncated)")),
    wrong("", PLAY, "rollout.terminal_lost_at_limit", (TERMINAL, "terminals.append(terminated and len(acs) < max_path_length)")),
    # ends
    wrong("D37", PLAY, "rollout.ignores_truncated", done("terminated or len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.ignores_truncated", (TOOK, "ob, rew, terminated = env.step(ac)[:3]"), done("terminated or len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.ignores_terminated", done("truncated or len(acs) >= max_path_length")),
    wrong("", PLAY, ("rollout.ignores_terminated", "rollout.ignores_truncated"), done("len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.no_limit", done("terminated or truncated")),
    wrong("", PLAY, ("rollout.no_limit", "rollout.ignores_truncated"), done("terminated")),
    wrong("", PLAY, "rollout.one_step_too_many", done("terminated or truncated or len(acs) > max_path_length")),
    wrong("", PLAY, "rollout.one_step_too_few", done("terminated or truncated or len(acs) >= max_path_length - 1")),
    wrong("", PLAY, "rollout.one_step_too_few", done("terminated or truncated or len(acs) + 1 >= max_path_length")),
    wrong("", PLAY, "rollout.stops_at_once", done("True")),
    wrong("", PLAY, "rollout.stops_at_once", done("len(acs) <= max_path_length")),
    wrong("", PLAY, "rollout.stops_at_once", done("terminated or truncated or len(acs) < max_path_length")),
    wrong("", PLAY, "rollout.stops_at_once", done("not terminated or truncated or len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.and_for_or", done("terminated and truncated or len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.and_for_or", done("(terminated or truncated) and len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.and_for_or", done("terminated or truncated and len(acs) >= max_path_length")),
    wrong("", PLAY, "rollout.and_for_or", done("terminated and truncated and len(acs) >= max_path_length")),
    # the course of things
    wrong("", PLAY, "rollout.stepped_twice", (TOOK, f"{TOOK}\nob, rew, terminated, truncated, _ = env.step(ac)")),
    wrong("", PLAY, "rollout.stepped_twice", (TOOK, "ob, rew = env.step(ac)[:2]\n_, _, terminated, truncated, _ = env.step(ac)")),
    wrong("", PLAY, "rollout.no_step", (TOOK, "rew, terminated, truncated = 0.0, False, False")),
    wrong("", PLAY, "rollout.reset_inside", (OBS, f"ob, _ = env.reset()\n{OBS}")),
    wrong("", FILE, "rollout.same_start", ("env.reset()", "env.reset(seed=0)"), check=PLAY),
    right("", FILE, ("env.reset()", "env.reset(seed=int(np.random.randint(2**31)))"), check=PLAY),
    wrong("", PLAY, "rollout.spans_episodes", (DONE, "rollout_done = len(acs) >= max_path_length\nif terminated or truncated:\n    ob, _ = env.reset()")),
    wrong("D38", PLAY, "rollout.five_values", body=OLDER_BODY),
    wrong("D38", PLAY, "rollout.five_values", (TOOK, "result = env.step(ac)\nob, rew, terminated, _ = result")),
    wrong("", PLAY, "rollout.step_not_unpacked", (TOOK, "ob = env.step(ac)\nrew, terminated, truncated = ob[1:4]")),
    wrong("", FILE, "rollout.reset_pair", ("ob, _ = env.reset()", "ob = env.reset()"), check=PLAY),
    wrong("", PLAY, "rollout.no_path", (DONE, f"if {DONE.removeprefix('rollout_done = ')}:\n    return\nrollout_done = False")),
    wrong("", PLAY, "rollout.list_forgotten", (NEXT, "")),
    wrong("", PLAY, "rollout.list_forgotten", (TERMINAL, "")),
    wrong("", PLAY, "rollout.list_forgotten", (OBS, "")),
    wrong("", PLAY, "rollout.list_forgotten", (ACT, ""), done("terminated or truncated or len(obs) >= max_path_length")),
    wrong("", PLAY, "rollout.appended_twice", (PAID, f"{PAID}\n{PAID}")),
    wrong("", PLAY, "rollout.last_step_missing", (PAID, ""), (DONE, f"{DONE}\nif not rollout_done:\n    {PAID}")),
    wrong("", PLAY, "crash.unknown_name", done("done or len(acs) >= max_path_length")),
    wrong("D31", PLAY, "crash.one_path", (DONE, "if terminated or truncated or len(acs) >= max_path_length:\n    rollout_done = True")),
    # several at once
    wrong("", PLAY, ("rollout.cut_is_terminal", "rollout.reward_clipped"), (TERMINAL, "terminals.append(terminated or truncated)"), (PAID, "rewards.append(np.sign(rew))")),
    wrong("", PLAY, ("rollout.ignores_truncated", "rollout.observation_after_step", "rollout.one_step_too_many"), (f"{OBS}\n", ""), (NEXT, f"{NEXT}\n{OBS}"), done("terminated or len(acs) > max_path_length")),
    wrong("", PLAY, ("rollout.action_batch", "rollout.ob_not_updated"), *keep_ob(("(ob)[0]", "(ob)"))),
    wrong("", PLAY, ("rollout.list_forgotten", "rollout.no_limit", "rollout.never_terminal"), (NEXT, ""), (TERMINAL, "terminals.append(0)"), done("terminated or truncated")),
    wrong("", PLAY, ("rollout.next_is_present", "rollout.terminal_inverted"), (f"{NEXT}\n", ""), (TOOK, f"{NEXT}\n{TOOK}"), (TERMINAL, "terminals.append(not terminated)")),
    wrong("", PLAY, "rollout.list_shown", (ASK, "ac = policy.get_action(obs)")),
    wrong("", PLAY, ("rollout.indexed_twice", "rollout.never_terminal"), ("(ob)[0]", "(ob).flatten()[0]"), (TERMINAL, "terminals.append(False)")),
    # a whole method for the Gym of 2020
    wrong("", FILE, "rollout.reset_pair", *OLDER, check=PLAY),
    # right forms
    right("", PLAY),
    right("", PLAY, (TOOK, "bounds = env.action_space\nif hasattr(bounds, 'low'):\n    ac = np.clip(ac, bounds.low, bounds.high)\n" + TOOK)),
    right("", PLAY, *keep_ob((DONE, f"ob = next_ob\n{DONE}"))),
    right("", PLAY, (ASK, "ac = policy.get_action(ob)\nac = ac[0]")),
    right("", PLAY, (ASK, "ac = policy.get_action(ob[None])[0]")),
    right("", PLAY, (ASK, "ac = policy.get_action(np.asarray(ob, dtype=np.float64))[0]")),
    wrong("", PLAY, "rollout.squeezed", (ASK, "ac = policy.get_action(ob).squeeze()")),
    right("", PLAY, (ASK, "(ac,) = policy.get_action(ob)")),
    wrong("", PLAY, "rollout.list_shown", (ASK, "ac = policy.get_action(obs)[-1]")),
    right("", PLAY, (TERMINAL, "terminals.append(1.0 if terminated else 0.0)")),
    right("", PLAY, (TERMINAL, "terminals.append(int(terminated))")),
    right("", PLAY, (PAID, "rewards.append(np.float64(rew))")),
    right("", PLAY, done("bool(terminated) or bool(truncated) or len(rewards) == max_path_length")),
    right("", PLAY, done("terminated or truncated or not len(acs) < max_path_length")),
    right("", PLAY, done("any([terminated, truncated, len(obs) >= max_path_length])")),
    right("", PLAY, done("int(terminated or truncated or len(acs) > max_path_length - 1)")),
    right("", PLAY, done("np.logical_or.reduce([terminated, truncated, len(acs) >= max_path_length])")),
    right("", PLAY, done("terminated | truncated | (len(acs) >= max_path_length)")),
    right("", PLAY, (DONE, "if terminated or truncated or len(acs) >= max_path_length:\n    rollout_done = True\nelse:\n    rollout_done = False")),
    right("", PLAY, (DONE, f"{DONE}\nif rollout_done:\n    env.reset()")),
    right("", PLAY, (DONE, f"{DONE}\nif rollout_done:\n    return Path(obs, image_obs, acs, rewards, next_obs, terminals)")),
    right("", PLAY, (OBS, "steps = len(obs)\nobs.append(ob)"), (PAID, f"{PAID}\nsteps += 1"), done("terminated or truncated or steps >= max_path_length")),
    right("", PLAY, (OBS, "obs += [ob]"), (ACT, "acs += [ac]"), (PAID, "rewards += [float(rew)]")),
    right("", PLAY, (TOOK, "step = env.step(ac)\nob, rew, terminated, truncated = step[0], step[1], step[2], step[3]")),
    right("", PLAY, (TOOK, "ob, rew, terminated, truncated, *_ = env.step(ac)")),
    right("", PLAY, (f"{ACT}\n", ""), (PAID, f"{PAID}\n{ACT}")),
    right("", PLAY, (f"{OBS}\n", ""), (ACT, f"{ACT}\n{OBS}")),
    right("", PLAY, (OBS, "obs.append(np.array(ob, dtype=np.float64))"), (NEXT, "next_obs.append(ob.copy())")),
    right("", PLAY, (ACT, "acs.append(np.copy(ac))")),
    right("", PLAY, (ASK, "ac = np.asarray(policy.get_action(ob))[0]\nenv.render()")),
    right("", PLAY, body=f"rollout_done = False\nwhile not rollout_done:\n    {OBS}\n    {ASK}\n    {ACT}\n    {TOOK}\n    {NEXT}\n    {PAID}\n    {TERMINAL}\n    {DONE}"),
    right("", PLAY, body=f"{OBS}\n{ASK}\n{ACT}\nob, rew, done, truncated, info = env.step(ac)\n{NEXT}\n{PAID}\nterminals.append(done)\nrollout_done = bool(done or truncated or len(rewards) == max_path_length)"),
]  # fmt: skip
