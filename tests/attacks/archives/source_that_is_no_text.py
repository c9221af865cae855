"""A source file in no encoding, with NUL bytes."""

FILES = {"cs285/policies/argmax_policy.py": b"\xff\xfe\x00\x00x = 1\x00"}
BODIES = {"hw3.argmax.action": "pass"}
