"""Adds 1e-8 here and there."""

BODIES = {
    "hw3.ac.advantage": """
next_v_n = self.critic.forward_np(next_ob_no) + 1e-8
adv_n = re_n + self.gamma * (1.0 - terminal_n) * next_v_n - self.critic.forward_np(ob_no) + 1e-8
""",
}
