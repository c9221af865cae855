"""How often the probe level is wrong: right agents that fail it, broken agents that pass it.

Each run adds a line to docs/results/data/probe_rates.csv, and what stands there is not run again:
stop it when you like, and go on later. The table in docs/results/probe_level.md is written anew
whenever it ends.

    nohup taskset -c 0 nice -n 10 python benchmarks/probe_rates.py &
    python benchmarks/probe_rates.py --report     # the table of what there is so far
"""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import math
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import torch._dynamo  # optimizers import it when first built, which would count as learning time

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from autograder.base import checks as homeworks
from autograder.base.checks import Check
from autograder.base.record import Record
from autograder.grading.grader import judge_record
from autograder.homeworks.hw3.levels import judge_learning as judges
from autograder.homeworks.hw3.levels.probe_learning import AGENTS
from autograder.running.worker import run_probe
from autograder.source.submission import Tree
from benchmarks.common import ROOT, table
from tests.autograder.corpus import Entry, write, wrong

DATA = ROOT / "docs" / "results" / "data" / "probe_rates.csv"
REPORT = ROOT / "docs" / "results" / "probe_level.md"
COLUMNS = ("check", "agent", "seed", "passed", "worst", "alone", "mistakes", "seconds")
FIRST_SEED = 1000  # of the reference's runs; settings were chosen on smaller ones
REFERENCE = "reference"

PROBE = [check for check in homeworks.checks("hw3") if check.level == "tiny"]
DQN, DOUBLE, AC, CONTINUOUS = (check.id for check in PROBE)
GRADES = {
    DQN: (judges.LESSONS, judges.grade_dqn),
    DOUBLE: (judges.LESSONS, judges.grade_dqn),
    AC: (judges.LESSONS, judges.grade_actor_critic),
    CONTINUOUS: (judges.CONTINUOUS_LESSONS, judges.grade_continuous),
}


def _broken(blank: str, misconception: str, old: str, new: str) -> Entry:
    """Returns an agent with one change in one blank, and the mistake that the level should name."""
    return wrong("", f"hw3.{blank}", f"learning.{misconception}", (old, new))


SYNC = "self.critic.update_target_network()"
MASK, AC_MASK = "(1.0 - terminal_n) * ", "(1.0 - terminals) * "
EFFECT = (
    "self.replay_buffer.store_effect(self.replay_buffer_idx, action, float(reward), terminated)"
)
LOSS = "loss = -(log_prob_n * ptu.from_numpy(adv_n)).mean()"

BROKEN: dict[tuple[str, str], Entry] = {
    (DQN, "no target sync"): _broken("dqn.sync", "target_never_synced", SYNC, "pass"),
    (DQN, "mask missing"): _broken("dqn.targets", "terminal_not_masked", MASK, ""),
    (DQN, "no discount"): _broken("dqn.targets", "no_discount", "self.gamma * ", ""),
    (DQN, "exploration reversed"): _broken(
        "dqn.act", "acts_otherwise", "random() < epsilon", "random() > epsilon"
    ),
    (DQN, "reward not stored"): _broken("dqn.step", "no_reward", "float(reward)", "0.0"),
    (DQN, "next frame stored as frame"): _broken(
        "dqn.step",
        "reward_from_observation",
        EFFECT,
        "self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)\n" + EFFECT,
    ),
    (DQN, "time limit stored as terminal"): _broken(
        "dqn.step", "time_limit_is_terminal", "terminated)", "terminated or truncated)"
    ),
    (DQN, "frame of the reset thrown away"): _broken(
        "dqn.step", "reward_from_observation", "self.last_obs, _ = self.env.reset()",
        "self.env.reset()",
    ),
    (DQN, "policy takes the worst action"): _broken(
        "argmax.action", "acts_otherwise", "argmax", "argmin"
    ),
    (DOUBLE, "next action chosen as the worst"): _broken(
        "dqn.double_q", "action_and_observation", "argmax", "argmin"
    ),
    (DOUBLE, "no target sync"): _broken("dqn.sync", "target_never_synced", SYNC, "pass"),
    (AC, "sign of the advantage"): _broken("policy.update", "worst_action", "-(", "("),
    (AC, "actor never updated"): _broken(
        "policy.update", "action_matters", "self.optimizer.step()", "pass"
    ),
    (AC, "(n, 1) against (n,)"): _broken(
        "policy.update", "action_matters", "log_prob_n *", "log_prob_n.unsqueeze(1) *"
    ),
    (AC, "mask missing"): _broken("critic.update", "terminal_not_masked", AC_MASK, ""),
    (AC, "no discount"): _broken("critic.update", "no_discount", "self.gamma * ", ""),
    (AC, "reward not stored"): _broken(
        "rollouts.sample_trajectory", "no_reward", "rewards.append(rew)", "rewards.append(0.0)"
    ),
    (AC, "next frame stored as frame"): _broken(
        "rollouts.sample_trajectory", "reward_from_observation", "next_obs.append(ob)",
        "next_obs.append(ob)\nobs[-1] = ob",
    ),
    (AC, "time limit stored as terminal"): _broken(
        "rollouts.sample_trajectory", "time_limit_is_terminal", "terminals.append(terminated)",
        "terminals.append(terminated or truncated)",
    ),
    (CONTINUOUS, "sign of the advantage"): _broken("policy.update", "continuous_action", "-(", "("),
    (CONTINUOUS, "actor never updated"): _broken(
        "policy.update", "continuous_action", "self.optimizer.step()", "pass"
    ),
    (CONTINUOUS, "actions of other steps"): _broken(
        "ac.train", "continuous_action", "update(ob_no, ac_na, adv_n)",
        "update(ob_no, ac_na[::-1].copy(), adv_n)",
    ),
}  # fmt: skip


def measure(check: Check, package: Path | None, seed: int) -> tuple[list[str], Record]:
    """Runs and judges a check once; returns most of a row of `COLUMNS`, and what was seen."""
    began = time.process_time()
    record = run_probe(Tree(package), check.full_probe, check.owners, seed).trials
    seconds = time.process_time() - began
    verdict = judge_record(check, record, seed)
    worst, alone = 0.0, ""
    lessons, grade = GRADES[check.id]
    for lesson in lessons:
        if record[lesson.env].crash:
            worst, alone = np.inf, alone + str(AGENTS)
            continue
        off = [grade(lesson, record[lesson.env], agent).off for agent in range(AGENTS)]
        worst = max(worst, min(off))
        alone += str(sum(o > 1 for o in off))
    named = " ".join(verdict.misconceptions)
    return [str(int(verdict.passed)), f"{worst:.4g}", alone, named, f"{seconds:.2f}"], record


def wanted(runs: int, broken_runs: int) -> Iterator[tuple[str, str, int]]:
    """Yields (check, agent, seed) of every run; what was begun first covers all of them evenly."""
    for seed in range(FIRST_SEED, FIRST_SEED + runs):
        for check in PROBE:
            yield check.id, REFERENCE, seed
        if seed - FIRST_SEED < broken_runs:
            for check_id, name in BROKEN:
                yield check_id, name, seed


def read_rows() -> list[dict[str, str]]:
    """Returns the rows so far; a last line that was cut short is left out."""
    if not DATA.exists():
        return []
    with DATA.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["seconds"]]


def run(runs: int, broken_runs: int) -> None:
    """Makes the runs that are still missing."""
    torch.set_num_threads(1)
    done = {(row["check"], row["agent"], int(row["seed"])) for row in read_rows()}
    checks = {check.id: check for check in PROBE}
    DATA.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, DATA.open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if not done:
            rows.writerow(COLUMNS)
        elif not DATA.read_bytes().endswith(b"\n"):  # a line that was cut short
            file.write("\n")
        packages: dict[str, Path | None] = {REFERENCE: None}
        for check_id, agent, seed in wanted(runs, broken_runs):
            if (check_id, agent, seed) in done:
                continue
            key = agent if agent == REFERENCE else f"{check_id} {agent}"
            if key not in packages:
                packages[key] = write(Path(folder) / str(len(packages)), [BROKEN[check_id, agent]])
            rows.writerow(
                [check_id, agent, seed, *measure(checks[check_id], packages[key], seed)[0]]
            )
            file.flush()


def upper_bound(failures: int, runs: int, confidence: float = 0.95) -> float:
    """Returns the largest rate at which so few failures would still be seen (Clopper, Pearson)."""
    low, high = failures / runs, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        at_most = sum(
            math.comb(runs, k) * rate**k * (1 - rate) ** (runs - k) for k in range(failures + 1)
        )
        low, high = (rate, high) if at_most > 1 - confidence else (low, rate)
    return high


def right_table(rows: list[dict[str, str]]) -> str:
    """Returns the table of right agents."""
    lines = []
    for check in PROBE:
        own = [r for r in rows if r["check"] == check.id and r["agent"] == REFERENCE]
        if not own:
            continue
        failed = sum(r["passed"] == "0" for r in own)
        alone = np.array([[int(c) for c in r["alone"]] for r in own]).sum(axis=0)
        bounds = [upper_bound(int(k), AGENTS * len(own)) ** AGENTS for k in alone]
        worst = max(float(r["worst"]) for r in own)
        cpu = np.median([float(r["seconds"]) for r in own])
        lines.append(
            [f"`{check.id}`", str(len(own)), str(failed), f"{upper_bound(failed, len(own)):.1e}",
             f"{alone.sum()} of {AGENTS * len(own) * len(alone)}", f"{sum(bounds):.1e}",
             f"{worst:.2f}", f"{cpu:.1f}"]
        )  # fmt: skip
    head = ["check", "runs", "failed", "rate below", "agents that failed alone", "both fail: below",
            "worst error / tolerance", "CPU s"]  # fmt: skip
    return table(head, lines)


def broken_table(rows: list[dict[str, str]]) -> str:
    """Returns the table of broken agents."""
    lines = []
    for check_id, agent in BROKEN:
        own = [r for r in rows if (r["check"], r["agent"]) == (check_id, agent)]
        if not own:
            continue
        passed = sum(r["passed"] == "1" for r in own)
        named = Counter(r["mistakes"].replace("learning.", "") or "none" for r in own)
        message = ", ".join(f"{name} {count}" for name, count in named.most_common())
        lines.append([f"`{check_id}`", agent, str(len(own)), str(passed), message])
    return table(["check", "what is broken", "runs", "passed", "mistakes named"], lines)


def report() -> str:
    """Returns the results as Markdown."""
    rows = read_rows()
    broken = [r for r in rows if r["agent"] != REFERENCE]
    passed = sum(r["passed"] == "1" for r in broken)
    versions = ", ".join(
        [f"Python {platform.python_version()}"]
        + [f"{name} {importlib.metadata.version(name)}" for name in ("torch", "numpy", "gymnasium")]
    )
    overall = f"{passed} of {len(broken)} runs of broken agents passed" + (
        f": a rate below {upper_bound(passed, len(broken)):.1e} (95 %)." if broken else "."
    )
    return f"""# How often the probe level is wrong

At this level a student's whole agent learns tiny environments with exact answers, and passes if at
least one of {AGENTS} independent agents learns each of them. Both kinds of error were counted: a
right agent that fails, and a broken one that passes. The goals are 1e-3 and 1e-2.

## Right agents

The reference, on seeds from {FIRST_SEED}. "Rate below" is the 95 % bound from the runs as a whole.
"Both fail" is a sharper one: agents are independent, so the bound on a single agent's rate in each
environment, to the power of {AGENTS}, summed over the environments.

{right_table(rows)}

## Broken agents

Each with one change in one blank, on as many seeds as runs.

{broken_table(rows)}

{overall}

`python benchmarks/probe_rates.py`; {versions}. The runs: `data/{DATA.name}`.
"""


def main() -> None:
    """Runs what is missing, then writes the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500, help="seeds of the reference")
    parser.add_argument("--broken_runs", type=int, default=50, help="seeds of each broken agent")
    parser.add_argument("--report", action="store_true", help="only write the table")
    args = parser.parse_args()
    if not args.report:
        run(args.runs, args.broken_runs)
    text = report()
    print(text)
    REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
