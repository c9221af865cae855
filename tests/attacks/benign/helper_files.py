"""Keeps some of its code in files of its own."""

FILES = {
    "cs285/infrastructure/my_helpers.py": "def largest(values):\n    return values.argmax(axis=1)\n",
    "cs285/mine/__init__.py": "",
    "cs285/mine/deeper/more.py": "from ...infrastructure.my_helpers import largest\n",
}
AT_IMPORT = {
    "policies/argmax_policy.py": """
from cs285.infrastructure.my_helpers import largest
from cs285.mine.deeper.more import largest as same
assert largest is same
"""
}
BODIES = {"hw3.argmax.action": "action = largest(self.critic.qa_values(observation))"}
