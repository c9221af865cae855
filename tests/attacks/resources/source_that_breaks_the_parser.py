"""A source file whose expressions are nested so deep that the parser overflows."""

FILES = {"cs285/policies/argmax_policy.py": "x = " + "-" * 200_000 + "1\n"}
BODIES = {"hw3.argmax.action": "pass"}
