"""Compiles functions with torch.compile, with and without settings."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import torch

@torch.compile
def largest(values):
    return values.argmax(1)

@torch.compile(mode="reduce-overhead")
def same(values):
    return values
"""
}
BODIES = {
    "hw3.argmax.action": "action = largest(same(torch.as_tensor(self.critic.qa_values(observation)))).numpy()"
}
