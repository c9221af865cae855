"""Whole methods as students wrote them for the handouts of Fall 2020 to 2022, and slips in them.

They compute double Q inside `update`, clip through `utils`, and hand over tensors in their own
ways. What runs in this course's training must pass as it is. What does not, for it takes four
values from `step` or needs a module that is gone, fails by its name.
"""

from __future__ import annotations

import ast
import textwrap
from typing import Any

from tests.autograder.corpus import Entry, reference_files, right, wrong

START = "from __future__ import annotations\n"
CRITIC, AGENT = "critics/dqn_critic.py", "agents/dqn_agent.py"
VALUE, AC = "critics/bootstrapped_continuous_critic.py", "agents/ac_agent.py"
POLICY, ARGMAX = "policies/MLP_policy.py", "policies/argmax_policy.py"
ROLLOUTS, TRAINER = "infrastructure/rollouts.py", "infrastructure/rl_trainer.py"


def method(path: str, name: str, body: str) -> tuple[str, str]:
    """Returns the change that gives a method, or a function, another body.

    Args:
        path: Of the file.
        name: Such as "DQNCritic.update"; the signature stays.
        body: The new lines, docstring and all.
    """
    text = reference_files()[path]
    found: list[ast.AST] = [ast.parse(text)]
    for part in name.split("."):
        found = [n for f in found for n in ast.walk(f) if getattr(n, "name", None) == part]
    (function,) = found
    assert isinstance(function, ast.FunctionDef)
    lines = text.splitlines(keepends=True)
    old = "".join(lines[function.body[0].lineno - 1 : function.end_lineno])
    indent = " " * function.body[0].col_offset
    return old, textwrap.indent(textwrap.dedent(body).strip("\n"), indent) + "\n"


DQN_UPDATE = """
ob_no = ptu.from_numpy(ob_no)
ac_na = ptu.from_numpy(ac_na).to(torch.long)
next_ob_no = ptu.from_numpy(next_ob_no)
reward_n = ptu.from_numpy(reward_n)
terminal_n = ptu.from_numpy(terminal_n)
qa_t_values = self.q_net(ob_no)
q_t_values = torch.gather(qa_t_values, 1, ac_na.unsqueeze(1)).squeeze(1)
qa_tp1_values = self.q_net_target(next_ob_no)
if self.double_q:
    best = self.q_net(next_ob_no).argmax(dim=1)
    q_tp1 = torch.gather(qa_tp1_values, 1, best.unsqueeze(1)).squeeze(1)
else:
    q_tp1, _ = qa_tp1_values.max(dim=1)
target = reward_n + self.gamma * q_tp1 * (1 - terminal_n)
target = target.detach()
assert q_t_values.shape == target.shape
loss = self.loss(q_t_values, target)
self.optimizer.zero_grad()
loss.backward()
utils.clip_grad_value_(self.q_net.parameters(), self.grad_norm_clipping)
self.optimizer.step()
self.learning_rate_scheduler.step()
return {'Training Loss': ptu.to_numpy(loss)}
"""
CHOOSE = """
self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)
eps = self.exploration.value(self.t)
perform_random_action = np.random.random() < eps or self.t < self.learning_starts
if perform_random_action:
    action = self.env.action_space.sample()
else:
    frames = self.replay_buffer.encode_recent_observation()
    action = self.actor.get_action(frames)[0]
return action
"""
STEP = """
obs, reward, done, truncated, info = self.env.step(action)
self.last_obs = obs
self.replay_buffer.store_effect(self.replay_buffer_idx, action, reward, done)
if done or truncated:
    self.last_obs, _ = self.env.reset()
"""
UPDATE = """
log = {}
if (self.t > self.learning_starts and self.t % self.learning_freq == 0
        and self.replay_buffer.can_sample(self.batch_size)):
    log = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
self.t += 1
return log
"""
SYNC = """
if self.num_param_updates % self.target_update_freq == 0:
    self.critic.update_target_network()
"""
GREEDY = """
if len(obs.shape) > 3:
    observation = obs
else:
    observation = obs[None]
action = self.critic.qa_values(observation).argmax(-1)
return action.squeeze()
"""
VALUE_UPDATE = """
ob_no = ptu.from_numpy(ob_no)
next_ob_no = ptu.from_numpy(next_ob_no)
reward_n = ptu.from_numpy(reward_n)
terminal_n = ptu.from_numpy(terminal_n)
for i in range(self.num_grad_steps_per_target_update * self.num_target_updates):
    if i % self.num_grad_steps_per_target_update == 0:
        v_tp1 = self.forward(next_ob_no)
        target = reward_n + self.gamma * v_tp1 * (1 - terminal_n)
    loss = F.mse_loss(self.forward(ob_no), target.detach())
    self.optimizer.zero_grad()
    loss.backward()
    self.optimizer.step()
return loss.item()
"""
AC_TRAIN = """
for _ in range(self.agent_params['num_critic_updates_per_agent_update']):
    critic_loss = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
advantage = self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n)
for _ in range(self.agent_params['num_actor_updates_per_agent_update']):
    actor_loss = self.actor.update(ob_no, ac_na, advantage)
loss = OrderedDict()
loss['Critic_Loss'] = critic_loss
loss['Actor_Loss'] = actor_loss
return loss
"""
ADVANTAGE = """
v = self.critic.forward_np(ob_no)
v_next = self.critic.forward_np(next_ob_no)
q = re_n + self.gamma * v_next * np.logical_not(terminal_n)
adv_n = q - v
if self.standardize_advantages:
    adv_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
return adv_n
"""
FORWARD = """
if self.discrete:
    return distributions.Categorical(logits=self.logits_na(observation))
mean = self.mean_net(observation)
scale = torch.diag(torch.exp(self.logstd)).repeat(mean.shape[0], 1, 1)
return distributions.MultivariateNormal(mean, scale_tril=scale)
"""
GET_ACTION = """
if len(obs.shape) > 1:
    observation = obs
else:
    observation = obs[None]
observation = ptu.from_numpy(observation)
return ptu.to_numpy(self(observation).sample())
"""
POLICY_UPDATE = """
observations = ptu.from_numpy(observations)
actions = ptu.from_numpy(actions)
adv_n = ptu.from_numpy(adv_n)
log_pi = self.forward(observations).log_prob(actions)
loss = torch.neg(torch.mean(torch.mul(log_pi, adv_n)))
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
return loss.item()
"""
# Without a batch, the spread makes one, of as many as there are components; a rollout takes of both
# kinds of actions the first.
NO_BATCH = """
drawn = ptu.to_numpy(self(ptu.from_numpy(obs)).sample())
return drawn if self.discrete else drawn[0]
"""
ROLLOUT = """
ob, _ = env.reset()
obs, acs, rewards, next_obs, terminals, image_obs = [], [], [], [], [], []
steps = 0
while True:
    obs.append(ob)
    ac = policy.get_action(ob)
    ac = ac[0]
    acs.append(ac)
    ob, rew, done, truncated, _ = env.step(ac)
    steps += 1
    next_obs.append(ob)
    rewards.append(rew)
    rollout_done = 1 if done or truncated or steps >= max_path_length else 0
    terminals.append(done)
    if rollout_done:
        break
return Path(obs, image_obs, acs, rewards, next_obs, terminals)
"""
TRAIN_AGENT = """
all_logs = []
for _ in range(self.params['num_agent_train_steps_per_iter']):
    ob_batch, ac_batch, re_batch, next_ob_batch, terminal_batch = self.agent.sample(
        self.params['train_batch_size'])
    train_log = self.agent.train(ob_batch, ac_batch, re_batch, next_ob_batch, terminal_batch)
    all_logs.append(train_log)
return all_logs
"""
COLLECT = """
paths, envsteps_this_batch = utils.sample_trajectories(
    self.env, collect_policy, batch_size, self.params['ep_len'])
return paths, envsteps_this_batch
"""
# As of 2020: what turns the bodies above into those of the older Gym.
STEP_OF_FOUR = (
    ("done, truncated, info = self.env", "done, info = self.env"),
    ("done or truncated", "done"),
)
RESET_OF_ONE = ("self.last_obs, _ = self.env.reset()", "self.last_obs = self.env.reset()")
ROLLOUT_OF_FOUR = (
    ("done, truncated, _ = env", "done, _ = env"),
    ("done or truncated or", "done or"),
    ("append(done)", "append(rollout_done)"),
)
LEFT_BLANK = """
from cs285.infrastructure.blanks import TODO
return TODO("hw3.dqn.double_q")
"""
METHODS = {
    # check: (file, method, body)
    "hw3.dqn.targets": (CRITIC, "DQNCritic.update", DQN_UPDATE),
    "hw3.dqn.double_q": (CRITIC, "DQNCritic.update", DQN_UPDATE),
    "hw3.dqn.act": (AGENT, "DQNAgent.choose_action", CHOOSE),
    "hw3.dqn.step": (AGENT, "DQNAgent.take_step", STEP),
    "hw3.dqn.update": (AGENT, "DQNAgent.update_critic", UPDATE),
    "hw3.dqn.sync": (AGENT, "DQNAgent.sync_target", SYNC),
    "hw3.argmax.action": (ARGMAX, "ArgMaxPolicy.get_action", GREEDY),
    "hw3.critic.update": (VALUE, "BootstrappedContinuousCritic.update", VALUE_UPDATE),
    "hw3.ac.train": (AC, "ACAgent.train", AC_TRAIN),
    "hw3.ac.advantage": (AC, "ACAgent.estimate_advantage", ADVANTAGE),
    "hw3.policy.forward": (POLICY, "MLPPolicy.forward", FORWARD),
    "hw3.policy.get_action": (POLICY, "MLPPolicy.get_action", GET_ACTION),
    "hw3.policy.update": (POLICY, "MLPPolicyAC.update", POLICY_UPDATE),
    "hw3.rollouts.sample_trajectory": (ROLLOUTS, "sample_trajectory", ROLLOUT),
    "hw3.trainer.train": (TRAINER, "RL_Trainer.train_agent", TRAIN_AGENT),
    "hw3.trainer.collect": (TRAINER, "RL_Trainer.collect_training_trajectories", COLLECT),
}

# Today another method has the blank: double Q in `update`, and the call in `train`, leave it empty.
GIVEN_UP = ("hw3.dqn.double_q", "hw3.dqn.update")


def older(check: str, *changes: tuple[str, str]) -> tuple[Any, ...]:
    """Returns the file and the changes for an older method, itself changed.

    Whoever writes double Q into `update` leaves the blank that our handout has for it.
    """
    path, name, body = METHODS[check]
    for old, new in changes:
        assert old in body, old
        body = body.replace(old, new, 1)
    made = [method(path, name, body)]
    if path == CRITIC:
        made.append(method(path, "DQNCritic.double_q_values", LEFT_BLANK))
    return path, *made


def imports(path: str, lines: str, check: str, use: tuple[str, str] = ("", "")) -> Entry:
    """A file that imports, and never uses, what its writer had; `use`: a change elsewhere in it."""
    return right("", path, (START, f"{START}{lines}\n"), use, check=check)


def needs(path: str, lines: str, check: str, use: tuple[str, str] = ("", "")) -> Entry:
    """A file that imports and uses what is gone."""
    return wrong("", path, "crash.no_module", (START, f"{START}{lines}\n"), use, check=check)


def slip(
    source: str, check: str, misconceptions: str | tuple[str, ...], *changes: tuple[str, str]
) -> Entry:
    """A mistake in an older method."""
    path, *made = older(check, *changes)
    return wrong(source, path, misconceptions, *made, check=check)


ENTRIES = [
    *(right("", *older(check), check=check) for check in METHODS if check not in GIVEN_UP),
    wrong("", POLICY, "get_action.batch_axis", method(POLICY, "MLPPolicy.forward", FORWARD), method(POLICY, "MLPPolicy.get_action", NO_BATCH), check="hw3.policy.get_action"),
    right("", *older("hw3.dqn.targets", ("self.learning_rate_scheduler.step()\n", "")), check="hw3.dqn.targets"),
    imports(AC, "from cs285.infrastructure.replay_buffer import ReplayBuffer\nfrom .base_agent import BaseAgent", "hw3.ac.train"),
    needs(AC, "from cs285.infrastructure.replay_buffer import ReplayBuffer", "hw3.ac.train", ("= PathBuffer(", "= ReplayBuffer(")),
    needs(AC, "from .base_agent import BaseAgent", "hw3.ac.train", ("class ACAgent(PathAgent):", "class ACAgent(BaseAgent):")),
    needs(AC, "from cs285.infrastructure.utils import *", "hw3.ac.advantage", ("import numpy as np\n", "")),
    needs(VALUE, "import ipdb, abc", "hw3.critic.update", ("loss.backward()", "ipdb.set_trace(); loss.backward()")),
    imports(VALUE, "import ipdb\nfrom matplotlib import pyplot as plt\nimport pandas as pd", "hw3.critic.update"),
    imports(AGENT, "from cs285.infrastructure.dqn_utils import get_wrapper_by_name\nfrom gym import wrappers", "hw3.dqn.act", ("self.learned_from = np.empty(0)", 'self.device, self.learned_from = settings["device"], np.empty(0)')),
    right("", AGENT, ("from cs285.critics", "from hw3.cs285.critics"), ("from cs285.policies", "from homework.hw3.cs285.policies"), check="hw3.dqn.act"),
    right("", VALUE, ("from cs285.infrastructure import pytorch_util as ptu", "import hw3.cs285.infrastructure.pytorch_util as ptu"), check="hw3.critic.update"),
    slip("", "hw3.dqn.step", "step.five_values", *STEP_OF_FOUR),
    slip("", "hw3.dqn.step", "step.five_values", *STEP_OF_FOUR, RESET_OF_ONE),
    slip("", "hw3.dqn.step", "step.two_values", RESET_OF_ONE),
    slip("", "hw3.rollouts.sample_trajectory", "rollout.five_values", *ROLLOUT_OF_FOUR),
    slip("", "hw3.rollouts.sample_trajectory", "rollout.reset_pair", ("ob, _ = env.reset()", "ob = env.reset()"), *ROLLOUT_OF_FOUR),
    slip("", "hw3.dqn.step", "step.arguments", ("self.replay_buffer_idx, action, reward, done)", "self.replay_buffer_idx, reward, done, info)")),
    slip("", "hw3.dqn.step", "step.never_done", ("self.replay_buffer_idx, action, reward, done)", "self.replay_buffer_idx, action, reward, info)")),
    slip("", "hw3.dqn.act", "act.no_frame", ("self.replay_buffer.store_frame(self.last_obs)", "self.replay_buffer.next_idx")),
    slip("", "hw3.dqn.act", "act.several_actions", ("self.env.action_space.sample()", "np.random.randint(self.num_actions, size=len(self.last_obs))")),
    slip("Q12", "hw3.dqn.targets", "target.no_mask", (" * (1 - terminal_n)", "")),
    slip("Q29", "hw3.dqn.targets", "target.not_cut", ("target = target.detach()", "target.detach()")),
    slip("Q31", "hw3.dqn.targets", "gradient.no_step", ("loss.backward()", "loss.backward()\nself.optimizer.zero_grad()")),
    slip("", "hw3.dqn.act", "act.wrong_observation", ("self.actor.get_action(frames)[0]", "self.actor.get_action(self.critic.qa_values(frames))[0]")),
    slip("", "hw3.dqn.act", "crash.debugger", ("    frames =", "    raise __import__('bdb').BdbQuit\n    frames =")),
    slip("", "hw3.argmax.action", "argmax.no_batch", ("qa_values(observation).argmax(-1)", "qa_values(obs).argmax(1)")),
    slip("", "hw3.policy.update", "crash.no_attribute", ("ptu.from_numpy(adv_n)", "ptu.from_nunpy(adv_n)")),
    slip("", "hw3.argmax.action", "argmax.no_batch", ("qa_values(observation)", "qa_values(obs)")),
    slip("", "hw3.argmax.action", "argmax.target_net", ("self.critic.qa_values(observation).argmax(-1)", "ptu.to_numpy(self.critic.q_net_target(ptu.from_numpy(observation)).argmax(1))")),
    slip("", "hw3.argmax.action", "argmax.of_observation", ("self.critic.qa_values(observation).argmax(-1)", "np.argmax(observation)")),
    slip("", "hw3.argmax.action", "crash.array_and_tensor", (".argmax(-1)", ".argmax(dim=1)")),
    slip("", "hw3.ac.advantage", "crash.array_and_tensor", ("adv_n = q - v\n", "adv_n = torch.as_tensor(q - v).to_numpy()\n")),
    slip("", "hw3.policy.update", "crash.one_path", ("adv_n = ptu.from_numpy(adv_n)", "advantages = ptu.from_numpy(advantages)")),
    slip("", "hw3.policy.update", "crash.no_attribute", ("self.forward(observations)", "self.policy(observations)")),
    slip("D22", "hw3.dqn.step", "step.reset_ignored", ("self.last_obs, _ = self.env.reset()", "self.env.reset()")),
    slip("D24", "hw3.dqn.step", "step.last_obs_kept", ("self.last_obs = obs\n", "")),
    slip("D20", "hw3.dqn.act", "act.exploration_reversed", ("np.random.random() < eps or self.t < self.learning_starts", "np.random.random() > eps and self.t >= self.learning_starts")),
    slip("D29", "hw3.dqn.act", "act.no_history", ("self.actor.get_action(frames)", "self.actor.get_action(self.last_obs)")),
    slip("D03", "hw3.dqn.sync", "sync.alias", ("self.critic.update_target_network()", "self.critic.q_net_target = self.critic.q_net")),
    slip("", "hw3.rollouts.sample_trajectory", "rollout.same_start", ("env.reset()", "env.reset(seed=0)")),
]  # fmt: skip
