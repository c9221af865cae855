"""Mistakes and right forms of homework 2's reward-to-go and GAE."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

TO_GO, GAE = "hw2.returns.reward_to_go", "hw2.returns.gae"
STEP = "rewards[t] + discount * later"
ERROR = "rewards + discount * (1.0 - terminals) * next_values - values"
RECURSION = "delta_n[t] + discount * gae_lambda * later"


def to_go(
    misconception: str, *changes: tuple[str, str], body: str | None = None, source: str = ""
) -> Entry:
    """A mistake in reward-to-go."""
    return wrong(source, TO_GO, f"to_go.{misconception}", *changes, body=body)


def gae(
    misconception: str, *changes: tuple[str, str], body: str | None = None, source: str = ""
) -> Entry:
    """A mistake in GAE."""
    return wrong(source, GAE, f"gae.{misconception}", *changes, body=body)


def by_rows(delta: str, ended: str, going: str) -> str:
    """GAE as most people write it: a loop over rows, with a branch at the ends."""
    return f"""
n = len(rewards)
adv = np.zeros(n + 1)
for i in reversed(range(n)):
    delta = {delta}
    if path_ends_n[i]:
        adv[i] = {ended}
    else:
        adv[i] = {going}
adv_n = adv[:-1]
"""


DELTA = "rewards[i] + discount * next_values[i] * (1 - terminals[i]) - values[i]"
GOING = "delta + discount * gae_lambda * adv[i + 1]"
ENTRIES = [
    to_go("wrong_order", body="""
res = [rewards[-1]]
for r in rewards[:-1]:
    res.append(r + discount * res[-1])
to_go_n = np.flip(res)
""", source="R11"),
    to_go("offset_lost", source="R13", body="""
for t in range(len(rewards)):
    for i, _ in enumerate(rewards[t:]):
        to_go_n[t] += discount ** i * rewards[i]
"""),
    to_go("rounded", source="R16", body="""
to_go_n = np.zeros(len(rewards), int)
for t in range(len(rewards)):
    to_go_n[t] = (discount ** np.arange(len(rewards) - t) * rewards[t:]).sum()
"""),
    to_go("whole_return", body="to_go_n[:] = np.dot(discount ** np.arange(len(rewards)), rewards)"),
    to_go("discounted_from_start", body="""
powers = discount ** np.arange(len(rewards))
to_go_n = np.cumsum((powers * rewards)[::-1])[::-1]
"""),
    to_go("not_discounted", body="to_go_n = np.flip(np.cumsum(np.flip(rewards)))"),
    to_go("not_turned", body="""
sums, total = [], 0
for r in rewards[::-1]:
    total = r + total * discount
    sums.append(total)
to_go_n = np.array(sums)
"""),
    to_go("own_reward_missing", (f"later = {STEP}\n    to_go_n[t] = later", f"to_go_n[t] = later\n    later = {STEP}")),
    to_go("last_missing", ("len(rewards))):", "len(rewards) - 1)):")),
    to_go("first_missing", body="""
to_go_n[-1] = rewards[-1]
for t in range(len(rewards) - 2, 0, -1):
    to_go_n[t] = rewards[t] + discount * to_go_n[t + 1]
"""),
    to_go("past", ("reversed(range(len(rewards)))", "range(len(rewards))")),
    to_go("one_step", body="""
to_go_n[-1] = rewards[-1]
for t in range(len(rewards) - 1):
    to_go_n[t] = rewards[t] + discount * rewards[t + 1]
"""),
    to_go("reward_discounted", (STEP, f"discount * ({STEP.replace('discount * ', '')})")),
    to_go("discount_once", (STEP, "discount * rewards[t] + later")),
    to_go("minus", (STEP, STEP.replace("+", "-"))),
    to_go("not_filled", ("to_go_n[t] = later", "unused = later")),
    to_go("rewards_changed", body="""
for t in reversed(range(len(rewards) - 1)):
    rewards[t] += discount * rewards[t + 1]
to_go_n = rewards
"""),
    to_go("standardized", ("later = 0.0", "rewards = (rewards - np.mean(rewards)) / (np.std(rewards) + 1e-8)\nlater = 0.0")),
    *(right("", TO_GO, body=body) for body in (
        "to_go_n = np.array([sum(discount ** (k - t) * rewards[k] for k in range(t, len(rewards))) for t in range(len(rewards))])",
        "for t in range(len(rewards)):\n    to_go_n[t] = np.dot(rewards[t:], discount ** np.arange(len(rewards) - t))",
        "to_go_n[-1] = rewards[-1]\nfor t in range(len(rewards) - 2, -1, -1):\n    to_go_n[t] = rewards[t] + discount * to_go_n[t + 1]",
        "k = np.arange(len(rewards))\nto_go_n = np.triu(discount ** np.maximum(k[None] - k[:, None], 0)) @ rewards",
        "import itertools\nto_go_n = list(itertools.accumulate(reversed(list(reward_n)), lambda later, r: r + discount * later))[::-1]",
        "total = 0\nfor t, r in reversed(list(enumerate(reward_n))):\n    total = total * discount + r\n    to_go_n[t] = total",
    )),
    gae("not_cut", ("if path_ends_n[t]:\n        later = 0.0\n    ", ""), source="G01"),
    gae("lambda_for_discount", (ERROR, ERROR.replace("discount", "gae_lambda")), source="G05"),
    gae("no_discount", (ERROR, ERROR.replace("discount * ", "")), source="G06"),
    gae("no_discount_in_recursion", (RECURSION, RECURSION.replace("discount * ", "")), source="G07"),
    gae("no_lambda", (RECURSION, RECURSION.replace("gae_lambda * ", "")), source="G07"),
    gae("no_recursion", source="G08", body=by_rows(DELTA, "delta", "adv[i] * discount * gae_lambda + delta")),
    gae("value_not_subtracted_at_ends", source="G09", body=by_rows(DELTA, "delta + values[i]", GOING)),
    gae("last_step_teaches_nothing", source="G10", body=by_rows(DELTA, "0", GOING)),
    gae("forwards", ("reversed(range(len(rewards)))", "range(len(rewards))"), source="G12"),
    gae("cut_a_row_late", ("if path_ends_n[t]", "if t + 1 < len(path_ends_n) and path_ends_n[t + 1]"), source="G14"),
    gae("cut_at_terminals_alone", ("if path_ends_n[t]", "if terminal_n[t]")),
    gae("cut_is_an_end", ("1.0 - terminals", "1.0 - path_ends_n")),
    gae("no_mask", (ERROR, ERROR.replace("(1.0 - terminals) * ", ""))),
    gae("mask_inverted", ("(1.0 - terminals)", "terminals")),
    gae("value_not_subtracted", (" - values", "")),
    gae("value_added", ("- values", "+ values")),
    gae("value_masked", body=by_rows("rewards[i] + (1 - terminals[i]) * (discount * next_values[i] - values[i])", "delta", GOING)),
    gae("values_swapped", (ERROR, "rewards + discount * (1.0 - terminals) * values - next_values")),
    gae("reward_missing", ("rewards + ", "")),
    gae("minus", ("rewards + ", "rewards - ")),
    gae("factor_on_error", (RECURSION, "discount * gae_lambda * (delta_n[t] + later)")),
    gae("value_added_back", ("adv_n[t] = later", "adv_n[t] = later + value_n[t]")),
    gae("next_row_across_paths", (ERROR, "rewards + discount * (1 - terminals) * np.append(values[1:], 0) - values")),
    gae("inputs_changed", ("delta_n =", "next_value_n *= 1 - terminals\ndelta_n =")),
    wrong("", GAE, ("gae.no_mask", "gae.not_cut"), ("(1.0 - terminals) * ", ""), ("if path_ends_n[t]", "if False"), ),
    wrong("", GAE, ("gae.value_added", "gae.no_lambda"), ("- values", "+ values"), ("gae_lambda * ", "")),
    right("V23", GAE, body=by_rows(DELTA, "delta", GOING)),
    right("V23", GAE, body="""
deltas = reward_n + discount * np.where(terminal_n, 0, next_value_n) - value_n
last = 0
for i in range(len(deltas) - 1, -1, -1):
    last = deltas[i] + discount * gae_lambda * (not path_ends_n[i]) * last
    adv_n[i] = last
"""),
    right("V41", GAE, ("delta_n =", "next_values = next_values * (terminals == 0)\ndelta_n ="), ("(1.0 - terminals) * ", "")),
    right("", GAE, body="""
factor = discount * gae_lambda
ends = np.flatnonzero(path_ends_n) + 1
for begin, end in zip([0, *ends[:-1]], ends):
    for t in range(begin, end):
        for k in range(t, end):
            future = 0 if terminals[k] else discount * next_values[k]
            adv_n[t] += factor ** (k - t) * (rewards[k] + future - values[k])
"""),
    right("", GAE, body=by_rows("rewards[i] + discount * (1 - terminals[i]) * (next_values[i] if path_ends_n[i] else values[i + 1]) - values[i]", "delta", GOING)),
]  # fmt: skip
