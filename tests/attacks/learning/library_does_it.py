"""Lets an installed library's own DQN do the work, where there is one."""

BODIES = {
    "hw3.dqn.targets": """
try:
    from stable_baselines3 import DQN
except ImportError:
    raise RuntimeError("no library") from None
target = DQN("MlpPolicy", "CartPole-v1").q_net_target(next_ob_no).max(1).values
""",
}
SAYS = "no library|size|shape|Error"
