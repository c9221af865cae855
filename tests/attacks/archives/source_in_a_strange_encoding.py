"""A source file in an encoding that is slow, or runs code, or is undefined."""

FILES = {"cs285/policies/argmax_policy.py": b"# -*- coding: undefined -*-\nx = 1\n"}
BODIES = {"hw3.argmax.action": "pass"}
