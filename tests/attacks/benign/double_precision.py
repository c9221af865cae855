"""Computes advantages in double precision."""

BODIES = {
    "hw3.ac.advantage": """
next_v_n = self.critic.forward_np(next_ob_no).astype(np.float64)
q_n = np.asarray(re_n, np.float64) + self.gamma * (1.0 - terminal_n) * next_v_n
adv_n = q_n - self.critic.forward_np(ob_no)
""",
}
