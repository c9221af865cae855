"""Hands in a file with thirty thousand definitions, each of which would be compared."""

BODIES = dict.fromkeys(("hw3.dqn.targets", "hw3.dqn.double_q"), "raise RuntimeError")
AT_IMPORT = {"critics/dqn_critic.py": "def f():0\n" * 30_000}
