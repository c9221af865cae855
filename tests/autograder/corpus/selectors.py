"""Mistakes and right forms of homework 6's rules."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

Change = tuple[str, str]
UCB, WINDOW, EPOCH = "hw6.ucb.index", "hw6.window.update", "hw6.esbas.epoch"
CHANCES, WEIGHTS = "hw6.exp3.probs", "hw6.exp3.update"
BOUND, TEST = "hw6.d3rb.choose", "hw6.d3rb.test"
PREFIXES = {
    UCB: "ucb", WINDOW: "window", EPOCH: "epoch", CHANCES: "chances", WEIGHTS: "weights",
    BOUND: "bound", TEST: "doubling",
}  # fmt: skip


def bad(blank: str, misconception: str, body: str | None = None, *changes: Change) -> Entry:
    """A mistake, by its id within the blank."""
    known = misconception if "." in misconception else f"{PREFIXES[blank]}.{misconception}"
    return wrong("", blank, known, *changes, body=body)


def loop(index: str, first: str = "") -> str:
    """UCB's index, arm by arm."""
    return f"""
{first or "n = plays_k.sum()"}
for k in range(len(plays_k)):
    if plays_k[k] > 0:
        index_k[k] = {index}
"""


def wheres(n: str, index: str) -> str:
    """UCB's index, by `np.where`."""
    return f"""
n = {n}
index_k = np.where(plays_k > 0, {index}, np.inf)
"""


ARM = "total_k[k] / plays_k[k] + np.sqrt(xi * np.log(n) / plays_k[k])"
ALL = "total_k / plays_k + np.sqrt(xi * np.log(n) / plays_k)"
OF_UCB = [
    bad(UCB, "own_count", loop(ARM.replace("log(n)", "log(plays_k[k])"))),
    bad(UCB, "counts_arms", loop(ARM, "n = len(plays_k)")),
    bad(UCB, "most_played", loop(ARM, "n = plays_k.max()")),
    bad(UCB, "no_log", loop(ARM.replace("np.log(n)", "n"))),
    bad(UCB, "other_log", loop(ARM.replace("log(n)", "log10(n)"))),
    bad(UCB, "one_more", loop(ARM.replace("log(n)", "log1p(n)"))),
    bad(UCB, "xi_outside", loop("total_k[k] / plays_k[k] + xi * np.sqrt(np.log(n) / plays_k[k])")),
    bad(UCB, "no_xi", loop(ARM.replace("xi * ", ""))),
    bad(UCB, "no_root", wheres("plays_k.sum()", ALL.replace("np.sqrt", ""))),
    bad(UCB, "not_divided", wheres("max(1, plays_k.sum())", "total_k / plays_k + np.sqrt(xi * np.log(n))")),
    bad(UCB, "total", loop(ARM.replace("total_k[k] / plays_k[k]", "total_k[k]"))),
    bad(UCB, "share_of_all", loop(ARM.replace("total_k[k] / plays_k[k]", "total_k[k] / n"))),
    bad(UCB, "minus", loop(ARM.replace("+ np", "- np"))),
    bad(UCB, "no_bonus", loop("total_k[k] / plays_k[k]")),
    bad(UCB, "untried_finite", f"n = max(plays_k.sum(), 1)\nindex_k = np.where(plays_k > 0, {ALL}, 0)"),
    bad(UCB, "no_number", f"n = max(plays_k.sum(), 1)\nindex_k = {ALL}"),
    bad(UCB, "untried_finite", f"n = max(plays_k.sum(), 1)\nm = plays_k + 1e-8\nindex_k = {ALL.replace('plays_k', 'm')}"),
    bad(UCB, "once_is_untried", loop(ARM).replace("> 0", "> 1")),
    right("", UCB, body=loop(ARM)),
    right("", UCB, body=wheres("plays_k.sum()", ALL)),
    right("", UCB, body="""
import math
for k, (total, n_k) in enumerate(zip(total_k, plays_k)):
    if n_k:
        index_k[k] = total / n_k + math.sqrt(xi * math.log(sum(plays_k)) / n_k)
"""),
    right("", UCB, body="""
played = np.flatnonzero(plays_k)
n = plays_k[played]
index_k[played] = total_k[played] / n + np.sqrt(xi / n * np.log(np.sum(n)))
"""),
]  # fmt: skip


def leave(most: str, out: str = "self.window[self.oldest]", loop: str = "while") -> str:
    """The window's update with names of its own."""
    return f"""
limit = {most}
{loop} len(self.window) - self.oldest > limit:
    k, score = {out}
    self.oldest += 1
    self.plays_k[k] -= 1
    self.total_k[k] -= score
"""


HALF = "max(self.shortest, self.time // 2)"
TAKEN = "    self.plays_k[k] -= 1\n    self.total_k[k] -= score\n"
OF_WINDOW = [
    bad(WINDOW, "one_short", leave(HALF).replace("> limit", ">= limit")),
    bad(WINDOW, "no_shortest", leave("self.time / 2")),
    bad(WINDOW, "smaller_of_both", leave("min(self.time // 2, self.shortest)")),
    bad(WINDOW, "shortest_alone", leave("8").replace("8", "self.shortest")),
    bad(WINDOW, "never", leave("max(self.shortest, self.time)")),
    bad(WINDOW, "whole_list", leave(HALF, loop="if").replace(" - self.oldest", "")),
    bad(WINDOW, "rounded_up", leave("max(self.shortest, int(np.ceil(self.time / 2)))")),
    bad(WINDOW, "newest_leaves", leave(HALF, "self.window[-1]")),
    bad(WINDOW, "first_again", leave(HALF, "self.window[0]")),
    bad(WINDOW, "next_leaves", leave(HALF).replace("    self.oldest += 1\n", "").replace("k, score", "self.oldest += 1\n    k, score")),
    bad(WINDOW, "play_stays", leave(HALF).replace("    self.plays_k[k] -= 1\n", "")),
    bad(WINDOW, "score_stays", leave(HALF).replace("    self.total_k[k] -= score\n", "")),
    bad(WINDOW, "one_taken", leave(HALF).replace("-= score", "-= 1")),
    bad(WINDOW, "not_taken_out", leave(HALF).replace(TAKEN, "")),
    bad(WINDOW, "score_of_newest", leave(HALF).replace("-= score", "-= x")),
    bad(WINDOW, "play_of_newest", leave(HALF).replace("plays_k[k]", "plays_k[arm]")),
    bad(WINDOW, "never_ends", leave(HALF).replace("    self.oldest += 1\n", "")),
    bad(WINDOW, "popped_and_moved", leave(HALF, "self.window.pop(0)")),
    right("", WINDOW, body=leave(HALF)),
    right("", WINDOW, body=leave("max(self.time / 2, self.shortest)", loop="if")),
    right("", WINDOW, body=leave(HALF, "self.window.pop(self.oldest)").replace("    self.oldest += 1\n", "")),
    right("", WINDOW, body="""
too_many = len(self.window) - self.oldest - max(self.shortest, self.time // 2)
for _ in range(too_many):
    gone, paid = self.window[self.oldest]
    self.oldest = self.oldest + 1
    self.plays_k[gone], self.total_k[gone] = self.plays_k[gone] - 1, self.total_k[gone] - paid
"""),
    right("", WINDOW, body="""
self.oldest = max(self.oldest, len(self.window) - max(self.shortest, self.time // 2))
recent = self.window[self.oldest:]
arms = [k for k, _ in recent]
self.plays_k = np.bincount(arms, minlength=self.num_arms).astype(float)
self.total_k = np.bincount(arms, [r for _, r in recent], self.num_arms)
"""),
]  # fmt: skip


def epoch(test: str = "self.plays_k.sum() >= 2 ** self.beta", frozen: str = "False", forget: str = "") -> str:  # fmt: skip
    """The end of an epoch, with new arrays."""
    forget = forget or "self.plays_k, self.total_k = np.zeros(self.num_arms), np.zeros(self.num_arms)"  # fmt: skip
    return f"""
if {test}:
    self.frozen = {frozen}
    self.beta = self.beta + 1
    {forget}
"""


OF_EPOCH = [
    bad(EPOCH, "one_late", epoch("sum(self.plays_k) > 2 ** self.beta")),
    bad(EPOCH, "one_early", epoch("sum(self.plays_k) + 1 >= 2 ** self.beta")),
    bad(EPOCH, "own_plays", epoch("self.plays_k[arm] >= 2 ** self.beta")),
    bad(EPOCH, "square", epoch("sum(self.plays_k) >= self.beta * self.beta")),
    bad(EPOCH, "linear", epoch("sum(self.plays_k) >= self.beta * 2")),
    bad(EPOCH, "next_length", epoch("sum(self.plays_k) == 2 ** (1 + self.beta)")),
    bad(EPOCH, "scores", epoch("sum(self.total_k) >= 2 ** self.beta")),
    bad(EPOCH, "still_frozen", epoch(frozen="True")),
    bad(EPOCH, "same_epoch", epoch().replace("self.beta + 1", "self.beta")),
    bad(EPOCH, "plays_stay", epoch(forget="self.total_k = np.zeros(self.num_arms)")),
    bad(EPOCH, "totals_stay", epoch(forget="self.plays_k = np.zeros(self.num_arms)")),
    bad(EPOCH, "nothing_forgotten", epoch(forget="pass")),
    bad(EPOCH, "nothing_forgotten", epoch(forget="plays_k, total_k = np.zeros(3), np.zeros(3)")),
    bad(EPOCH, "shared", epoch(forget="self.plays_k = np.zeros(self.num_arms)\n    self.total_k = self.plays_k")),
    bad(EPOCH, "never_frozen", epoch() + "self.frozen = False"),
    bad(EPOCH, "arm_alone", epoch(forget="self.plays_k[arm] = self.total_k[arm] = 0")),
    bad(EPOCH, "doubled", epoch().replace("self.beta + 1", "max(2 * self.beta, 1)")),
    right("", EPOCH, body=epoch()),
    right("", EPOCH, body=epoch("np.sum(self.plays_k) >= 1 << self.beta")),
    right("", EPOCH, body=epoch("int(sum(self.plays_k)) == pow(2, self.beta)", forget="self.plays_k *= 0\n    self.total_k *= 0")),
    right("", EPOCH, body="""
over = self.plays_k.sum() == 2 ** self.beta
self.frozen = not over
if over:
    self.beta += 1
    self.plays_k.fill(0)
    self.total_k.fill(0)
"""),
]  # fmt: skip

P = "(1 - self.gamma) * w_k / np.sum(w_k) + self.gamma / self.num_arms"
OF_CHANCES = [
    bad(CHANCES, misconception, f"p_k = {text}")
    for misconception, text in {
        "no_room_for_chance": P.replace("(1 - self.gamma) * ", ""),
        "nothing_for_chance": "w_k / w_k.sum() * (1 - self.gamma)",
        "chance_not_shared": "(1 - self.gamma) * w_k / w_k.sum() + self.gamma",
        "gamma_swapped": "self.gamma * w_k / w_k.sum() + (1 - self.gamma) / self.num_arms",
        "not_divided": "(1 - self.gamma) * w_k + self.gamma / self.num_arms",
        "mean": P.replace("np.sum", "np.mean"),
        "length": P.replace("np.sum", "np.linalg.norm"),
        "one_over_all": P.replace("self.gamma / self", "1 / self"),
        "one_arm_less": P.replace("self.num_arms", "max(1, self.num_arms - 1)"),
        "minus": P.replace("+ self", "- self"),
        "logarithms": P.replace("w_k", "self.log_w_k"),
        "twice_exp": P.replace("w_k", "np.exp(w_k)"),
    }.items()
] + [
    bad(CHANCES, "made_to_sum", "p_k = w_k / sum(w_k) + self.gamma / self.num_arms\np_k /= sum(p_k)"),
    bad(CHANCES, "weights_changed", f"self.log_w_k = self.log_w_k - self.log_w_k.max()\np_k = {P}"),
    right("", CHANCES, body=f"p_k = {P}"),
    right("", CHANCES, body="g = self.gamma\nk = len(w_k)\np_k = np.array([(1 - g) * w / sum(w_k) + g / k for w in w_k])"),
    right("", CHANCES, body="w_k /= w_k.sum()\np_k = w_k + self.gamma * (1 / w_k.size - w_k)"),
    right("", CHANCES, body="p_k = np.full(self.num_arms, self.gamma / self.num_arms)\np_k += w_k * (1 - self.gamma) / w_k.sum()"),
    right("", CHANCES, body="shares = np.exp(self.log_w_k - np.logaddexp.reduce(self.log_w_k))\np_k = (1 - self.gamma) * shares + self.gamma * np.ones(self.num_arms) / self.num_arms"),
]  # fmt: skip


def weights(gain: str, p: str = "self.probs()") -> str:
    """EXP3's update in two lines."""
    return f"p_k = {p}\nself.log_w_k[arm] = self.log_w_k[arm] + {gain}"


GAIN = "self.gamma * (x / p_k[arm]) / self.num_arms"
OF_WEIGHTS = [
    bad(WEIGHTS, "multiplied", weights(GAIN).replace("arm] + ", "arm] * ")),
    bad(WEIGHTS, "exp_added", weights(f"np.exp({GAIN})")),
    bad(WEIGHTS, "assigned", weights(GAIN).replace("self.log_w_k[arm] + ", "")),
    bad(WEIGHTS, "minus", weights(GAIN).replace("arm] + ", "arm] - ")),
    bad(WEIGHTS, "all_arms", weights(GAIN).replace("log_w_k[arm]", "log_w_k")),
    bad(WEIGHTS, "no_chance", weights("self.gamma * x / self.num_arms")),
    bad(WEIGHTS, "times_chance", weights("self.gamma * x * p_k[arm] / self.num_arms")),
    bad(WEIGHTS, "best_chance", weights(GAIN.replace("p_k[arm]", "max(p_k)"))),
    bad(WEIGHTS, "no_arms", weights("self.gamma * x / p_k[arm]")),
    bad(WEIGHTS, "no_gamma", weights("x / p_k[arm] / self.num_arms")),
    bad(WEIGHTS, "times_arms", weights("self.gamma * x / p_k[arm] * self.num_arms")),
    bad(WEIGHTS, "no_score", weights(GAIN.replace("x /", "1 /"))),
    bad(WEIGHTS, "share_alone", weights(GAIN, "np.exp(self.log_w_k) / sum(np.exp(self.log_w_k))")),
    bad(WEIGHTS, "lost", f"p_k = self.probs()\nw = self.log_w_k.copy()\nw[arm] += {GAIN}"),
    bad(WEIGHTS, "equal_chance", weights("self.gamma * x")),
    right("", WEIGHTS, body=weights(GAIN)),
    right("", WEIGHTS, body="gains = np.zeros(self.num_arms)\ngains[arm] = x / self.probs()[arm]\nself.log_w_k = self.log_w_k + self.gamma / self.num_arms * gains"),
    right("", WEIGHTS, body=weights(GAIN) + "\nself.log_w_k -= self.log_w_k.max()"),
    right("", WEIGHTS, body=weights(GAIN, "(1 - self.gamma) * np.exp(self.log_w_k) / np.exp(self.log_w_k).sum() + self.gamma / self.num_arms")),
    right("", WEIGHTS, body="chance = self.probs()[arm]\nself.log_w_k += np.where(np.arange(self.num_arms) == arm, self.gamma * x / chance / self.num_arms, 0)"),
]  # fmt: skip

D = "self.d_k * np.sqrt(self.plays_k)"
OF_BOUND = [
    bad(BOUND, "largest", f"bound = {D}\narm = self.best_of(bound)"),
    bad(BOUND, "largest", f"arm = int(self.rng.choice(np.flatnonzero({D} == max({D}))))"),
    bad(BOUND, "bound_itself", f"arm = np.min({D})"),
    bad(BOUND, "guess_alone", "arm = self.best_of(1 / self.d_k)"),
    bad(BOUND, "plays_alone", "arm = self.best_of(self.plays_k * -1.0)"),
    bad(BOUND, "no_root", "arm = self.best_of(-(self.d_k * self.plays_k))"),
    bad(BOUND, "per_play", "arm = self.best_of(-self.d_k / np.sqrt(self.plays_k + 1e-9))"),
    bad(BOUND, "squared_guess", "arm = self.best_of(-self.d_k * self.d_k * self.plays_k ** 0.5)"),
    bad(BOUND, "sum", "arm = self.best_of(-np.sqrt(self.plays_k) - self.d_k)"),
    bad(BOUND, "uniform", "arm = int(self.rng.integers(self.num_arms))"),
    bad(BOUND, "rounded", "arm = self.best_of(-(self.d_k * np.sqrt(self.plays_k)).round())"),
    bad(BOUND, "shifted", f"arm = 1 + self.best_of(-{D})"),
    right("", BOUND, body=f"arm = self.best_of(0 - {D})"),
    right("", BOUND, body=f"arm = min(range(self.num_arms), key=lambda k: ({D})[k])"),
    right("", BOUND, body="arm = self.best_of(-(self.d_k**2) * self.plays_k)"),
    right("", BOUND, body=f"bound = {D}\nleast = [k for k in range(self.num_arms) if bound[k] == min(bound)]\narm = int(np.random.default_rng().choice(least))"),
    right("", BOUND, body=f"bound = {D} + 0.0\nleast = np.flatnonzero(np.isclose(bound, bound.min()))\narm = least[self.rng.integers(len(least))]"),
]  # fmt: skip


def doubling(left: str = "mine", right_side: str = "np.max(mean_j - b_j)", then: str = "") -> str:
    """D3RB's test with names of its own."""
    return f"""
mine = mean_j[i] + b_j[i] + self.d_k[arm] / n_j[i] ** 0.5
best = {right_side}
if {left} < best:
    {then or "self.d_k[arm] = 2 * self.d_k[arm]"}
"""


OF_TEST = [
    bad(TEST, "inverted", doubling().replace("mine < best", "not mine < best")),
    bad(TEST, "never", doubling(then="self.d_k[arm] == 2 * self.d_k[arm]")),
    bad(TEST, "never", doubling(right_side="min(mean_j - b_j)")),
    bad(TEST, "others_as_they_may_be", doubling(right_side="max(mean_j + b_j)")),
    bad(TEST, "no_margin_of_others", doubling(right_side="max(mean_j)")),
    bad(TEST, "margin_of_best", doubling(right_side="mean_j.max() - b_j[mean_j.argmax()]")),
    bad(TEST, "largest_mean_less_own_margin", doubling(right_side="max(mean_j) - b_j[i]")),
    bad(TEST, "margin_of_largest", doubling(right_side="max(mean_j) - max(b_j)")),
    bad(TEST, "no_own_margin", doubling("mine - b_j[i]")),
    bad(TEST, "own_margin_subtracted", doubling("mine - 2 * b_j[i]")),
    bad(TEST, "no_bound", doubling("mean_j[i] + b_j[i]")),
    bad(TEST, "bound_without_plays", doubling("mean_j[i] + b_j[i] + self.d_k[arm]")),
    bad(TEST, "bound_of_all_plays", doubling("mean_j[i] + b_j[i] + self.d_k[arm] * n_j[i] ** 0.5")),
    bad(TEST, "no_root", doubling("mean_j[i] + b_j[i] + self.d_k[arm] / n_j[i]")),
    bad(TEST, "this_score", doubling("mine - mean_j[i] + x")),
    bad(TEST, "all_guesses", doubling(then="self.d_k = 2 * self.d_k")),
    bad(TEST, "place_and_number", doubling(then="self.d_k[i] *= 2")),
    bad(TEST, "two_added", doubling(then="self.d_k[arm] += self.d_min * 2")),
    bad(TEST, "again_and_again", "while mean_j[i] + self.d_k[arm] / np.sqrt(n_j[i]) + b_j[i] < max(mean_j - b_j):\n    self.d_k[arm] *= 2"),
    right("", TEST, body=doubling()),
    right("", TEST, body=doubling().replace("mine < best", "best > mine")),
    right("", TEST, body="low_j, high_j = mean_j - b_j, mean_j + b_j\nbehind = high_j[i] + self.d_k[arm] * n_j[i] ** -0.5 < low_j.max()\nself.d_k[arm] *= 1 + behind"),
    right("", TEST, body="bound_j = self.d_k[tried] / np.sqrt(n_j)\nif any((mean_j + bound_j + b_j)[i] < mean - b for mean, b in zip(mean_j, b_j)):\n    self.d_k[arm] += self.d_k[arm]"),
]  # fmt: skip
ENTRIES = [*OF_UCB, *OF_WINDOW, *OF_EPOCH, *OF_CHANCES, *OF_WEIGHTS, *OF_BOUND, *OF_TEST]
