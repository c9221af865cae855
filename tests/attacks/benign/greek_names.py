"""Names its variables in Greek."""

BODIES = {
    "hw3.dqn.targets": """
with torch.no_grad():
    γ, μάσκα = self.gamma, 1.0 - terminal_n
    if self.double_q:
        χ = self.double_q_values(next_ob_no)
    else:
        χ = self.q_net_target(next_ob_no).max(dim=1).values
    target = reward_n + γ * μάσκα * χ
""",
}
