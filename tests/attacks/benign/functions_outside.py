"""Fills a blank by a call of a function outside of the class, with another name for the agent."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
def greedy(policy, seen):
    return policy.critic.qa_values(seen).argmax(axis=1)
"""
}
BODIES = {"hw3.argmax.action": "action = greedy(self, observation)"}
