"""Puts its solution into a subclass, under the old name."""

BODIES = {"hw3.argmax.action": "action = None"}
AT_IMPORT = {
    "policies/argmax_policy.py": """
class Greedy(ArgMaxPolicy):
    def get_action(self, obs):
        observation = obs if len(obs.shape) > len(self.critic.ob_dim) else obs[None]
        return self.critic.qa_values(observation).argmax(axis=1)

ArgMaxPolicy = Greedy
"""
}
