"""Mistakes and right forms of the trainer's two blanks."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

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
    right("", COLLECT, body=f"collect_policy.eval()\n{collected(WHO)}\nself.agent.add_to_replay_buffer(paths)"),
    right("", COLLECT, body=LOOP),
    right("", COLLECT, body=LOOP.replace('len(path["reward"])', "rollouts.get_pathlength(path)")),
    right("", COLLECT, body=LOOP.replace("path = rollouts.sample_trajectory(self.env, collect_policy, ", "path, = rollouts.sample_n_trajectories(self.env, collect_policy, 1, ")),
    right("", COLLECT, ("collect_policy", "self.agent.actor")),
    right("", TRAINER, ("utils = rollouts", "from cs285.infrastructure.rollouts import sample_trajectories\n\nutils = rollouts"), ("rollouts.sample_trajectories(\n            self.env, collect", "sample_trajectories(\n            self.env, collect"), check=COLLECT),
    wrong("", TRAINER, "crash.no_module", ("utils = rollouts", "import gym\nfrom gym import wrappers\nfrom cs285.infrastructure import utils\nfrom cs285.infrastructure.dqn_utils import get_wrapper_by_name, register_custom_envs\n\nregister_custom_envs()"), ("rollouts.sample_trajectories(\n            self.env, collect", "utils.sample_trajectories(\n            self.env, collect"), check=COLLECT),
    wrong("", COLLECT, "collect.eval_env", (ENV, "self.eval_env")),
    wrong("", COLLECT, "collect.counted_twice", body=collected(WHO) + "\nself.total_envsteps += envsteps_this_batch"),
    wrong("", COLLECT, "collect.environment_touched", body="self.env.reset(seed=self.params['seed'])\n" + collected(WHO)),
    wrong("", COLLECT, "collect.other_env", (ENV, "self.params['env_name']")),
    wrong("", COLLECT, "collect.other_policy", ("collect_policy", "self.agent")),
    wrong("", COLLECT, "collect.other_policy", ("collect_policy", "None")),
    wrong("", COLLECT, "collect.other_policy", ("collect_policy", "collect_policy.get_action")),
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
    wrong("", COLLECT, "collect.paths_for_steps", body=LOOP.replace("while envsteps_this_batch < batch_size", "while len(paths) < batch_size")),
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
    wrong("D01", LEARN, "trainer_train.argument_order", body=learned().replace("re_n, next_ob_no, terminal_n))", "next_ob_no, re_n, terminal_n))")),
    wrong("", LEARN, "trainer_train.argument_order", body=learned().replace("ob_no, ac_na, re_n, next_ob_no, terminal_n =", "ob_no, ac_na, next_ob_no, re_n, terminal_n =")),
    wrong("", LEARN, "trainer_train.argument_order", body=learned().replace("re_n, next_ob_no, terminal_n))", "re_n, terminal_n, next_ob_no))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace("re_n, next_ob_no, terminal_n))", "re_n, ob_no, terminal_n))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace(", terminal_n))", "))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace("train(ob_no, ac_na, re_n", "train(ob_no, ac_na.astype(int), re_n")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace("train(ob_no, ac_na, re_n", "train(ob_no, ac_na, np.clip(re_n, -10, 10)")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace(", terminal_n))", ", terminal_n, all_logs))")),
    wrong("", LEARN, "trainer_train.wrong_arguments", body=learned().replace(", terminal_n))", ", dones=terminal_n))")),
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

ENTRIES = [*COLLECTING, *LEARNING]
