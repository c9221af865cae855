"""Mistakes and right forms of homework 6's portfolio."""

from __future__ import annotations

from tests.autograder.corpus import Entry, right, wrong

SCALE, REGRET, CHOOSE = "hw6.portfolio.scale", "hw6.portfolio.regret", "hw6.portfolio.choose"
CREDIT, LEARN = "hw6.portfolio.credit", "hw6.portfolio.learn"


def bad(blank: str, misconception: str, body: str) -> Entry:
    """A mistake, by its id within the blank."""
    known = misconception if "." in misconception else f"{blank.rpartition('.')[2]}.{misconception}"
    return wrong("", blank, known, body=body)


OF_SCALE = [
    *(bad(SCALE, misconception, f"x = {text}") for misconception, text in (
        ("reversed", "(score - high) / (low - high)"),
        ("reversed", "1 - (score - low) / (high - low)"),
        ("negative", "(low - score) / (high - low)"),
        ("lowest_not_subtracted", "score / (self.record.high - self.record.low)"),
        ("by_highest", "score / high"),
        ("not_divided", "score - low"),
        ("precedence", "(score - low) / high - low"),
        ("by_sum", "(score - low) / (low + high)"),
        ("cut_off", "float(np.clip(score, 0, 1))"),
        ("rounded", "int((score - low) / (high - low))"),
        ("both_signs", "((score - low) / (high - low) - 0.5) * 2"),
        ("unscaled", "score * 1.0"),
        ("squashed", "1 / (np.exp(-score) + 1)"),
        ("never_one", "(score - low) / (1 + high - low)"),
    )),
    *(right("", SCALE, body=body) for body in (
        "x = (low - score) / (low - high)",
        "width = self.record.high - self.record.low\nx = float(np.clip((score - low) / width, 0, 1))",
        "x = float(np.interp(score, [low, high], [0, 1]))",
        "x = score / (high - low) - low / (high - low)",
    )),
]  # fmt: skip

MEAN = "np.divide(total_k[tried], plays_k[tried])"
OF_REGRET = [
    *(bad(REGRET, misconception, f"cost = float({text})") for misconception, text in (
        ("worst", f"plays_k.sum() * min({MEAN}) - total_k.sum()"),
        ("mean_of_means", f"plays_k.sum() * np.mean({MEAN}) - total_k.sum()"),
        ("most_played", "plays_k.sum() * (total_k / np.maximum(plays_k, 1))[np.argmax(plays_k)] - total_k.sum()"),
        ("largest_sum", "plays_k.sum() * (total_k / np.maximum(plays_k, 1))[np.argmax(total_k)] - total_k.sum()"),
        ("untried_count", "plays_k.sum() * (total_k / np.where(tried, plays_k, 1)).max() - total_k.sum()"),
        ("no_number", "plays_k.sum() * np.max(total_k / plays_k) - total_k.sum()"),
        ("not_times_plays", f"max({MEAN}) - total_k.sum()"),
        ("times_members", f"len(total_k) * max({MEAN}) - total_k.sum()"),
        ("added", f"plays_k.sum() * max({MEAN}) + total_k.sum()"),
        ("nothing_subtracted", f"plays_k.sum() * max({MEAN})"),
        ("mean_subtracted", f"plays_k.sum() * max({MEAN}) - total_k.sum() / plays_k.sum()"),
        ("sign", f"total_k.sum() - plays_k.sum() * max({MEAN})"),
        ("per_episode", f"max({MEAN}) - sum(total_k) / sum(plays_k)"),
        ("gaps_alone", f"sum(max({MEAN}) - {MEAN})"),
        ("which_not_how_good", f"plays_k.sum() * np.argmax({MEAN}) - total_k.sum()"),
    )),
    *(right("", REGRET, body=body) for body in (
        f"best = max({MEAN})\ncost = sum(n * best - total for n, total in zip(plays_k, total_k))",
        "with np.errstate(all='ignore'):\n    best = np.nanmax(total_k / plays_k)\ncost = best * np.sum(plays_k) - np.sum(total_k)",
        f"means = {MEAN}\ncost = float(np.dot(plays_k[tried], means.max() - means))",
        "best = -np.inf\nfor total, n in zip(total_k, plays_k):\n    if n > 0 and total / n > best:\n        best = total / n\ncost = sum(plays_k) * best - sum(total_k)",
    )),
]  # fmt: skip


def choice(test: str = "self.between_episodes", who: str = "self.selector.choose()", flag: str = "False") -> str:  # fmt: skip
    """The choice, flag first."""
    return (
        f"if {test}:\n    self.between_episodes = {flag}\n    arm = {who}\n    self.playing = arm"
    )


OF_CHOOSE = [
    bad(CHOOSE, "within_episodes", choice("self.between_episodes is False")),
    bad(CHOOSE, "each_step", choice(flag="True")),
    bad(CHOOSE, "each_step", "self.playing = self.selector.choose()\nself.between_episodes = False"),
    bad(CHOOSE, "never", choice("self.between_episodes is None")),
    bad(CHOOSE, "once", choice("not self.t")),
    bad(CHOOSE, "not_kept", choice().replace("    self.playing = arm", "    playing = arm")),
    bad(CHOOSE, "asked_twice", choice().replace("= arm", "= self.selector.choose()")),
    bad(CHOOSE, "best_plays", choice(who="self.best()")),
    bad(CHOOSE, "best_told_and_asked", choice().replace("= arm", "= self.best()")),
    bad(CHOOSE, "in_turn", choice(who="(1 + self.playing) % len(self.members)")),
    bad(CHOOSE, "member_not_number", choice().replace("= arm", "= self.members[arm]")),
    bad(CHOOSE, "method_not_called", choice(who="self.selector.choose")),
    bad(CHOOSE, "shifted", choice().replace("= arm", "= arm - 1")),
    bad(CHOOSE, "crash.no_attribute", choice(who="self.selector.select()")),
    right("", CHOOSE, body=choice()),
    right("", CHOOSE, body=choice("self.between_episodes is True")),
    right("", CHOOSE, body="over, self.between_episodes = self.between_episodes, False\nself.playing = self.selector.choose() if over else self.playing"),
    right("", CHOOSE, body="if not self.between_episodes:\n    pass\nelse:\n    self.playing = int(self.selector.choose())\n    self.between_episodes = False"),
]  # fmt: skip

OVER = "self.between_episodes = True"
OF_CREDIT = [
    *(bad(CREDIT, misconception, f"{text}\n{OVER}") for misconception, text in (
        ("not_told", "selector = self.selector"),
        ("return_not_score", "self.selector.update(self.playing, score)"),
        ("swapped", "self.selector.update(x, self.playing)"),
        ("all_told", "for k, _ in enumerate(self.members):\n    self.selector.update(k, x)"),
        ("next_credited", "arm = self.selector.choose()\nself.selector.update(arm, x)"),
        ("next_chosen", "self.selector.update(self.playing, x)\nself.playing = self.selector.choose()"),
        ("best_credited", "self.selector.update(self.best(), x)"),
        ("member_not_number", "self.selector.update(self.members[self.playing], x)"),
        ("arguments", "self.selector.update(x)"),
        ("scaled_twice", "self.selector.update(self.playing, 1.0 - x)"),
        ("told_twice", "for _ in range(2):\n    self.selector.update(self.playing, x)"),
        ("mean_told", "self.selector.update(self.playing, np.mean(self.record.recent[self.playing]))"),
        ("rounded", "self.selector.update(self.playing, int(x))"),
    )),
    bad(CREDIT, "never_over", "self.selector.update(self.playing, x)"),
    bad(CREDIT, "never_over", "self.selector.update(self.playing, x)\nself.between_episodes == True"),
    right("", CREDIT, body=f"{OVER}\nself.selector.update(self.playing, x)"),
    right("", CREDIT, body=f"who, how_well = self.playing, x\nself.selector.update(who, how_well)\n{OVER}"),
    right("", CREDIT, body=f"self.selector.update(arm=self.playing, x=float(x))\n{OVER}"),
    right("", CREDIT, body="self.selector.update(self.playing, self.scaled(score))\nself.between_episodes = not False"),
]  # fmt: skip


def training(mine: str = "batch", others: str = "member.sample(self.batch_size)", members: str = "learners", log: str = "logs[k]") -> str:  # fmt: skip
    """Everybody's training, with a branch."""
    return f"""
for k in {members}:
    member = self.members[k]
    if k == self.playing:
        ob, ac, re, next_ob, end = {mine}
    else:
        ob, ac, re, next_ob, end = {others}
    {log} = member.train(ob, ac, re, next_ob, end)
"""


OF_LEARN = [
    bad(LEARN, "all_learn", training(members="range(len(self.members))")),
    bad(LEARN, "only_who_plays", training(members="(self.playing,)")),
    bad(LEARN, "same_batch", training(others="batch")),
    bad(LEARN, "all_draw", training("member.sample(self.batch_size)")),
    bad(LEARN, "others_have_the_given", training("member.sample(self.batch_size)", "batch")),
    bad(LEARN, "first_has_the_given", training().replace("== self.playing", "== 0")),
    bad(LEARN, "who_plays_draws_for_all", training(others="self.members[self.playing].sample(self.batch_size)")),
    bad(LEARN, "size_of_the_given", training(others="member.sample(batch[0].shape[0])")),
    bad(LEARN, "number_of_arrays", training(others="member.sample(len(batch))")),
    bad(LEARN, "log_lost", training(log="log")),
    bad(LEARN, "who_plays_trained", training().replace("member.train", "self.members[self.playing].train")),
    bad(LEARN, "argument_order", training().replace("train(ob, ac, re, next_ob", "train(ob, ac, next_ob, re")),
    bad(LEARN, "not_unpacked", training().replace("ob, ac, re, next_ob, end", "mine")),
    bad(LEARN, "others_alone", training(members="[k for k in learners if not k == self.playing]")),
    bad(LEARN, "log_appended", training().replace("logs[k] = ", "logs.append(").replace("end)\n", "end))\n")),
    bad(LEARN, "trained_twice", training().replace("    logs[k]", "    member.train(ob, ac, re, next_ob, end)\n    logs[k]")),
    bad(LEARN, "drawn_again", training().replace("    if k", "    again = member.sample(self.batch_size)\n    if k").replace("= member.sample(self.batch_size)\n    logs", "= again\n    logs")),
    right("", LEARN, body=training()),
    right("", LEARN, body=training(members="reversed(list(learners))")),
    right("", LEARN, body="batches = {k: self.members[k].sample(self.batch_size) for k in learners if k != self.playing}\nbatches[self.playing] = batch\nfor k, mine in batches.items():\n    logs[k] = self.members[k].train(*mine)"),
    right("", LEARN, body="logs[self.playing] = self.members[self.playing].train(*batch)\nfor k in set(learners) - {self.playing}:\n    logs[k] = self.members[k].train(*self.members[k].sample(batch_size=self.batch_size))"),
    right("", LEARN, body="logs |= {k: self.members[k].train(*(batch if k == self.playing else self.members[k].sample(self.batch_size))) for k in learners}"),
]  # fmt: skip
ENTRIES = [*OF_SCALE, *OF_REGRET, *OF_CHOOSE, *OF_CREDIT, *OF_LEARN]
