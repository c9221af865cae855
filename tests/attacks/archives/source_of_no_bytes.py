"""A source file of no bytes."""

FILES = {"cs285/policies/argmax_policy.py": b""}
BODIES = {"hw3.argmax.action": "pass"}
