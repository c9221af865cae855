"""Unusual forms that are right: each must pass beside ours.

They were written, and committed, before the run beside ours had judged anything.
"""

from __future__ import annotations

from tests.autograder.corpus import right

ENTRIES = [
    right(
        "right-01",
        "hw3.dqn.act",
        body="""
frame_number = self.replay_buffer.store_frame(self.last_obs)
self.replay_buffer_idx = frame_number
explores = self.t < self.learning_starts
if not explores:
    explores = bool(np.random.uniform() < self.exploration.value(self.t))
stacked = self.replay_buffer.encode_recent_observation()
greedy = self.actor.get_action(stacked)
action = int(self.env.action_space.sample()) if explores else int(np.ravel(greedy)[0])
""",
    ),
    right(
        "right-02",
        "hw3.dqn.step",
        body="""
next_frame, reward, terminated, truncated, info = self.env.step(action)
self.episode_steps = getattr(self, "episode_steps", 0) + 1
self.replay_buffer.store_effect(
    idx=self.replay_buffer_idx, action=action, reward=float(reward), done=bool(terminated)
)
if terminated or truncated:
    next_frame, info = self.env.reset()
    self.episode_steps = 0
self.last_obs = next_frame
""",
    ),
    right(
        "right-03",
        "hw3.dqn.targets",
        body="""
q_next = self.q_net_target(next_ob_no).detach()
if self.double_q:
    best = self.q_net(next_ob_no).detach().max(dim=-1, keepdim=True).indices
    value_next = torch.take_along_dim(q_next, best, dim=-1).flatten()
else:
    value_next = torch.amax(q_next, dim=-1)
bootstrapped = torch.addcmul(reward_n, torch.full_like(reward_n, self.gamma), value_next)
target = torch.where(terminal_n > 0.5, reward_n, bootstrapped)
""",
    ),
    right(
        "right-04",
        "hw3.dqn.double_q",
        body="""
self.q_net_target.eval()
for weight in self.q_net_target.parameters():
    weight.requires_grad_(False)
with torch.inference_mode():
    chosen = nn.functional.one_hot(self.q_net(next_ob_no).argmax(-1), self.ac_dim)
q_tp1 = torch.einsum("na,na->n", self.q_net_target(next_ob_no), chosen.clone().float())
""",
    ),
    right(
        "right-05",
        "hw3.dqn.update",
        body="""
log = self.critic.update(
    terminal_n=terminal_n, reward_n=re_n, next_ob_no=next_ob_no, ac_na=ac_na, ob_no=ob_no
)
self.losses = [*getattr(self, "losses", []), log["Training Loss"]]
""",
    ),
    right(
        "right-06",
        "hw3.dqn.sync",
        body="""
self.updates_to_wait = getattr(self, "updates_to_wait", 0)
if self.updates_to_wait == 0:
    self.critic.update_target_network()
    self.updates_to_wait = self.target_update_freq
self.updates_to_wait -= 1
""",
    ),
    right(
        "right-07",
        "hw3.argmax.action",
        body="""
was_training = self.critic.q_net.training
self.critic.q_net.eval()
with torch.no_grad():
    values = self.critic.q_net(ptu.observations_from_numpy(observation))
    action = values.topk(1, dim=1).indices.reshape(-1).numpy()
self.critic.q_net.train(was_training)
""",
    ),
    right(
        "right-08",
        "hw3.critic.update",
        body="""
s, s_next = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
goes_on = 1.0 - ptu.from_numpy(terminal_n)
for step in range(self.num_target_updates * self.num_grad_steps_per_target_update):
    if step % self.num_grad_steps_per_target_update == 0:
        wanted = (ptu.from_numpy(reward_n) + self.gamma * goes_on * self(s_next)).detach()
    loss = ((self(s) - wanted) ** 2).sum() / len(wanted)
    self.optimizer.zero_grad()
    loss.backward()
    self.optimizer.step()
self.last_targets = wanted
""",
    ),
    right(
        "right-09",
        "hw3.critic.update",
        body="""
order = torch.randperm(len(ob_no)).numpy()
obs, next_obs = ptu.from_numpy(ob_no[order]), ptu.from_numpy(next_ob_no[order])
rewards, terminals = ptu.from_numpy(reward_n[order]), ptu.from_numpy(terminal_n[order])
for _ in range(self.num_target_updates):
    self.eval()
    with torch.no_grad():
        target_n = rewards + self.gamma * (1.0 - terminals) * self(next_obs)
    self.train()
    for _ in range(self.num_grad_steps_per_target_update):
        self.optimizer.zero_grad()
        loss = F.mse_loss(self(obs), target_n)
        loss.backward()
        self.optimizer.step()
""",
    ),
    right(
        "right-10",
        "hw3.ac.train",
        body="""
batch = dict(ob_no=ob_no, ac_na=ac_na, next_ob_no=next_ob_no)
critic_losses, actor_losses = [], []
while len(critic_losses) < self.agent_params["num_critic_updates_per_agent_update"]:
    critic_losses.append(self.critic.update(**batch, reward_n=re_n, terminal_n=terminal_n))
advantages = self.estimate_advantage(ob_no, next_ob_no, re_n=re_n, terminal_n=terminal_n)
while len(actor_losses) < self.agent_params["num_actor_updates_per_agent_update"]:
    actor_losses.append(self.actor.update(observations=ob_no, actions=ac_na, adv_n=advantages))
loss = {"Critic_Loss": critic_losses[-1], "Actor_Loss": actor_losses[-1]}
loss["Advantage_Spread"] = float(np.std(advantages))
""",
    ),
    right(
        "right-11",
        "hw3.ac.advantage",
        body="""
both = self.critic.forward_np(np.concatenate([ob_no, next_ob_no]))
v_n, next_v_n = np.split(both, 2)
adv_n = np.where(terminal_n == 1, re_n - v_n, re_n + self.gamma * next_v_n - v_n)
self.last_advantages = adv_n.copy()
""",
    ),
    right(
        "right-12",
        "hw3.policy.forward",
        body="""
if self.discrete:
    return distributions.Categorical(probs=torch.softmax(self.logits_na(observation), dim=-1))
spread = torch.diag(self.logstd.exp())
return distributions.MultivariateNormal(self.mean_net(observation), scale_tril=spread)
""",
    ),
    right(
        "right-13",
        "hw3.policy.get_action",
        body="""
distribution = self.forward(ptu.from_numpy(observation))
if self.discrete:
    draws = -torch.log(-torch.log(torch.rand_like(distribution.logits).clamp(1e-20, 1 - 1e-7)))
    return (distribution.logits + draws).argmax(dim=-1).numpy()
return distribution.rsample().detach().cpu().numpy()
""",
    ),
    right(
        "right-14",
        "hw3.policy.update",
        body="""
pi = self.forward(ptu.from_numpy(observations))
weights = ptu.from_numpy(adv_n).detach()
loss = torch.neg(torch.dot(pi.log_prob(ptu.from_numpy(actions)), weights))
for weight in self.parameters():
    weight.grad = None
loss.backward()
self.optimizer.step()
self.optimizer.zero_grad()
self.updates_so_far = getattr(self, "updates_so_far", 0) + 1
""",
    ),
    right(
        "right-15",
        "hw3.rollouts.sample_trajectory",
        body="""
chosen = np.asarray(policy.get_action(np.array(ob)))[0]
new_ob, rew, terminated, truncated, _ = env.step(chosen)
for values, value in zip(
    (obs, acs, rewards, next_obs, terminals), (ob, chosen, float(rew), new_ob, int(terminated))
):
    values.append(value)
ob = new_ob
rollout_done = any((terminated, truncated, len(rewards) == max_path_length))
""",
    ),
    right(
        "right-16",
        "hw3.trainer.collect",
        body="""
paths, envsteps_this_batch = [], 0
while envsteps_this_batch < batch_size:
    path = rollouts.sample_trajectory(self.env, collect_policy, self.params["ep_len"])
    envsteps_this_batch += len(path["reward"])
    paths.append(path)
""",
    ),
    right(
        "right-17",
        "hw3.trainer.train",
        body="""
size = self.params["train_batch_size"]
batch = self.agent.sample(batch_size=size)
all_logs += [self.agent.train(*batch)]
""",
    ),
]
