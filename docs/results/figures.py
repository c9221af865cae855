"""The pictures of the results of homeworks 2 to 5: what each shows, and its table's columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import columns
from series import Column, Picture, after, logged, mean_of_last

EVALUATION, TRAINING = "Eval_AverageReturn", "Train_AverageReturn"
WHAT = {
    EVALUATION: "Evaluation return",
    TRAINING: "Training return",
    "Q_Mean": "Mean Q of a batch",
    "Eval_Q_Start": "Claim of Q about first states",
}
LIMITED = "Evaluation return (at most {})"
Row = tuple[str, str] | tuple[str, str, Mapping[str, str]]


def of_logs(
    root: Path,
    name: str,
    where: str,
    rows: Sequence[Row],
    table: Sequence[Column],
    column: str = EVALUATION,
    **more: Any,
) -> Picture:
    """Reads a picture from the logs of runs.

    Args:
        root: Where the folders are.
        name: Of the file.
        where: The task, and what all its settings share.
        rows: Label, pattern of folders and, where there is one, other libraries' patterns.
        table: Its columns.
        column: Of the logs.
        more: Further fields of a picture.
    """
    found = [logged(root, row[0], row[1], column, *row[2:]) for row in rows]
    files = [file for _, some in found for file in some]
    what = more.pop("what", WHAT.get(column, column))
    return Picture(name, what, where, [one for one, _ in found], table, sources=files, **more)


def homework_2(data: Path) -> list[Picture]:
    """Policy gradient."""
    read = partial(of_logs, data)
    q1 = [
        columns.first("first evaluation of 195 or more, after steps", 195),
        columns.mean_and_spread("last evaluation"),
        *columns.of_evaluations(columns.mean_and_spread),
    ]
    flags = {
        "whole returns": "no_rtg_dsa",
        "reward-to-go": "rtg_dsa",
        "to go, standardised": "rtg_na",
    }
    batches = {"sb": "1,000", "lb": "4,000"}
    pictures = [
        read(
            f"hw2_q1_{size}",
            f"CartPole-v0 with batches of {steps} steps",
            [(label, f"hw2_q1_{size}_{flag}_*") for label, flag in flags.items()],
            q1,
            what=LIMITED.format(200),
        )
        for size, steps in batches.items()
    ]
    settings = {"-b 500 -lr 0.02": "b500_r0.02", "-b 500 -lr 0.01": "b500_r0.01"}
    settings |= {"-b 1000 -lr 0.02": "b1000_r0.02"}
    steps = "first evaluation of 1000, after steps (seeds 1, 2, 3)"
    pictures.append(
        read(
            "hw2_q2",
            "InvertedPendulum",
            [(label, f"hw2_q2_{name}_*") for label, name in settings.items()],
            [
                columns.first(steps, 1000),
                columns.each("last evaluation"),
                *columns.of_evaluations(columns.each),
            ],
            what=LIMITED.format("1,000"),
        )
    )
    pictures.append(
        read(
            "hw2_cheetah",
            "HalfCheetah",
            [("reward-to-go and a baseline", "hw2_cheetah_baseline_*")],
            [
                columns.each("last iteration, seeds 1, 2, 3"),
                columns.each("last five iterations", mean_of_last(5)),
                columns.mean("mean of these", mean_of_last(5)),
            ],
            TRAINING,
        )
    )
    parts = {"neither": "", "reward-to-go": "_rtg", "a baseline": "_nnbaseline"}
    parts |= {"both": "_rtg_nnbaseline"}
    pictures.append(
        read(
            "hw2_q4",
            "HalfCheetah",
            [(label, f"hw2_q4_b10000_r0.02{part}_Half*") for label, part in parts.items()],
            [
                columns.each("last evaluation, seeds 1, 2, 3"),
                columns.mean("mean"),
                *columns.of_evaluations(),
            ],
        )
    )
    pictures.append(
        read(
            "hw2_q3",
            "LunarLanderContinuous-v3",
            [("reward-to-go and a baseline", "hw2_q3_*")],
            [
                columns.each("after 4,000,000 steps"),
                columns.at("after 1,000,000", 1e6),
                *columns.of_evaluations(columns.each),
                columns.other("loss of the baseline at the end", "Baseline_Loss"),
            ],
        )
    )
    ends = mean_of_last(20)
    lambdas = ("0", "0.95", "0.98", "0.99", "1")
    pictures.append(
        read(
            "hw2_lambda",
            "LunarLander-v3, each point the mean of the last 20 iterations",
            [(f"λ = {value}", f"hw2_q5_lambda{value}_*") for value in lambdas],
            [
                columns.rows_mean("mean of iterations 131 to 150", 131, 150),
                columns.rows_mean("281 to 300", 281, 300),
                columns.each("all iterations", columns.after_start),
            ],
            TRAINING,
            smooth=20,
            ends_at=ends,
        )
    )
    return pictures


def homework_3(data: Path) -> list[Picture]:
    """DQN and actor-critic."""
    read = partial(of_logs, data)
    pacman = {
        "what": "Game score, mean of the last 100 games",
        "more": ("Train_BestReturn", "best such mean so far"),
    }
    of_rows = columns.of_evaluations(columns.each, what="rows")
    score = [columns.each("at the end"), *of_rows]
    landings = "Training return, mean of the last 100 episodes"
    lander = [
        columns.at("at 350,000 steps (seeds 1, 2, 3)", 350_000),
        columns.each("at 500,000 steps"),
        columns.mean("mean"),
        *of_rows,
        columns.best("best during the run"),
    ]
    rates = {
        "1 target, 1 step": "ac_1_1",
        "100 targets, 1 step": "100_1",
        "1 target, 100 steps": "1_100",
        "10 targets, 10 steps": "10_10",
    }
    copied = {every: f"hw3_q3_hparam_{every}_*" for every in (300, 1000, 10000)}
    copied[3000] = "hw3_q2_dqn_*"
    return [
        read("q1", "Ms. Pac-Man", [("DQN", "hw3_q1_MsPacman*")], score, TRAINING, **pacman),
        of_logs(
            data.parent / "copies",
            "q1_copies",
            "Ms. Pac-Man, by updates from one copy of the network to the next",
            [
                ("10,000 updates", "hw3_q1_copies_10000_*"),
                ("2,500 updates", "hw3_q1_copies_2500_*"),
            ],
            [*score, columns.at("after 500,000 steps", 500_000)],
            TRAINING,
            what=pacman["what"],
        ),
        of_logs(
            data.parent,
            "q1_sticky",
            "Ms. Pac-Man, with and without repeated actions",
            [
                ("repeated, 0.25 a frame", "copies/hw3_q1_copies_10000_*"),
                ("never repeated", "sticky/hw3_q1_not_sticky_*"),
            ],
            [*score, columns.at("after 500,000 steps", 500_000)],
            TRAINING,
            what=pacman["what"],
        ),
        of_logs(
            data.parent / "course_game",
            "q1_course",
            "Ms. Pac-Man in steps of some 12 frames",
            [("DQN", "hw3_q1_course_*")],
            score,
            TRAINING,
            **pacman,
        ),
        read(
            "q2",
            "LunarLander-v3",
            [("DQN", "hw3_q2_dqn_*"), ("double DQN", "hw3_q2_doubledqn_*")],
            lander,
            TRAINING,
            what=landings,
        ),
        read(
            "q2_course",
            "CourseLander-v0",
            [("DQN", "hw3_course_dqn_*"), ("double DQN", "hw3_course_doubledqn_*")],
            lander,
            TRAINING,
            what=landings,
        ),
        read(
            "q3",
            "LunarLander-v3",
            [(f"copied every {every:,}", folders) for every, folders in copied.items()],
            [
                columns.each("at 500,000 steps (seeds 1, 2, 3)"),
                columns.mean("mean"),
                *of_rows,
                columns.best("best during the run"),
            ],
            TRAINING,
            what=landings,
        ),
        read(
            "hw3_cartpole_v1",
            "CartPole-v1",
            [("DQN", "hw3_cartpole_v1_*")],
            [
                columns.first("first evaluation of 475 or more, after steps (seeds 1, 2, 3)", 475),
                columns.share("how many of the last ten are", 10, 475),
                columns.each("last evaluation"),
                *columns.of_evaluations(columns.each),
            ],
            what=LIMITED.format(500),
        ),
        read(
            "q4",
            "CartPole-v0",
            [(label, f"hw3_q4_{name}_[1-5]_*") for label, name in rates.items()],
            [
                columns.each("last evaluation, seeds 1 to 5"),
                columns.mean("mean"),
                *columns.of_evaluations(columns.each),
            ],
            what=LIMITED.format(200),
        ),
        read(
            "q5_pendulum",
            "InvertedPendulum",
            [("actor-critic", "hw3_q5_*Pendulum*")],
            [columns.each("last evaluation"), columns.first("first of 1000, after steps", 1000)],
            what=LIMITED.format("1,000"),
        ),
        read(
            "q5_cheetah",
            "HalfCheetah",
            [("actor-critic", "hw3_q5_*Cheetah*")],
            [columns.each("last evaluation"), *columns.of_evaluations(columns.each)],
        ),
    ]


def homework_4(data: Path) -> list[Picture]:
    """DDPG, TD3 and SAC."""
    read = partial(of_logs, data)
    sb3 = "Stable-Baselines3"
    cheetah: list[Row] = [
        ("TD3", "hw4_q5_td3_Half*", {sb3: "sb3_td3_*"}),
        ("SAC, steps of 1e-3", "hw4_q5_sac_lr_*", {sb3: "sb3_sac_lr*"}),
        ("SAC, steps of 3e-4", "hw4_q5_sac_Half*", {sb3: "sb3_sac_Half*"}),
        ("DDPG", "hw4_q5_ddpg_Half*", {sb3: "sb3_ddpg_*"}),
    ]
    seeds = "seeds 1, 2, 3"
    ends = [columns.each(f"after 100,000 steps, {seeds}"), columns.mean("mean")]
    pendulum = [("DDPG", "hw4_q1_ddpg_*"), ("TD3", "hw4_q2_td3_*"), ("SAC", "hw4_q3_sac_*")]
    authors = [("ours", "hw4_q5_td3_lr_*"), ("the authors'", "authors_td3_*")]
    taus: list[Row] = [(f"tau {tau}", f"hw4_q6_tau{tau}_*") for tau in ("1", "0.05", "0.005", "0")]
    claimed = columns.other("mean Q at the end", "Q_Mean")
    swing = [
        columns.each(f"last evaluation ({seeds})"),
        *columns.of_evaluations(columns.each),
        columns.first("first evaluation above -200, after steps", -200),
        claimed,
        columns.other("critic's loss at the end", "Critic_Loss"),
    ]
    delayed = [("DDPG", "hw4_q1_ddpg_*"), ("TD3", "hw4_q2_td3_*")]
    delayed += [("two critics alone", "hw4_q2_delay1_*")]
    backups = [("the smaller critic", "hw4_q3_sac_*"), ("one critic", "hw4_q3_single_*")]
    backups += [("its twin", "hw4_q3_double_*"), ("fixed temperature", "hw4_q3_fixed_*")]
    variants = [columns.each(f"last evaluation, {seeds}"), columns.mean("mean")]
    variants += [
        columns.at("after 5,000", 5000),
        columns.each("all evaluations", columns.after_start),
    ]
    claims = [columns.each(f"claim at the end, {seeds}"), columns.mean("mean")]
    early = [columns.at(f"after {step},000", step * 1000) for step in (5, 10, 15)]
    return [
        read("hw4_cheetah", "HalfCheetah-v5", cheetah, [*ends, *columns.of_evaluations()]),
        read(
            "hw4_cheetah_q",
            "HalfCheetah-v5",
            [(row[0], row[1]) for row in cheetah],
            ends,
            "Q_Mean",
        ),
        read(
            "hw4_authors",
            "TD3 on HalfCheetah-v5, steps of 3e-4",
            authors,
            [*ends, *columns.of_evaluations(), columns.at("after 50,000", 50_000)],
        ),
        read(
            "hw4_pendulum",
            "Pendulum-v1",
            pendulum,
            [columns.each(f"last evaluation, {seeds}"), columns.mean("mean"), *early],
        ),
        read("hw4_delay", "Pendulum-v1", delayed, variants),
        read("hw4_delay_q", "Pendulum-v1", delayed, claims, "Eval_Q_Start"),
        read("hw4_backup", "Pendulum-v1", backups, variants),
        read("hw4_backup_q", "Pendulum-v1", backups, claims, "Eval_Q_Start"),
        read(
            "hw4_lander",
            "LunarLanderContinuous-v3",
            [("SAC", "hw4_q4_lander_*")],
            [
                columns.each("after 200,000 steps"),
                columns.at("after 100,000 steps", 100_000),
                *columns.of_evaluations(columns.each),
            ],
        ),
        read("hw4_tau", "DDPG on Pendulum-v1", taus, swing),
        read("hw4_tau_q", "DDPG on Pendulum-v1", taus, [claimed], "Q_Mean"),
    ]


LONG = 972_800  # steps of the last evaluation that both libraries have
OTHERS = {"ppo": "Stable-Baselines3", "trpo": "sb3-contrib"}
AS_THEIRS = "TRPO, region 0.06"


def long_runs(data: Path) -> list[Picture]:
    """PPO and TRPO for a million steps, beside another library."""
    ends = after(LONG)
    table = [
        columns.each("last evaluation, by seed", ends),
        columns.mean("mean", ends),
        *columns.of_evaluations(up_to=LONG),
    ]

    def rows(task: str) -> list[Row]:
        found: dict[str, Row] = {
            name: (
                name.upper(),
                f"hw5_long_{name}_{task}-v5*",
                {other: f"sb3_{name}_{task}-v5*"},
            )
            for name, other in OTHERS.items()
        }
        if task != "HalfCheetah":
            return [*found.values()]
        theirs, summed = f"sb3_trpo_{task}-v5*", f"sb3_trpo_summed_{task}-v5*"
        return [
            found["ppo"],
            ("TRPO", found["trpo"][1], {"sb3-contrib, the same region": summed}),
            (AS_THEIRS, f"hw5_long_trpo_summed_{task}*", {"sb3-contrib, as it is": theirs}),
        ]

    return [
        of_logs(
            data,
            f"hw5_long_{task.lower()}",
            f"{task}-v5, {LONG:,} steps",
            rows(task),
            table,
            ends_at=ends,
        )
        for task in ("HalfCheetah", "Hopper", "Walker2d")
    ]


def homework_5(data: Path) -> list[Picture]:
    """PPO and TRPO."""
    read = partial(of_logs, data)
    seeds = "(seeds 1, 2, 3)"
    fives = [columns.each("last evaluation (seeds 1 to 5)"), columns.mean("mean")]
    jumping = [*fives, *columns.of_evaluations(columns.each)]

    def both(
        name: str, env: str, questions: tuple[str, str], goal: tuple[str, int], ends: Column
    ) -> Picture:
        most, least = goal
        rows = [(a, f"hw5_{q}_{env}_*") for a, q in zip(("PPO", "TRPO"), questions, strict=True)]
        first = columns.first(f"first evaluation of {least} or more, after steps", least)
        return read(name, env, rows, [ends, first], what=LIMITED.format(most))

    cartpole = LIMITED.format(500)
    solved = columns.first("first evaluation of 475 or more, after steps", 475)
    clips = [("PPO", "hw5_q1_ppo_*"), ("without its clip", "hw5_q1_no_clip_*")]
    clips += [("stopped by KL, no clip", "hw5_q1_kl_stop_*"), ("one epoch", "hw5_q1_one_epoch_*")]
    regions = [("0.01", "hw5_q3_trpo_CartPole*"), ("0.1", "hw5_q3_kl0.1_*"), ("1", "hw5_q3_kl1_*")]
    cheetah = [("PPO", "hw5_q2_ppo_HalfCheetah*"), ("TRPO", "hw5_q3_trpo_HalfCheetah*")]
    cheetah += [("PPO, not scaled", "hw5_q2_ppo_as_seen_*")]
    return [
        read("hw5_clip", "CartPole-v1", clips, [*jumping, solved], what=cartpole),
        read(
            "hw5_regions",
            "TRPO on CartPole-v1",
            [(f"a region of {size}", folders) for size, folders in regions],
            [*jumping, solved],
            what=cartpole,
        ),
        read("hw5_cheetah", "HalfCheetah-v5", cheetah, jumping),
        both("hw5_cartpole", "CartPole-v1", ("q1_ppo", "q3_trpo"), ("500", 475), fives[0]),
        both(
            "hw5_inverted",
            "InvertedPendulum-v5",
            ("q2_ppo", "q3_trpo"),
            ("1,000", 1000),
            columns.each(f"last evaluation {seeds}"),
        ),
        read(
            "hw5_pendulum",
            "Pendulum-v1",
            [
                ("PPO, --anneal", "hw5_q2_ppo_anneal_Pendulum*"),
                ("PPO", "hw5_q2_ppo_Pendulum*"),
                ("TRPO", "hw5_q3_trpo_Pendulum*"),
                ("PPO, small steps", "hw5_q2_ppo_slow_*"),
                ("PPO, stops early", "hw5_q2_ppo_kl_*"),
            ],
            [
                columns.each(f"last evaluation {seeds}"),
                columns.mean("mean"),
                *(columns.at(f"after {step:,}", step) for step in (28_672, 57_344, 86_016)),
            ],
        ),
        *long_runs(data),
    ]
