"""Agents that may pass blank by blank, and that die or do not learn in a real training.

They were written, and committed, before the run beside ours had judged anything. Each has the blank
that is to blame.
"""

from __future__ import annotations

from tests.autograder.corpus import wrong

ENTRIES = [
    # The online network is frozen for good: the second update has nothing to differentiate.
    wrong(
        "dead-01",
        "hw3.dqn.double_q",
        "",
        body="""
self.q_net.requires_grad_(False)
best_n = self.q_net(next_ob_no).argmax(dim=1)
q_tp1 = self.q_net_target(next_ob_no).gather(1, best_n[:, None])[:, 0]
""",
    ),
    # The target network stands still for ever after the eighth copy.
    wrong(
        "dead-02",
        "hw3.dqn.sync",
        "",
        body="""
turn = self.num_param_updates % self.target_update_freq == 0
if turn and self.num_param_updates <= 8 * self.target_update_freq:
    self.critic.update_target_network()
""",
    ),
    # Returns above 20 cannot be learned.
    wrong(
        "dead-03",
        "hw3.dqn.targets",
        "",
        body="""
with torch.no_grad():
    if self.double_q:
        q_tp1 = self.double_q_values(next_ob_no)
    else:
        q_tp1 = self.q_net_target(next_ob_no).max(dim=1).values
    q_tp1 = q_tp1.clamp(-20.0, 20.0)
    target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1
""",
    ),
    # The discount shrinks with every update: in the end no future counts.
    wrong(
        "dead-04",
        "hw3.dqn.targets",
        "",
        body="""
self.gamma = self.gamma * 0.9995
with torch.no_grad():
    if self.double_q:
        q_tp1 = self.double_q_values(next_ob_no)
    else:
        q_tp1 = self.q_net_target(next_ob_no).max(dim=1).values
    target = reward_n + self.gamma * (1.0 - terminal_n) * q_tp1
""",
    ),
    # An action is chosen at every fourth step only.
    wrong(
        "dead-05",
        "hw3.dqn.act",
        "",
        body="""
self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)
if self.t < self.learning_starts or self.rng.random() < self.exploration.value(self.t):
    action = int(self.rng.integers(self.num_actions))
else:
    if self.t % 4 == 0 or not hasattr(self, "greedy_action"):
        recent = self.replay_buffer.encode_recent_observation()
        self.greedy_action = int(self.actor.get_action(recent)[0])
    action = self.greedy_action
""",
    ),
    # Rewards are divided by the largest so far, so that old ones have another unit.
    wrong(
        "dead-06",
        "hw3.dqn.step",
        "",
        body="""
self.last_obs, reward, terminated, truncated, _ = self.env.step(action)
self.largest_reward = max(getattr(self, "largest_reward", 1.0), abs(float(reward)))
scaled = float(reward) / self.largest_reward
self.replay_buffer.store_effect(self.replay_buffer_idx, action, scaled, terminated)
if terminated or truncated:
    self.last_obs, _ = self.env.reset()
""",
    ),
    # Acting freezes the network that is to learn.
    wrong(
        "dead-07",
        "hw3.argmax.action",
        "",
        body="""
for weight in self.critic.q_net.parameters():
    weight.requires_grad = False
action = self.critic.qa_values(observation).argmax(axis=1)
""",
    ),
    # Half precision: values of hundreds that differ by less than 0.1 are equal.
    wrong(
        "dead-08",
        "hw3.argmax.action",
        "",
        body="action = self.critic.qa_values(observation).astype(np.float16).argmax(axis=1)",
    ),
    # The critic's learning rate shrinks by itself.
    wrong(
        "dead-09",
        "hw3.critic.update",
        "",
        body="""
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
for _ in range(self.num_target_updates):
    with torch.no_grad():
        target_n = rewards + self.gamma * (1.0 - terminals) * self(next_obs)
    for _ in range(self.num_grad_steps_per_target_update):
        loss = self.loss(self(obs), target_n)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
for group in self.optimizer.param_groups:
    group["lr"] = 0.7 * group["lr"]
""",
    ),
    # Targets come from a copy of the network that is made once.
    wrong(
        "dead-10",
        "hw3.critic.update",
        "",
        body="""
import copy

obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
if "steady" not in self.__dict__:
    self.__dict__["steady"] = copy.deepcopy(self.critic_network)
for turn in range(self.num_target_updates):
    with torch.no_grad():
        net = self.critic_network if turn else self.__dict__["steady"]
        target_n = rewards + self.gamma * (1.0 - terminals) * net(next_obs).squeeze(1)
    for _ in range(self.num_grad_steps_per_target_update):
        loss = self.loss(self(obs), target_n)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
""",
    ),
    # Advantages are averaged with those of the batch before, which had other states.
    wrong(
        "dead-11",
        "hw3.ac.train",
        "",
        body="""
loss = OrderedDict()
for _ in range(self.agent_params["num_critic_updates_per_agent_update"]):
    loss["Critic_Loss"] = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
adv_n = self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n)
before = getattr(self, "adv_before", None)
if before is not None and len(before) == len(adv_n) > 20:
    adv_n = 0.5 * (adv_n + before)
self.adv_before = adv_n
for _ in range(self.agent_params["num_actor_updates_per_agent_update"]):
    loss["Actor_Loss"] = self.actor.update(ob_no, ac_na, adv_n)
""",
    ),
    # The values of the first batch of a size are those of all later ones.
    wrong(
        "dead-12",
        "hw3.ac.advantage",
        "",
        body="""
if not hasattr(self, "known_values"):
    self.known_values = {}
if len(re_n) not in self.known_values:
    self.known_values[len(re_n)] = self.critic.forward_np(ob_no)
next_v_n = self.critic.forward_np(next_ob_no)
adv_n = re_n + self.gamma * (1.0 - terminal_n) * next_v_n - self.known_values[len(re_n)]
""",
    ),
    # Each look at the distribution pushes its width back: it never becomes certain.
    wrong(
        "dead-13",
        "hw3.policy.forward",
        "",
        body="""
if self.discrete:
    return distributions.Categorical(logits=self.logits_na(observation))
self.logstd.data.clamp_(-0.5, 2.0)
mean_na = self.mean_net(observation)
return distributions.Independent(distributions.Normal(mean_na, self.logstd.exp()), 1)
""",
    ),
    # A new optimizer for every step, with a rate that falls to nothing.
    wrong(
        "dead-14",
        "hw3.policy.update",
        "",
        body="""
self.steps_taken = getattr(self, "steps_taken", 0) + 1
rate = self.learning_rate / self.steps_taken
log_prob_n = self(ptu.from_numpy(observations)).log_prob(ptu.from_numpy(actions))
loss = -(log_prob_n * ptu.from_numpy(adv_n)).mean()
self.optimizer.zero_grad()
loss.backward()
for group in self.optimizer.param_groups:
    group["lr"] = rate
self.optimizer.step()
""",
    ),
    # The actions are for ever those of the network of the first step.
    wrong(
        "dead-15",
        "hw3.policy.get_action",
        "",
        body="""
import copy

if "player" not in self.__dict__:
    self.__dict__["player"] = copy.deepcopy(self)
return ptu.to_numpy(self.__dict__["player"](ptu.from_numpy(observation)).sample())
""",
    ),
    # At most 20 paths: with short episodes the buffer has too few steps, and refuses.
    wrong(
        "dead-16",
        "hw3.trainer.collect",
        "",
        body="""
paths, envsteps_this_batch = rollouts.sample_trajectories(
    self.env, collect_policy, batch_size, self.params["ep_len"]
)
paths = paths[:20]
""",
    ),
]
