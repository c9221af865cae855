"""Mistakes and right forms of actor-critic's advantages."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

BLANK, FILE = "hw3.ac.advantage", "agents/ac_agent.py"
CRITIC = "critics/bootstrapped_continuous_critic.py"
MASK = "(1.0 - terminal_n)"
SUM = f"re_n + self.gamma * {MASK} * next_v_n"
MINUS = "q_n - self.critic.forward_np(ob_no)"
STANDARD = "(adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)"
TENSORS = """
obs, next_obs = ptu.from_numpy(ob_no), ptu.from_numpy(next_ob_no)
rewards, terminals = ptu.from_numpy(re_n), ptu.from_numpy(terminal_n)
adv_n = rewards + self.gamma * (1 - terminals) * self.critic(next_obs) - self.critic(obs)
"""
IN_PLACE = """
q_n = re_n
q_n += self.gamma * self.critic.forward_np(next_ob_no) * (1 - terminal_n)
adv_n = q_n - self.critic.forward_np(ob_no)
"""
LOOP = """
v_n, next_v_n = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
adv_n = []
for i in range(len(re_n)):
    q = re_n[i] if terminal_n[i] else re_n[i] + self.gamma * next_v_n[i]
    adv_n.append(q - v_n[i])
adv_n = np.array(adv_n)
"""
TENSOR_STANDARD = (
    ("adv_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)",
     "adv_n = (adv_n - adv_n.mean()) / (adv_n.std() + 1e-8)"),
    ("adv_n: np.ndarray = q_n - self.critic.forward_np(ob_no)", "adv_n = ADV"),
)  # fmt: skip


def bad(source: str, misconceptions: str | tuple[str, ...], *changes: tuple[str, str]) -> Entry:
    """A change of the blank."""
    return wrong(source, BLANK, misconceptions, *changes)


def good(*changes: tuple[str, str], source: str = "", body: str | None = None) -> Entry:
    """Another right form of the blank."""
    return right(source, BLANK, *changes, body=body)


def standard(source: str, misconception: str, form: str) -> Entry:
    """A change of the standardisation, which is given."""
    return wrong(source, FILE, misconception, (f"adv_n = {STANDARD}", form), check=BLANK)


def in_tensors(adv_n: str) -> tuple[tuple[str, str], ...]:
    """A file that computes and standardises advantages as tensors."""
    return (
        TENSOR_STANDARD[0],
        (TENSOR_STANDARD[1][0], TENSOR_STANDARD[1][1].replace("ADV", adv_n)),
    )


GRAPH = "ptu.from_numpy(q_n) - self.critic(ptu.from_numpy(ob_no))"
WRONG = [
    bad("A01", "advantage.no_mask", (f"{MASK} * ", "")),
    bad("A03", "advantage.sign", (MINUS, "self.critic.forward_np(ob_no) - q_n")),
    wrong("A04", BLANK, "advantage.rewards_changed", body=IN_PLACE),
    bad("", "advantage.inputs_changed", ("q_n =", "terminal_n[:] = 1 - terminal_n\nq_n ="), (MASK, "terminal_n")),
    wrong("A05", BLANK, "advantage.carries_graph", body=TENSORS),
    wrong("A05", FILE, "advantage.carries_graph", *in_tensors(GRAPH), check=BLANK),
    bad("A05", "crash.array_and_tensor", ("self.critic.forward_np(next_ob_no)", "self.critic(ptu.from_numpy(next_ob_no)).numpy()")),
    bad("A05", "crash.array_and_tensor", ("self.critic.forward_np(ob_no)", "self.critic(ob_no)")),
    wrong("", BLANK, "advantage.tensor", body=TENSORS + "adv_n = adv_n.detach()"),
    bad("A06", "advantage.no_discount", ("self.gamma * ", "")),
    bad("A06", "advantage.no_baseline", (MINUS, "q_n")),
    bad("", "advantage.next_value_subtracted", (MINUS, "q_n - next_v_n")),
    bad("", "advantage.future_of_present_state", ("forward_np(next_ob_no)", "forward_np(ob_no)")),
    bad("", "advantage.states_swapped", ("forward_np(next_ob_no)", "forward_np(ob_no)"), (MINUS, MINUS.replace("ob_no", "next_ob_no"))),
    bad("", "advantage.mask_inverted", (MASK, "terminal_n")),
    bad("", "advantage.mask_doubled", (MASK, "(2 - terminal_n)")),
    bad("", "advantage.mask_not_one_minus", (MASK, "(~terminal_n.astype(int))")),
    bad("", "advantage.mask_not_one_minus", (MASK, "~terminal_n")),
    bad("", "advantage.mask_of_whole_batch", (MASK, "(not terminal_n)")),
    bad("", "advantage.mask_of_whole_batch", (SUM, "re_n if terminal_n else re_n + self.gamma * next_v_n")),
    bad("", "advantage.mask_precedence", (SUM, "re_n + self.gamma * next_v_n * 1 - terminal_n")),
    bad("", "advantage.mask_precedence", (SUM, "re_n + self.gamma * (next_v_n * 1 - terminal_n)")),
    bad("", "advantage.mask_precedence", (SUM, "re_n + self.gamma * 1 - terminal_n * next_v_n")),
    bad("", "advantage.discount_twice", ("self.gamma", "self.gamma ** 2")),
    bad("", "advantage.no_future", (SUM, "re_n")),
    bad("", "advantage.reward_missing", ("re_n + ", "")),
    bad("", "advantage.reward_sign", ("re_n + ", "-re_n + ")),
    bad("", "advantage.reward_discounted", (SUM, f"self.gamma * (re_n + {MASK} * next_v_n)")),
    bad("", "advantage.reward_masked", (SUM, f"{MASK} * (re_n + self.gamma * next_v_n)")),
    bad("", "advantage.minus", ("re_n + ", "re_n - ")),
    bad("", "advantage.baseline_added", (MINUS, MINUS.replace("-", "+"))),
    bad("", "advantage.baseline_mean", (MINUS, MINUS + ".mean()")),
    bad("", "advantage.baseline_discounted", (MINUS, "q_n - self.gamma * self.critic.forward_np(ob_no)")),
    bad("", "advantage.baseline_masked", (MINUS, "q_n - (1 - terminal_n) * self.critic.forward_np(ob_no)")),
    bad("", "advantage.baseline_in_brackets", (SUM, f"re_n + self.gamma * {MASK} * (next_v_n - self.critic.forward_np(ob_no))"), (MINUS, "q_n")),
    bad("", "advantage.reward_clipped", ("q_n =", "re_n = np.clip(re_n, -1, 1)\nq_n =")),
    bad("", "advantage.clipped", (MINUS, f"np.clip({MINUS}, -1, 1)")),
    bad("", "advantage.discount_fixed", ("self.gamma", "0.99")),
    bad("", "advantage.rewards_standardized", ("q_n =", "re_n = (re_n - re_n.mean()) / (re_n.std() + 1e-8)\nq_n =")),
    bad("", "advantage.value_of_next_row", ("self.critic.forward_np(next_ob_no)", "np.append(self.critic.forward_np(ob_no)[1:], 0)")),
    bad("", "advantage.broadcast", (MINUS, MINUS + "[:, None]")),
    bad("", "advantage.broadcast", (SUM, f"re_n[:, None] + self.gamma * {MASK} * next_v_n")),
    bad("", "advantage.column", (MINUS, f"({MINUS})[:, None]")),
    bad("", "advantage.one_number", (MINUS, f"np.mean({MINUS})")),
    bad("", "advantage.sizes", (MINUS, "q_n - self.critic.forward_np(ob_no)[1:]")),
    bad("", "advantage.no_array", (MINUS, f"list({MINUS})")),
    wrong("", BLANK, ("advantage.reward_missing", "advantage.no_future", "advantage.no_baseline"), body="adv_n = np.zeros_like(re_n)"),
    bad("", "advantage.always_standardized", (MINUS, f"{MINUS}\nadv_n = {STANDARD}")),
    bad("", "advantage.always_standardized", (MINUS, f"{MINUS}\nadv_n = adv_n - adv_n.mean()")),
    standard("A07", "advantage.not_centred", "adv_n = adv_n / (np.std(adv_n) + 1e-8)"),
    standard("A07", "advantage.std_precedence", "adv_n = adv_n - np.mean(adv_n) / np.std(adv_n)"),
    standard("", "advantage.not_scaled", "adv_n = adv_n - np.mean(adv_n)"),
    standard("", "advantage.not_standardized", "adv_n = 1.0 * adv_n"),
    standard("", "advantage.not_standardized", f"unused = {STANDARD}"),
    standard("", "advantage.variance", "adv_n = (adv_n - np.mean(adv_n)) / (np.var(adv_n) + 1e-8)"),
    standard("", "advantage.centre_added", "adv_n = (adv_n + np.mean(adv_n)) / (np.std(adv_n) + 1e-8)"),
    standard("", "advantage.scale_multiplied", "adv_n = (adv_n - np.mean(adv_n)) * (np.std(adv_n) + 1e-8)"),
    wrong("", FILE, "advantage.setting_reversed", ("if self.standardize_advantages", "if not self.standardize_advantages"), check=BLANK),
    bad("", ("advantage.no_mask", "advantage.no_discount"), (f"self.gamma * {MASK} * ", "")),
    bad("", ("advantage.sign", "advantage.no_mask"), (f"{MASK} * ", ""), (MINUS, "self.critic.forward_np(ob_no) - q_n")),
    bad("", ("advantage.no_discount", "advantage.no_baseline", "advantage.mask_inverted"), ("self.gamma * ", ""), (MINUS, "q_n"), (MASK, "terminal_n")),
    wrong("", BLANK, ("advantage.rewards_changed", "advantage.no_mask"), (" * (1 - terminal_n)", ""), body=IN_PLACE),
    wrong("", FILE, ("advantage.not_centred", "advantage.no_mask"), (f"{MASK} * ", ""), (f"adv_n = {STANDARD}", "adv_n /= np.std(adv_n)"), check=BLANK),
    wrong("", BLANK, ("advantage.carries_graph", "advantage.no_mask"), (" * (1 - terminals)", ""), body=TENSORS),
]  # fmt: skip
RIGHT = [
    good(body=LOOP),
    good(body=TENSORS + "adv_n = ptu.to_numpy(adv_n)", source="V05"),
    good(body="with torch.no_grad():\n    " + TENSORS.strip().replace("\n", "\n    ") + "\nadv_n = adv_n.numpy()", source="V05"),
    good((SUM, f"re_n.astype(np.float64) + self.gamma * {MASK} * next_v_n")),
    good(("q_n =", "next_v_n[terminal_n == 1] = 0\nq_n ="), (f"{MASK} * ", ""), source="V10"),
    *(good((MASK, mask), source="V10") for mask in (
        "(1 - terminal_n)", "~terminal_n.astype(bool)", "np.logical_not(terminal_n)", "(terminal_n == 0)",
        "(terminal_n == False).astype(np.uint8)", "-(terminal_n - 1)", "np.where(terminal_n, 0.0, 1.0)",
    )),
    good((MINUS, "np.subtract(q_n, self.critic.forward_np(ob_no))")),
    good((MINUS, "np.squeeze((q_n - self.critic.forward_np(ob_no))[:, None])")),
    good((MINUS, "-(self.critic.forward_np(ob_no) - q_n)")),
    good(("q_n =", "print(re_n.shape)\nq_n =")),
    good(("self.critic.forward_np(next_ob_no)", "self.critic(ptu.from_numpy(next_ob_no)).detach().numpy()")),
    good(("self.critic.forward_np(next_ob_no)", "self.critic.forward_np(np.concatenate([ob_no, next_ob_no]))[len(ob_no):]")),
    good((MINUS, "np.array([q - v for q, v in zip(q_n, self.critic.forward_np(ob_no))])")),
    good((SUM, "re_n.copy()\nq_n += self.gamma * (1 - terminal_n) * next_v_n")),
    *(right("V04", FILE, (f"adv_n = {STANDARD}", form), check=BLANK) for form in (
        "adv_n = (adv_n - adv_n.mean()) / adv_n.std()",
        "adv_n = (adv_n - adv_n.mean()) / np.sqrt(adv_n.var() + 1e-8)",
        "adv_n = (adv_n - adv_n.mean()) / (adv_n.std() + 1e-5)",
        "adv_n -= adv_n.mean()\n            adv_n /= adv_n.std() + 1e-10",
    )),
]  # fmt: skip
ENTRIES = [*WRONG, *RIGHT]
