"""How often `python -m autograder diagnose` names what is wrong, and how often it errs.

Trains short runs, each ill in one known way, and healthy ones beside them: finished, stopped,
killed, resumed, and in training. Then it diagnoses all. What is there is not run again. Thresholds
were chosen on the seeds of `TUNING`; the page is of others.

python benchmarks/diagnose.py --runs DIR --write
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import diagnose_patches
from common import RESULTS, ROOT, publish, table
from diagnose_cases import (
    CASES,
    COMMANDS,
    KNOWN_AS,
    LIVE,
    SHORT,
    TASKS,
    WARM_UP,
    WELL,
    Case,
    all_runs,
    words,
)

TUNING, HELD_BACK = (1,), (11, 12)
PAUSE = 0.5  # seconds between two diagnoses of a run in training
SLOW = ("ale_py", "Box2D", "cs285.infrastructure.rl_trainer", "gymnasium.envs.mujoco")
SLOW += ("gymnasium.envs.box2d.lunar_lander", "gymnasium.envs.mujoco.inverted_pendulum_v5")
SLOW += ("gymnasium.envs.classic_control", "matplotlib.pyplot", "mujoco", "pygame")
SLOW += ("tensorboardX.event_file_writer", "tensorboardX.proto.event_pb2", "torch.distributions")
NOT_BEGUN = "(has not begun)"  # stands for that message among findings


def parts(end: str) -> list[tuple[int, str]]:
    """Returns where a run is ended, and how, one process after the other; 0 is never."""
    how, _, number = end.partition(" ")
    step = int(number or 0)
    return [(step // 2, "stopped"), (step, "stopped")] if how == "resumed" else [(step, how)]


def train(case: Case, seed: int, folder: Path) -> None:
    """Trains one run in forks of this process, whose code may then be changed as it likes."""
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)  # of a benchmark that was stopped
    folder.mkdir(parents=True)
    status = 0
    for step, how in parts(case.end):
        child = os.fork()
        if not child:
            run_part(case, seed, folder, step, how)
        if how == "live":
            watch(child, folder)
        else:
            _, status = os.waitpid(child, 0)
    (folder / "done").write_text(f"{status} {time.monotonic() - began:.1f}\n")


def run_part(case: Case, seed: int, folder: Path, step: int, how: str) -> None:
    """Trains, or resumes what is there, and ends this process."""
    status = 3
    try:
        out = os.open(folder / "output", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        script, *flags = shlex.split(words(case))
        begun = run_in(folder)
        if begun:
            flags = ["--resume", str(begun)]
        else:
            flags += ["--seed", str(seed), "--data_dir", str(folder), "--no_gpu", "--threads", "1"]
        sys.argv = [f"scripts/{script}", *flags]
        if case.patch:
            diagnose_patches.patch(case.patch)
        if step:
            diagnose_patches.end_at(step, how == "killed")
        status = load(script.removesuffix(".py")).main(flags)
    finally:
        os._exit(status)


def watch(child: int, folder: Path) -> None:
    """Diagnoses a run again and again until its process ends, and counts what is found."""
    findings: Counter[str] = Counter()
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(PAUSE)
        run = run_in(folder)
        if run:
            findings[", ".join(diagnosed(run)) or "nothing"] += 1
    (folder / "live.json").write_text(json.dumps(findings))


def load(script: str) -> Any:
    """Returns a script as a module."""
    return importlib.import_module(f"scripts.{script}")


def run_in(folder: Path) -> Path | None:
    """Returns the one run in a folder; None if there is none."""
    return next((file.parent for file in folder.glob("*/config.json")), None)


def make(runs: Path, seeds: Sequence[int], kinds: Sequence[str]) -> None:
    """Trains what is missing."""
    import torch

    torch.set_num_threads(1)
    for module in SLOW:  # so that no fork imports them again
        importlib.import_module(module)
    for script in {words(case).split()[0] for cases in CASES.values() for case in cases}:
        load(script.removesuffix(".py"))
    diagnose_patches.agents()
    for kind, case, seed, name in all_runs(seeds):
        if kind in kinds and not (runs / name / "done").exists():
            train(case, seed, runs / name)
            print(name, (runs / name / "done").read_text().strip(), flush=True)


def diagnosed(folder: Path) -> list[str]:
    """Returns what is found in a run's folder, causes first, or why it cannot be read."""
    from autograder.diagnose import examine
    from autograder.diagnose.record import read_record
    from autograder.evidence.files import UnreadableError

    try:
        record = read_record(folder)
    except UnreadableError as error:
        return [f"unreadable: {error}"]
    found = [finding.name for finding in examine(record)]
    return found + [NOT_BEGUN] * record.waits


def judged(runs: Path, seeds: Sequence[int]) -> dict[str, list[str]]:
    """Returns what is found in each run, by its name here; those that are missing are left out.

    Of a run that was diagnosed in training, all that was ever found counts.
    """
    found = {}
    for kind, _, _, name in all_runs(seeds):
        run = run_in(runs / name)
        if run and (runs / name / "done").exists():
            found[name] = diagnosed(run)
            if kind == LIVE:
                findings = json.loads((runs / name / "live.json").read_text())
                others = [text for text in findings if text not in ("nothing", NOT_BEGUN)]
                found[name] += [text for text in others if "too few" not in text]
    return found


def in_training(runs: Path, seeds: Sequence[int]) -> Counter[str]:
    """Returns what the diagnoses of runs in training found, all runs together."""
    sums = Counter[str]()
    for kind, _, _, name in all_runs(seeds):
        file = runs / name / "live.json"
        if kind == LIVE and file.exists():
            sums.update(json.loads(file.read_text()))
    return sums


def is_right(kind: str, result: list[str]) -> bool:
    """Returns whether a result is what it should be: first of all its illness, or nothing."""
    if kind == WARM_UP:
        return result == [NOT_BEGUN]
    if kind in WELL:
        return not result
    return result[:1] == [KNOWN_AS.get(kind, kind)]


def rows(found: dict[str, list[str]], seeds: Sequence[int]) -> tuple[list[list[str]], Counter[str]]:
    """Returns a row for each case, and the sums over all."""
    message, sums = [], Counter[str]()
    runs = all_runs(seeds)
    for kind, cases in CASES.items():
        illness = KNOWN_AS.get(kind, kind)
        for case in cases:
            names = [name for k, c, _, name in runs if (k, c) == (kind, case)]
            results = [found[name] for name in names if name in found]
            ill = kind not in WELL
            first = sum(is_right(kind, result) for result in results)
            among = sum(illness in result for result in results)
            others = Counter(name for result in results for name in result if name != illness)
            more = ", ".join(f"{name} ({count})" for name, count in others.items())
            flags = f"`{case.flags}`" if case.flags else ""
            made = "; ".join(part for part in (flags, case.patch, case.end) if part)
            shown = [f"{first} / {len(results)}", f"{among} / {len(results)}" if ill else ""]
            task = [kind.replace("_", " "), case.algorithm, TASKS.get(case.task, "")]
            message.append([*task, *shown, more, made])
            sums += Counter({f"{ill}": len(results), f"first {ill}": first, f"among {ill}": among})
            ended = "unfinished" if case.end or kind == SHORT else "other"
            sums += Counter({f"{ill} {ended}": len(results), f"first {ill} {ended}": first})
    return message, sums


def tables(found: dict[str, list[str]], seeds: Sequence[int], watched: Counter[str]) -> list[str]:
    """Returns what became of the ill runs, and of the healthy ones."""
    message, sums = rows(found, seeds)
    data = [file.parent for file in sorted((RESULTS / "data").glob("*/log.csv"))]
    data = [run for run in data if "_tau0_" not in run.name]  # ill on purpose: question 6
    kept = {folder.name: result for folder in data if (result := diagnosed(folder))}
    ill, trained = sums["True"], sums["False"]
    wrong = trained - sums["first False"]
    cut, young = sums["True unfinished"], sums["False unfinished"]
    wrong_young = young - sums["first False unfinished"]
    fine = watched["nothing"] + watched[NOT_BEGUN]
    lines = [
        ["ill runs", str(ill), ""],
        ["named, above all else", *both(sums["first True"], ill)],
        ["named at all", *both(sums["among True"], ill)],
        ["ill runs that did not end", str(cut), ""],
        ["named, above all else", *both(sums["first True unfinished"], cut)],
        ["healthy runs, trained for this", str(trained), ""],
        ["false alarms among them", *both(wrong, trained)],
        ["of these, debug commands and runs that did not end", str(young), ""],
        ["false alarms among them", *both(wrong_young, young)],
        ["diagnoses of runs in training", str(watched.total()), ""],
        ["false alarms and errors among them", *both(watched.total() - fine, watched.total())],
        ["healthy runs in docs/results/data", str(len(data)), ""],
        ["false alarms among them", *both(len(kept), len(data))],
    ]
    head = ["illness", "algorithm", "task", "right", "named", "also found", "made by"]
    begin = [[name, f"`python scripts/run_{text}`"] for name, text in COMMANDS.items()]
    texts = [table(["", "runs", "share"], lines), table(head, message)]
    texts.append(table(["algorithm", "command, to which a row adds task, seed and flags"], begin))
    false = [f"`{name}`: {', '.join(result)}" for name, result in kept.items()]
    return texts + (["False alarms in docs/results/data: " + "; ".join(false)] if false else [])


def both(part: int, whole: int) -> list[str]:
    """Returns a number, and its share in per cent."""
    return [str(part), f"{part / whole:.1%}" if whole else ""]


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, required=True, help="where the runs are, and are made")
    parser.add_argument("--seeds", type=int, nargs="+", default=HELD_BACK)
    parser.add_argument("--kinds", nargs="+", default=list(CASES), help="make those alone")
    parser.add_argument("--train", action="store_true", help="make the runs, and look at none")
    parser.add_argument("--judge", action="store_true", help="look at the runs, and make none")
    parser.add_argument("--json", type=Path, help="write what was found in each run there")
    parser.add_argument("--write", action="store_true", help="write docs/results/diagnose.md")
    args = parser.parse_args()
    if not args.judge:
        make(args.runs.resolve(), args.seeds, args.kinds)
    if args.train:
        return
    found = judged(args.runs, args.seeds)
    watched = in_training(args.runs, args.seeds)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")
    seeds = ", ".join(map(str, args.seeds))
    how = (
        f"Seeds {seeds}; thresholds were chosen on seed {', '.join(map(str, TUNING))} and on "
        "docs/results/data. Each run is ill in one way: by flags, or by a patch of the code in "
        "its process, from benchmarks/diagnose_patches.py. A healthy run is right where "
        "nothing is found. One in training is diagnosed every half second until its end. A row "
        "with fewer runs than seeds has the first of these."
    )
    publish("Illnesses", how, tables(found, args.seeds, watched), args.write, "diagnose.md")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
