"""Shows progress bars with tqdm."""

AT_IMPORT = """
from tqdm import tqdm, trange
"""
BODIES = {
    "hw3.critic.update": """
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(reward_n), ptu.from_numpy(terminal_n)
for _ in trange(self.num_target_updates):
    with torch.no_grad():
        target_n = rewards + self.gamma * (1.0 - terminals) * self(next_obs)
    for _ in tqdm(range(self.num_grad_steps_per_target_update)):
        loss = self.loss(self(obs), target_n)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
""",
}
