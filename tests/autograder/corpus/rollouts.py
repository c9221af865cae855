"""Mistakes and right forms of `sample_trajectory` and of the trainer's two blanks."""

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


ROLLOUTS = [
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
    wrong("D36", PLAY, "rollout.cut_is_terminal", (TERMINAL, ""), (DONE, f"{DONE}\nterminals.append(rollout_done)")),
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
    wrong("", PLAY, ("rollout.action_batch", "rollout.list_shown"), (ASK, "ac = policy.get_action(obs)")),
    wrong("", PLAY, ("rollout.indexed_twice", "rollout.never_terminal"), ("(ob)[0]", "(ob).flatten()[0]"), (TERMINAL, "terminals.append(False)")),
    # an older method, and its mistakes
    right("", FILE, *OLDER, check=PLAY),
    right("", FILE, *OLDER, ("terminals.append(rollout_done)", "terminals.append(done)"), check=PLAY),
    wrong("", FILE, "rollout.no_limit", *OLDER, ("done or len(acs) >= max_path_length", "done"), check=PLAY),
    wrong("", FILE, ("rollout.ignores_terminated", "rollout.ignores_truncated"), *OLDER, ("done or len(acs)", "len(acs)"), ("(rollout_done)", "(done)"), check=PLAY),
    wrong("", FILE, "rollout.never_terminal", *OLDER, ("terminals.append(rollout_done)", "terminals.append(0)"), check=PLAY),
    wrong("", FILE, "rollout.one_step_too_many", *OLDER, ("len(acs) >=", "len(acs) >"), check=PLAY),
    # right forms
    right("", PLAY),
    right("", PLAY, *keep_ob((DONE, f"ob = next_ob\n{DONE}"))),
    right("", PLAY, (ASK, "ac = policy.get_action(ob)\nac = ac[0]")),
    right("", PLAY, (ASK, "ac = policy.get_action(ob[None])[0]")),
    right("", PLAY, (ASK, "ac = policy.get_action(np.asarray(ob, dtype=np.float64))[0]")),
    right("", PLAY, (ASK, "ac = policy.get_action(ob).squeeze()")),
    right("", PLAY, (ASK, "(ac,) = policy.get_action(ob)")),
    right("", PLAY, (ASK, "ac = policy.get_action(obs)[-1]")),
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
    right("", FILE, ("def sample_trajectory(\n    env: gym.Env[Any, Any], policy: Policy, max_path_length: int, render: bool = False\n)", "def sample_trajectory(policy, env, max_length, render=False)"), ("len(acs) >= max_path_length", "len(acs) >= max_length"), ("(sample_trajectory(env, policy, max_path_length, render))", "(sample_trajectory(policy, env, max_path_length, render))"), ("sample_trajectory(env, policy, max_path_length, render) for", "sample_trajectory(policy, env, max_path_length, render) for"), check=PLAY),
]  # fmt: skip

COLLECT, TRAINER = "hw3.trainer.collect", "infrastructure/rl_trainer.py"
ENV, SIZE, LENGTH = "self.env", "batch_size", 'self.params["ep_len"]'
WHO = "rollouts.sample_trajectories"
GIVEN = f"({ENV}, collect_policy, {SIZE}, {LENGTH})"


def collected(
    source: str, arguments: str = GIVEN, names: str = "paths, envsteps_this_batch"
) -> str:
    """Returns a body that calls `source`."""
    return f"{names} = {source}{arguments}"


LOOP = """
paths, envsteps_this_batch = [], 0
while envsteps_this_batch < batch_size:
    path = rollouts.sample_trajectory(self.env, collect_policy, self.params["ep_len"])
    paths.append(path)
    envsteps_this_batch += len(path["reward"])
"""

COLLECTING = [
    right("", COLLECT),
    right("", COLLECT, body=collected("utils.sample_trajectories")),
    right("", COLLECT, (f"{SIZE},", 'self.params["batch_size"],')),
    right("", COLLECT, ("collect_policy", "policy=collect_policy"), (f"{SIZE},", f"min_timesteps_per_batch={SIZE},"), (LENGTH, f"max_path_length={LENGTH}"), ("self.env", "env=self.env")),
    right("", COLLECT, body=collected(WHO, f"({ENV}, collect_policy, max_path_length={LENGTH}, min_timesteps_per_batch={SIZE})")),
    right("", COLLECT, body=collected(WHO, f"({ENV}, collect_policy, {SIZE}, {LENGTH}, False)")),
    right("", COLLECT, body=collected(WHO, names="result") + "\npaths, envsteps_this_batch = result[0], result[1]"),
    right("", COLLECT, body=collected(WHO, names="paths, _") + "\nenvsteps_this_batch = sum(len(p['reward']) for p in paths)"),
    right("", COLLECT, body=collected(WHO, names="paths, _") + "\nenvsteps_this_batch = np.sum([rollouts.get_pathlength(p) for p in paths])"),
    right("", COLLECT, body=collected(WHO, names="paths, envsteps_this_batch") + "\nreturn paths, envsteps_this_batch, None"),
    right("", COLLECT, body="from cs285.infrastructure.rollouts import sample_trajectories\n" + collected("sample_trajectories")),
    right("", COLLECT, body="from cs285.infrastructure import utils as u\n".replace("utils", "rollouts") + collected("u.sample_trajectories")),
    right("", COLLECT, body=LOOP),
    right("", COLLECT, body=LOOP.replace('len(path["reward"])', "rollouts.get_pathlength(path)")),
    right("", COLLECT, body=LOOP.replace("path = rollouts.sample_trajectory(self.env, collect_policy, ", "path, = rollouts.sample_n_trajectories(self.env, collect_policy, 1, ")),
    right("", COLLECT, ("collect_policy", "self.agent.actor")),
    right("", TRAINER, ("utils = rollouts", "from cs285.infrastructure.rollouts import sample_trajectories\n\nutils = rollouts"), ("rollouts.sample_trajectories(\n            self.env, collect", "sample_trajectories(\n            self.env, collect"), check=COLLECT),
    right("", TRAINER, ("collect_training_trajectories(\n        self, itr: int, collect_policy: Policy, batch_size: int\n", "collect_training_trajectories(\n        self, itr, initial_expertdata, collect_policy, num_transitions_to_sample,\n        save_expert_data_to_disk=False\n"), ("self.env, collect_policy, batch_size,", "self.env, collect_policy, num_transitions_to_sample,"), ("return paths, envsteps_this_batch\n", "return paths, envsteps_this_batch, None\n"), check=COLLECT),
    right("", TRAINER, ("utils = rollouts", "import gym\nfrom gym import wrappers\nfrom cs285.infrastructure import utils\nfrom cs285.infrastructure.dqn_utils import get_wrapper_by_name, register_custom_envs\n\nregister_custom_envs()"), ("rollouts.sample_trajectories(\n            self.env, collect", "utils.sample_trajectories(\n            self.env, collect"), check=COLLECT),
    wrong("", COLLECT, "collect.eval_env", (ENV, "self.eval_env")),
    wrong("", COLLECT, "collect.other_env", (ENV, "self.params['env_name']")),
    wrong("", COLLECT, "collect.other_policy", ("collect_policy", "self.agent")),
    wrong("", COLLECT, "collect.other_policy", ("collect_policy", "None")),
    wrong("", COLLECT, "collect.wrong_count", (f"{SIZE},", 'self.params["train_batch_size"],')),
    wrong("", COLLECT, "collect.wrong_count", (f"{SIZE},", 'self.params["eval_batch_size"],')),
    wrong("", COLLECT, "collect.wrong_count", (f"{SIZE},", "1,")),
    wrong("", COLLECT, "collect.no_path_length", (f", {LENGTH}", "")),
    wrong("", COLLECT, "collect.wrong_path_length", (LENGTH, 'self.params["video_len"]')),
    wrong("", COLLECT, "collect.wrong_path_length", (LENGTH, "1000")),
    wrong("", COLLECT, "collect.wrong_path_length", (LENGTH, "batch_size")),
    wrong("", COLLECT, "collect.arguments_swapped", body=collected(WHO, f"({ENV}, collect_policy, {LENGTH}, {SIZE})")),
    wrong("", COLLECT, "collect.arguments_swapped", body=collected(WHO, f"(collect_policy, {ENV}, {SIZE}, {LENGTH})")),
    wrong("", COLLECT, "collect.results_swapped", body=collected(WHO, names="envsteps_this_batch, paths")),
    wrong("", COLLECT, "collect.pair_not_unpacked", body=collected(WHO, names="paths") + "\nenvsteps_this_batch = len(paths)"),
    wrong("", COLLECT, "collect.results", body=collected(WHO, names="paths, envsteps_this_batch, _")),
    wrong("", COLLECT, "collect.results", body=collected(WHO, f"{GIVEN}[0]")),
    wrong("", COLLECT, "crash.unknown_name", body=collected(WHO, names="paths, steps")),
    wrong("", COLLECT, "collect.collected_twice", body=collected(WHO, f"{GIVEN}[0]", "paths") + "\n" + collected(WHO, f"{GIVEN}[1]", "envsteps_this_batch")),
    wrong("", COLLECT, "collect.paths_for_steps", body=collected("rollouts.sample_n_trajectories", names="paths") + "\nenvsteps_this_batch = sum(len(p['reward']) for p in paths)"),
    wrong("", COLLECT, "collect.paths_for_steps", body=collected("rollouts.sample_n_trajectories")),
    wrong("", COLLECT, "collect.one_trajectory", body=collected("rollouts.sample_trajectory")),
    wrong("", COLLECT, "collect.one_trajectory", body=collected("rollouts.sample_trajectory", f"({ENV}, collect_policy, {LENGTH})")),
    wrong("", COLLECT, "collect.too_few_steps", body=f"paths = [rollouts.sample_trajectory({ENV}, collect_policy, {LENGTH})]\nenvsteps_this_batch = len(paths[0]['reward'])"),
    wrong("", COLLECT, "collect.too_many_steps", body=LOOP.replace("while envsteps_this_batch < batch_size", "while len(paths) < batch_size")),
    wrong("", COLLECT, "collect.too_many_steps", body=LOOP.replace("envsteps_this_batch += ", "envsteps_this_batch = ")),
    wrong("", COLLECT, "collect.wrong_steps", body=collected(WHO, names="paths, _") + "\nenvsteps_this_batch = batch_size"),
    wrong("", COLLECT, "collect.wrong_steps", body=collected(WHO, names="paths, _") + "\nenvsteps_this_batch = len(paths)"),
    wrong("", COLLECT, "collect.paths_lost", body=collected(WHO) + "\npaths = paths[:1]"),
    wrong("", COLLECT, "collect.nothing_collected", body="paths, envsteps_this_batch = [], 0"),
    wrong("", COLLECT, "collect.rendered", body=collected(WHO, f"({ENV}, collect_policy, {SIZE}, {LENGTH}, True)")),
    wrong("", COLLECT, "collect.arguments", body=collected(WHO, f"({ENV}, collect_policy, {SIZE}, max_length={LENGTH})")),
    wrong("", COLLECT, "collect.no_such_setting", (LENGTH, "self.params['max_path_length']")),
    wrong("", COLLECT, "collect.no_such_setting", (LENGTH, "self.params.ep_len")),
    wrong("", COLLECT, ("collect.eval_env", "collect.wrong_count"), (ENV, "self.eval_env"), (f"{SIZE},", 'self.params["eval_batch_size"],')),
    wrong("", COLLECT, ("collect.other_policy", "collect.results_swapped"), body=collected(WHO, f"({ENV}, self.agent, {SIZE}, {LENGTH})", "envsteps_this_batch, paths")),
    wrong("", COLLECT, ("collect.wrong_count", "collect.wrong_path_length", "collect.wrong_steps"), body=collected(WHO, f"({ENV}, collect_policy, 1, 1)", "paths, _") + "\nenvsteps_this_batch = 1"),
]  # fmt: skip

LEARN = "hw3.trainer.train"
SAMPLE = 'self.agent.sample(self.params["train_batch_size"])'
NAMES = "ob_no, ac_na, re_n, next_ob_no, terminal_n"
TRAINED = f"self.agent.train({NAMES})"


def learned(
    sample: str = SAMPLE, train: str = f"all_logs.append({TRAINED})", names: str = NAMES
) -> str:
    """Returns a body that samples and trains."""
    return f"{names} = {sample}\n{train}"


LEARNING = [
    right("", LEARN),
    right("", LEARN, body=f"batch = {SAMPLE}\nall_logs.append(self.agent.train(*batch))"),
    right("", LEARN, body=f"all_logs.append(self.agent.train(*{SAMPLE}))"),
    right("", LEARN, body=learned(train=f"train_log = {TRAINED}\nall_logs.append(train_log)")),
    right("", LEARN, body=learned(train=f"all_logs += [{TRAINED}]")),
    right("", LEARN, body=learned(train=f"all_logs.append(dict({TRAINED}))")),
    right("", LEARN, body=learned(train="all_logs.append(self.agent.train(ob_no=ob_no, ac_na=ac_na, re_n=re_n, next_ob_no=next_ob_no, terminal_n=terminal_n))")),
    right("", LEARN, body=learned(train="all_logs.append(self.agent.train(ob_no, ac_na, re_n, terminal_n=terminal_n, next_ob_no=next_ob_no))")),
    right("", LEARN, body=learned('self.agent.sample(batch_size=self.params["train_batch_size"])')),
    right("", LEARN, body=learned(names="ob_no, ac_na, next_ob_no, re_n, terminal_n", train="all_logs.append(self.agent.train(ob_no, ac_na, next_ob_no, re_n, terminal_n))")),
    right("", LEARN, body=learned(train=f"all_logs.append(self.agent.train(np.asarray(ob_no, np.float64), {NAMES[7:]}))")),
    wrong("", LEARN, "trainer_train.batch_size", ('"train_batch_size"', '"batch_size"')),
    wrong("", LEARN, "trainer_train.batch_size", ('"train_batch_size"', '"eval_batch_size"')),
    wrong("", LEARN, "trainer_train.batch_size", body=learned("self.agent.sample()")),
    wrong("D14", LEARN, "trainer_train.sampled_elsewhere", ("self.agent.sample(", "self.agent.replay_buffer.sample_recent_data(")),
    wrong("D14", LEARN, "trainer_train.sampled_elsewhere", ("self.agent.sample(", "self.agent.replay_buffer.sample_random_data(")),
    wrong("", LEARN, "trainer_train.sampled_elsewhere", ("self.agent.sample(", "self.agent.replay_buffer.sample(")),
    wrong("D01", LEARN, "trainer_train.argument_order", ("re_n, next_ob_no, terminal_n))", "next_ob_no, re_n, terminal_n))")),
    wrong("", LEARN, "trainer_train.argument_order", ("ob_no, ac_na, re_n, next_ob_no, terminal_n =", "ob_no, ac_na, next_ob_no, re_n, terminal_n =")),
    wrong("", LEARN, "trainer_train.argument_order", ("re_n, next_ob_no, terminal_n))", "re_n, terminal_n, next_ob_no))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", ("re_n, next_ob_no, terminal_n))", "re_n, ob_no, terminal_n))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", (", terminal_n))", "))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", (", terminal_n))", ", terminal_n, all_logs))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", (", terminal_n))", ", dones=terminal_n))")),
    wrong("", LEARN, "trainer_train.not_unpacked", body=f"batch = {SAMPLE}\nall_logs.append(self.agent.train(batch))"),
    wrong("", LEARN, "trainer_train.unpacking", body=learned(names="ob_no, ac_na, re_n, next_ob_no", train="all_logs.append(self.agent.train(ob_no, ac_na, re_n, next_ob_no, re_n))")),
    wrong("", LEARN, "trainer_train.glued_batches", body=f"all_logs.append(self.agent.train({', '.join(f'{SAMPLE}[{i}]' for i in range(5))}))"),
    wrong("", LEARN, "trainer_train.sampled_twice", body=f"{SAMPLE}\n{learned()}"),
    wrong("", LEARN, "trainer_train.not_logged", body=learned(train=TRAINED)),
    wrong("", LEARN, "trainer_train.not_logged", body=learned(train=f"all_logs + [{TRAINED}]")),
    wrong("", LEARN, "trainer_train.log_overwritten", body=learned(train=f"all_logs = {TRAINED}")),
    wrong("", LEARN, "trainer_train.logs_lost", body=learned(train=f"all_logs = [{TRAINED}]")),
    wrong("", LEARN, "trainer_train.log_keys", body=learned(train=f"all_logs.extend({TRAINED})")),
    wrong("", LEARN, "trainer_train.log_keys", body=learned(train=f"all_logs += {TRAINED}")),
    wrong("", LEARN, "trainer_train.log_type", body=learned(train=f'all_logs.append({TRAINED}["Critic_Loss"])')),
    wrong("", LEARN, "trainer_train.log_type", body=learned(train=f'all_logs.append({TRAINED}.get("Critic_Loss"))')),
    wrong("", LEARN, "trainer_train.log_type", body=learned(train="all_logs.append(self.agent.train)") .replace("self.agent.train)", f"{TRAINED}.items())")),
    wrong("", LEARN, "trainer_train.empty_log_dropped", body=learned(train=f"log = {TRAINED}\nif log:\n    all_logs.append(log)")),
    wrong("", LEARN, "trainer_train.not_trained", body=learned(train="all_logs.append({})")),
    wrong("", LEARN, "trainer_train.not_trained", body=learned(train="self.agent.train")),
    wrong("", LEARN, "trainer_train.parts_trained", body=learned(train="self.agent.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)\nall_logs.append({})")),
    wrong("", LEARN, "trainer_train.too_few", body=learned(train=f"all_logs.append({TRAINED})\nreturn all_logs")),
    wrong("", LEARN, "trainer_train.too_few", body=learned(train=f"all_logs.append({TRAINED})\nbreak")),
    wrong("", LEARN, "trainer_train.too_often", body=learned(train=f"{TRAINED}\nall_logs.append({TRAINED})")),
    wrong("", LEARN, "trainer_train.too_often", body=learned(train=f"all_logs.append({TRAINED})\n{TRAINED}")),
    wrong("", LEARN, "trainer_train.too_often", body=learned(train=f"all_logs.append({TRAINED})\nall_logs.append({TRAINED})")),
    wrong("", LEARN, "trainer_train.too_often", body="for _ in range(self.params['num_agent_train_steps_per_iter']):\n" + "".join(f"    {line}\n" for line in learned().splitlines())),
    wrong("", LEARN, "trainer_train.batch_reused", body=f"if not all_logs:\n    self.batch = {SAMPLE}\nall_logs.append(self.agent.train(*self.batch))"),
    wrong("", LEARN, "trainer_train.no_such_setting", ('"train_batch_size"', '"batchsize"')),
    wrong("", LEARN, "crash.unknown_name", ("self.agent.train", "agent.train")),
    wrong("", LEARN, ("trainer_train.argument_order", "trainer_train.batch_size", "trainer_train.not_logged"), body=learned('self.agent.sample(self.params["batch_size"])', "self.agent.train(ob_no, ac_na, next_ob_no, re_n, terminal_n)")),
    wrong("", LEARN, ("trainer_train.sampled_elsewhere", "trainer_train.log_overwritten"), body=learned('self.agent.replay_buffer.sample(self.params["train_batch_size"])', f"all_logs = {TRAINED}")),
]  # fmt: skip

ENTRIES = [*ROLLOUTS, *COLLECTING, *LEARNING]
