"""Mistakes and right forms of `DQNAgent` and of the greedy policy."""

from __future__ import annotations

from tests.autograder.corpus import right, wrong

ACT, STEP, UPDATE, SYNC = "hw3.dqn.act", "hw3.dqn.step", "hw3.dqn.update", "hw3.dqn.sync"
ARGMAX = "hw3.argmax.action"
CALL = "self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)"
COPY = "self.critic.update_target_network()"
DUE = "if self.num_param_updates % self.target_update_freq == 0:\n"
STORE = "self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)"
RECENT = "self.replay_buffer.encode_recent_observation()"
TOOK = "self.last_obs, reward, terminated, truncated, _ = self.env.step(action)"
OLDER_STEP = """
self.last_obs, reward, done, _ = self.env.step(action)
self.replay_buffer.store_effect(self.replay_buffer_idx, action, reward, done)
if done:
    self.last_obs = self.env.reset()
"""
OLDER_ACT = """
self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)
eps = self.exploration.value(self.t)
perform_random_action = np.random.random() < eps or self.t < self.learning_starts
if perform_random_action:
    action = np.random.randint(self.num_actions)
else:
    action = self.actor.get_action(self.replay_buffer.encode_recent_observation())
"""
ENTRIES = [
    wrong("D20", ACT, "act.exploration_reversed", ("self.rng.random() < epsilon", "self.rng.random() > epsilon")),
    wrong("D20", ACT, "act.exploration_reversed", body=OLDER_ACT.replace("if perform", "if not perform")),
    wrong("D21", ACT, "act.no_warm_up", ("self.t < self.learning_starts or ", "")),
    wrong("", ACT, "act.no_warm_up", ("self.t < self.learning_starts or", "self.t > 10**9 or")),
    wrong("D27", ACT, "act.no_frame", (STORE, "self.replay_buffer_idx = self.replay_buffer.num_in_buffer")),
    wrong("D29", ACT, "act.no_history", (f"recent = {RECENT}", "recent = self.last_obs")),
    wrong("", ACT, "act.wrong_observation", (RECENT, "self.replay_buffer.sample(self.replay_buffer.frame_history_len)[0]")),
    wrong("D31", ACT, "crash.one_path", body=OLDER_ACT.replace("perform_random_action = np.random.random() < eps or self.t < self.learning_starts", "if np.random.random() < eps or self.t < self.learning_starts:\n    perform_random_action = True")),
    wrong("D32", ACT, "crash.unknown_name", ("self.exploration.value", "exploration.value")),
    wrong("", ACT, "act.stale_history", body=f"""
        recent = {RECENT}
        {STORE}
        if self.t < self.learning_starts or self.rng.random() < self.exploration.value(self.t):
            action = int(self.rng.integers(self.num_actions))
        else:
            action = int(self.actor.get_action(recent)[0])
    """),
    wrong("", ACT, "act.epsilon", ("self.rng.random() < epsilon", "self.rng.random() < epsilon ** 2")),
    wrong("", ACT, "act.epsilon", ("self.exploration.value(self.t)", "0.5")),
    wrong("", ACT, "act.epsilon_of_another_time", ("value(self.t)", "value(self.num_param_updates)")),
    wrong("", ACT, ("act.epsilon", "act.epsilon_of_another_time"), ("self.rng.random() < epsilon", "self.rng.random() < epsilon ** 2"), ("value(self.t)", "value(0)")),
    wrong("", SYNC, "sync.every_update", ("% self.target_update_freq == 0", "> self.target_update_freq")),
    wrong("", ACT, "act.random_actions", ("self.rng.integers(self.num_actions)", "self.rng.integers(self.num_actions - 1)")),
    wrong("", ACT, "act.frame_count", (STORE, f"{STORE}\n{STORE}")),
    wrong("", ACT, "act.index_lost", ("self.replay_buffer_idx = self.replay_buffer.store_frame", "self.replay_buffer.store_frame")),
    wrong("", ACT, "act.actor_ignored", ("action = int(self.actor.get_action(recent)[0])", "self.actor.get_action(recent)\n    action = 1")),
    right("", ACT, body=OLDER_ACT.replace("action = self.actor.get_action(self.replay_buffer.encode_recent_observation())", "action = self.actor.get_action(self.replay_buffer.encode_recent_observation())[0]")),
    right("", ACT, body=OLDER_ACT),
    right("", ACT, ("store_frame(self", "store_frame(frame=self")),
    right("", ACT, ("self.rng.integers(self.num_actions)", "self.rng.integers(self.critic.ac_dim)")),
    right("", ACT, (RECENT, f"{RECENT}\n    self.critic.q_net.eval()")),
    right("", ARGMAX, body="""
with torch.inference_mode():
    values = self.critic.q_net.eval()(ptu.from_numpy(observation))
action = ptu.to_numpy(values.argmax(-1))
"""),
    right("", ARGMAX, body="""
where = next(self.critic.q_net.parameters()).device
with torch.no_grad():
    action = self.critic.q_net(torch.tensor(observation).float().to(where)).argmax(1).numpy()
"""),
    wrong("", STEP, "step.reward", ("float(reward)", "max(-10.0, min(10.0, reward))")),
    wrong("", ACT, "act.no_warm_up", ("self.t < self.learning_starts", "self.t < self.learning_freq")),
    wrong("", ACT, "act.no_frame", body=OLDER_ACT.replace(f"{STORE}\n", "").replace("else:\n", f"else:\n    {STORE}\n")),
    wrong("", ACT, "act.epsilon", ("self.rng.random() < epsilon", "self.rng.random() < epsilon or self.rng.random() < epsilon")),
    wrong("", ACT, "update.time_runs", (STORE, f"{STORE}\nself.t += 1")),
    wrong("", ACT, "act.no_history", ("self.actor.get_action(recent)[0]", "self.critic.qa_values(self.last_obs[None]).argmax()")),
    right("", ACT, ("self.actor.get_action(recent)[0]", "self.critic.qa_values(recent[None])[0].argmax()")),
    right("", ACT, ("self.actor.get_action(recent)[0]", "self.critic.q_net(torch.as_tensor(recent)[None]).argmax(1).item()")),
    right("V29", ACT, ("self.rng.random() < epsilon", "np.random.rand() <= epsilon")),
    right("V29", ACT, ("self.rng.random() < epsilon", "np.random.binomial(1, epsilon) == 1")),
    right("V29", ACT, ("self.rng.random() < epsilon", "np.random.choice([True, False], p=[epsilon, 1 - epsilon])")),
    right("V29", ACT, ("int(self.rng.integers(self.num_actions))", "self.env.action_space.sample()")),
    right("V32", ACT, (STORE, "self.replay_buffer_idx = self.replay_buffer.next_idx\nself.replay_buffer.store_frame(self.last_obs)")),
    right("V33", ACT, body=f"""
        {STORE}
        epsilon = self.exploration.value(self.t)
        if self.t < self.learning_starts:
            action = np.random.randint(self.num_actions)
        else:
            best = int(self.actor.get_action({RECENT})[0])
            others = [a for a in range(self.num_actions) if a != best]
            action = np.random.choice(others) if np.random.random() < epsilon else best
    """),
    wrong("D22", STEP, "step.reset_ignored", ("self.last_obs, _ = self.env.reset()", "self.env.reset()")),
    wrong("", STEP, "step.same_start", ("self.env.reset()", "self.env.reset(seed=0)")),
    right("", STEP, ("self.env.reset()", "self.env.reset(seed=int(self.rng.integers(2**31)))")),
    wrong("", ACT, "act.epsilon", ("epsilon = self.exploration.value(self.t)", "epsilon = max(self.exploration.value(self.t), 0.1)")),
    wrong("D23", STEP, "step.no_reset", ("    self.last_obs, _ = self.env.reset()", "    pass")),
    wrong("D24", STEP, "step.last_obs_kept", (TOOK, TOOK.replace("self.last_obs", "obs"))),
    wrong("D26", STEP, "step.index_shifted", ("self.replay_buffer_idx, action", "self.replay_buffer_idx + 1, action")),
    wrong("D28", STEP, "step.wrong_action", ("self.replay_buffer_idx, action,", "self.replay_buffer_idx, self.last_obs,")),
    wrong("D32", STEP, "crash.unknown_name", ("self.env.step", "env.step")),
    wrong("D35", STEP, "step.reward", ("float(reward)", "float(np.clip(reward, -1, 1))")),
    wrong("D35", STEP, "step.reward", ("float(reward)", "-200.0 if terminated else float(reward)")),
    wrong("D36", STEP, "step.cut_is_done", ("float(reward), terminated)", "float(reward), terminated or truncated)")),
    wrong("D37", STEP, "step.no_reset_when_cut", ("if terminated or truncated", "if terminated")),
    wrong("D38", STEP, "step.five_values", (TOOK, "self.last_obs, reward, terminated, _ = self.env.step(action)\ntruncated = False")),
    wrong("D39", STEP, "step.index_shifted", body=f"""
        {TOOK}
        if terminated or truncated:
            self.last_obs, _ = self.env.reset()
        self.replay_buffer.store_effect(self.replay_buffer_idx + 7, action, reward, terminated)
    """),
    wrong("", STEP, "step.wrong_action", ("self.env.step(action)", "self.env.step(action - 1)")),
    wrong("", STEP, "step.no_step", (TOOK, "reward, terminated, truncated = 1.0, False, False")),
    wrong("", STEP, "step.more_steps", (TOOK, f"self.env.step(action)\n{TOOK}")),
    wrong("", STEP, "step.no_effect", ("self.replay_buffer.store_effect(self.replay_buffer_idx, action, float(reward), terminated)", "pass")),
    wrong("", STEP, "step.done_inverted", ("float(reward), terminated)", "float(reward), not terminated)")),
    wrong("", STEP, "step.never_done", ("float(reward), terminated)", "float(reward), False)")),
    wrong("", STEP, "step.truncated_is_done", ("float(reward), terminated)", "float(reward), truncated)")),
    wrong("", STEP, "step.reset_early", ("if terminated or truncated", "if True")),
    wrong("", STEP, "step.two_values", ("self.last_obs, _ = self.env.reset()", "self.last_obs, _, _ = self.env.reset()")),
    wrong("", STEP, "step.two_values", ("self.last_obs, _ = self.env.reset()", "self.last_obs = self.env.reset()")),
    wrong("", STEP, "step.arguments", ("action, float(reward), terminated", "float(reward), action, terminated")),
    wrong("", STEP, "step.arguments", ("float(reward), terminated", "terminated, float(reward)")),
    wrong("", STEP, "step.arguments", (", terminated)", ")")),
    wrong("", STEP, "step.end_forgotten", ("float(reward), terminated)", "float(reward), terminated and not truncated)")),
    wrong("", STEP, "step.frame_stored", (TOOK, f"{TOOK}\n{STORE}")),
    wrong("", STEP, "step.frame_stored", (TOOK, f"{TOOK}\nidx = self.replay_buffer.store_frame(self.last_obs)"), ("self.replay_buffer_idx, action", "idx, action")),
    wrong("", STEP, "update.time_runs", (TOOK, f"{TOOK}\nself.t += 1")),
    wrong("", STEP, "step.five_values", body=OLDER_STEP),
    right("", STEP, (TOOK, "result = self.env.step(action)\nself.last_obs, reward, terminated, truncated = result[:4]")),
    right("", STEP, body="""
        next_obs, reward, terminated, truncated, info = self.env.step(action)
        self.replay_buffer.store_effect(self.replay_buffer_idx, action, reward, int(terminated))
        self.last_obs = self.env.reset()[0] if terminated or truncated else next_obs
    """),
    wrong("D01", UPDATE, "update.arguments_swapped", ("next_ob_no, re_n", "re_n, next_ob_no")),
    wrong("", UPDATE, "update.arguments_swapped", ("ob_no, ac_na, next_ob_no", "next_ob_no, ac_na, ob_no")),
    wrong("", UPDATE, "update.argument_twice", ("next_ob_no", "ob_no")),
    wrong("D14", UPDATE, "update.other_data", body="""
        ob, ac, re, nob, t = self.replay_buffer.sample(self.batch_size)
        log = self.critic.update(ob, ac, nob, re, t)
    """),
    wrong("Q39", UPDATE, "update.other_data", body="""
        memory = self.replay_buffer.sample_recent_data(self.batch_size)
        log = self.critic.update(memory[0], memory[1], memory[3], memory[2], memory[4])
    """),
    right("D11", UPDATE, body=f"log = {CALL}\nself.t += 1"),  # the trainer sets the clock
    right("D11", UPDATE, body=f"log = {CALL}\nself.t -= 1"),
    right("V38", UPDATE, body=f"log = {CALL}\nself.critic.learning_rate_scheduler.step()"),  # here it does nothing
    wrong("D13", UPDATE, "update.too_rare", body=f"""
        if self.num_param_updates % 4 == 0:
            log = {CALL}
    """),
    wrong("", UPDATE, "update.never", body="log = {}"),
    wrong("", UPDATE, "update.too_often", body=f"log = {CALL}\nlog = {CALL}"),
    wrong("", UPDATE, "update.missing_argument", (", terminal_n", "")),
    wrong("", UPDATE, "update.missing_argument", body="log = self.critic.update(ob_no=ob_no, ac_na=ac_na, next_ob_no=next_ob_no, re_n=re_n, terminal_n=terminal_n)"),
    wrong("", UPDATE, "update.other_data", ("terminal_n", "terminal_n[::-1]")),
    wrong("", UPDATE, "update.other_data", ("next_ob_no", "abs(next_ob_no)")),
    wrong("", UPDATE, "crash.no_attribute", ("self.critic", "self.replay_buffer")),
    wrong("", SYNC, "sync.no_such_method", (COPY, "self.replay_buffer.update_target_network()")),
    wrong("", UPDATE, "crash.unknown_name", ("re_n", "reward_n")),
    right("", UPDATE, (CALL, "self.critic.update(ob_no=ob_no, ac_na=ac_na, next_ob_no=next_ob_no, reward_n=re_n, terminal_n=terminal_n)")),
    right("", UPDATE, (CALL, "self.actor.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)")),
    wrong("V25", UPDATE, "update.log_lost", body=f"loss = {CALL}\nlog = {{'loss': loss}}"),
    wrong("", UPDATE, "update.log_lost", body=f"log = {CALL}['Training Loss']"),
    right("", UPDATE, body=f"log = dict({CALL}, extra=1.0)"),
    wrong("D02", SYNC, "sync.not_called", (COPY, "self.critic.update_target_network")),
    wrong("D02", SYNC, "sync.no_such_method", (COPY, "self.critic.q_net_target.update_target_network")),
    wrong("D03", SYNC, "sync.alias", (COPY, "self.critic.q_net_target = self.critic.q_net")),
    wrong("", SYNC, "sync.alias", (COPY, """for p, q in zip(self.critic.q_net_target.parameters(), self.critic.q_net.parameters()):
        p.data = q.data""")),
    wrong("", SYNC, "sync.alias", (COPY, "self.critic.q_net_target.load_state_dict(self.critic.q_net.state_dict(), assign=True)")),
    wrong("D04", SYNC, "sync.inverted", (" == 0", "")),
    wrong("D04", SYNC, "sync.inverted", ("==", "!=")),
    wrong("D06", SYNC, "sync.never", ("self.num_param_updates % self.target_update_freq == 0", "self.num_param_updates == -1")),
    wrong("D06", SYNC, "sync.never", (COPY, "pass")),
    wrong("", SYNC, "sync.counts_steps", ("self.num_param_updates", "self.t")),
    wrong("", SYNC, "sync.once", ("% self.target_update_freq == 0", "== self.target_update_freq")),
    wrong("D07", SYNC, "sync.reversed", (COPY, "self.critic.q_net.load_state_dict(self.critic.q_net_target.state_dict())")),
    wrong("D08", SYNC, "sync.self_copy", (COPY, "self.critic.q_net_target.load_state_dict(self.critic.q_net_target.state_dict())")),
    wrong("D09", SYNC, "sync.every_update", body=COPY),
    wrong("", SYNC, "sync.every_update", ("== 0", ">= 0")),
    wrong("", SYNC, "sync.blended", (COPY, """for p, q in zip(self.critic.q_net_target.parameters(), self.critic.q_net.parameters()):
        p.data.mul_(0.9).add_(0.1 * q.data)""")),
    wrong("", SYNC, "sync.in_part", (COPY, "self.critic.q_net_target[0].load_state_dict(self.critic.q_net[0].state_dict())")),
    wrong("", SYNC, "crash.unknown_name", (COPY, "critic.update_target_network()")),
    right("V34", SYNC, (COPY, "self.critic.q_net_target.load_state_dict(self.critic.q_net.state_dict())")),
    right("V34", SYNC, (COPY, """for p, q in zip(self.critic.q_net_target.parameters(), self.critic.q_net.parameters()):
        p.data.copy_(q.data)""")),
    right("V34", SYNC, (COPY, "import copy; self.critic.q_net_target = copy.deepcopy(self.critic.q_net)")),
    right("V34", SYNC, (COPY, "self.actor.critic.update_target_network()")),
    right("", SYNC, ("self.num_param_updates %", "(self.num_param_updates + 1) %")),
    right("", SYNC, ("== 0", "== 1")),
    right("", SYNC, ("if self.num_param_updates % self.target_update_freq == 0", "if not self.num_param_updates % self.target_update_freq")),
    wrong("D41", ARGMAX, "argmax.value_as_action", (".argmax(axis=1)", ".max(axis=1)")),
    wrong("D41", ARGMAX, "argmax.value_as_action", body="action = max(self.critic.qa_values(observation)[0])"),
    wrong("D41", ARGMAX, "argmax.not_one_action", body="action = max(self.critic.qa_values(observation))"),
    wrong("D45", ARGMAX, "argmax.not_repeatable", body="""
        q = self.critic.qa_values(observation)[0]
        p = np.exp(q) / np.exp(q).sum()
        action = np.array([np.random.choice(len(q), p=p)])
    """),
    wrong("D45", ARGMAX, "argmax.not_repeatable", body="""
        q = self.critic.qa_values(observation)
        action = q.argmax(1) if np.random.random() > 0.5 else np.random.randint(q.shape[1], size=1)
    """),
    wrong("", ARGMAX, "argmax.worst_action", (".argmax", ".argmin")),
    wrong("", ARGMAX, "argmax.shifted", (".argmax(axis=1)", ".argmax(axis=1) + 1")),
    wrong("", ARGMAX, "argmax.always_the_same", (".argmax(axis=1)", ".argmax(axis=0)[:1]")),
    wrong("", ARGMAX, "argmax.not_one_action", (".argmax(axis=1)", ".argmax(axis=0)")),
    wrong("", ARGMAX, "crash.no_attribute", ("critic.qa_values", "critic.forward")),
    wrong("", ARGMAX, "crash.array_and_tensor", ("qa_values(observation)", "q_net(ptu.observations_from_numpy(observation)).numpy()")),
    right("", ARGMAX, ("qa_values(observation).argmax(axis=1)", "q_net(ptu.observations_from_numpy(observation)).argmax(axis=1).numpy()")),
    wrong("V03", ARGMAX, "argmax.one_for_all", (".argmax(axis=1)", ".argmax()")),
    wrong("", ARGMAX, "argmax.one_for_all", body="action = [np.argmax(self.critic.qa_values(observation))]"),
    wrong("", ARGMAX, "argmax.one_for_all", body="""
q_values = self.critic.qa_values(observation).mean(axis=0)
action = np.full(len(observation), np.argmax(q_values))
"""),
    right("", ARGMAX, (".argmax(axis=1)", ".argmax(axis=1).squeeze()")),
    right("V17", ARGMAX, body="import torch\naction = torch.as_tensor(self.critic.qa_values(observation)).max(1)[1].numpy()"),
    right("V17", ARGMAX, body="import torch\naction = torch.topk(torch.as_tensor(self.critic.qa_values(observation)), 1).indices.squeeze(1)"),
    right("", ARGMAX, body="action = np.argmax(self.critic.qa_values(observation), axis=-1)"),
    right("", ARGMAX, body="action = [int(np.argmax(q)) for q in self.critic.qa_values(observation)]"),
]  # fmt: skip
