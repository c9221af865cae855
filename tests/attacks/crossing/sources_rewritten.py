"""Writes other sources over its own while one probe runs, for the next one to judge."""

SAYS = r"closed: \['dqn_critic.py', 'argmax_policy.py', 'new.py', 'renamed'\]"
BODIES = {
    "hw3.argmax.action": r"""
import os, pathlib
here, closed = pathlib.Path(__file__).parent.parent, []
for path in ("critics/dqn_critic.py", "policies/argmax_policy.py", "policies/new.py"):
    try:
        (here / path).write_text("x = 1")
    except OSError:
        closed.append(os.path.basename(path))
try:
    os.rename(here, str(here) + "-old")
except OSError:
    closed.append("renamed")
raise RuntimeError(f"closed: {closed}")
"""
}
