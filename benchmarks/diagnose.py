"""How often `python -m autograder diagnose` names what is wrong, and how often it errs.

Trains short runs, each ill in one known way, and healthy ones beside them; then diagnoses all. What
is finished is not run again. Thresholds were chosen on seed 1, and the table is of others.

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from common import RESULTS, ROOT, publish, table

TUNING, HELD_BACK = (1,), (11, 12, 13)
DQN = "--num_timesteps 3000 --learning_starts 500 --exploration 0:1,1500:0.05 --discount 0.99 "
DQN += "--target_update_freq 100 --scalar_log_freq 200 --eval_freq 1000 --eval_episodes 3"
STEPS = "--num_timesteps 2000 -l 2 -s 64 -b 64 --scalar_log_freq 200 --eval_freq 500 "
STEPS += "--eval_episodes 3"
ITERATIONS = "-n 14 -b 1000 --scalar_log_freq 1"
SEGMENTS = "-n 8 -b 1024"
ALGORITHMS = {
    "dqn": f"hw3_dqn {DQN}",
    "ddpg": f"hw4_ddpg {STEPS}",
    "td3": f"hw4_td3 {STEPS}",
    "sac": f"hw4_sac {STEPS}",
    "vpg": f"hw2 {ITERATIONS} -rtg",
    "ac": f"hw3_actor_critic {ITERATIONS}",
    "ppo": f"hw5_ppo {SEGMENTS}",
    "trpo": f"hw5_trpo {SEGMENTS}",
}
TASKS = {
    "cart": "CartPole-v1",
    "acrobot": "Acrobot-v1",
    "lander": "LunarLander-v3",
    "pendulum": "Pendulum-v1",
    "inverted": "InvertedPendulum-v5",
    "lander2": "LunarLanderContinuous-v3",
}
COMMANDS = {name: text.replace(" ", ".py ", 1) for name, text in ALGORITHMS.items()}
HEALTHY = "healthy"
SLOW = ("ale_py", "Box2D", "cs285.infrastructure.rl_trainer", "gymnasium.envs.mujoco")
SLOW += ("gymnasium.envs.box2d.lunar_lander", "gymnasium.envs.mujoco.inverted_pendulum_v5")
SLOW += ("gymnasium.envs.classic_control", "matplotlib.pyplot", "mujoco", "pygame")
SLOW += ("tensorboardX.event_file_writer", "tensorboardX.proto.event_pb2", "torch.distributions")


class Case(NamedTuple):
    """A run to be made ill: algorithm and task, flags, and what is done to the code."""

    algorithm: str
    task: str
    flags: str = ""
    patch: str = ""


CASES: dict[str, tuple[Case, ...]] = {
    HEALTHY: (
        Case("dqn", "cart"),
        Case("dqn", "lander"),
        Case("dqn", "acrobot", "--double_q"),
        Case("vpg", "cart"),
        Case("vpg", "inverted", "--nn_baseline --discount 0.95 -lr 0.01"),
        Case("ac", "cart", "--discount 0.99"),
        Case("ac", "inverted", "--discount 0.95 -lr 0.01 --ep_len 1000"),
        Case("ddpg", "pendulum"),
        Case("td3", "inverted"),
        Case("sac", "pendulum"),
        Case("sac", "lander2"),
        Case("ppo", "cart"),
        Case("ppo", "pendulum", "--discount 0.9 -lr 1e-3"),
        Case("trpo", "inverted"),
        Case("trpo", "acrobot"),
    ),
    "learning_never_began": (
        Case("dqn", "cart", "--learning_starts 5000"),
        Case("ddpg", "pendulum", "--learning_starts 5000"),
        Case("sac", "inverted", "--learning_starts 3000"),
    ),
    "reward_never_seen": (
        Case("dqn", "cart", "", "rewards 0"),
        Case("ppo", "pendulum", "--discount 0.9", "rewards 0"),
        Case("sac", "inverted", "", "rewards 0"),
    ),
    "reward_scale": (
        Case("dqn", "cart", "", "rewards 1000"),
        Case("ppo", "pendulum", "--discount 0.9", "rewards 1000"),
        Case("td3", "inverted", "", "rewards 0.0001"),
    ),
    "rate_too_high": (
        Case("vpg", "cart", "-lr 1"),
        Case("dqn", "acrobot", "-lr 0.3"),
        Case("ppo", "inverted", "-lr 0.1"),
    ),
    "rate_too_low": (
        Case("ac", "cart", "-lr 1e-7"),
        Case("ddpg", "pendulum", "-lr 1e-8"),
        Case("ppo", "inverted", "-lr 1e-8"),
    ),
    "discount_unfit": (
        Case("dqn", "cart", "--discount 0.3"),
        Case("sac", "pendulum", "--discount 0.2"),
        Case("ppo", "inverted", "--discount 0.3"),
    ),
    "batch_too_small": (
        Case("dqn", "cart", "--buffer_size 150"),
        Case("td3", "pendulum", "--buffer_size 300"),
        Case("ac", "inverted", "-b 20 -n 100 --scalar_log_freq 10"),
    ),
    "exploration_stuck": (
        Case("dqn", "cart", "--exploration 1.0"),
        Case("dqn", "acrobot", "--exploration 0.9"),
        Case("dqn", "lander", "--exploration 1.0"),
    ),
    "exploration_absent": (
        Case("dqn", "cart", "--exploration 0"),
        Case("ddpg", "pendulum", "--exploration_noise 0"),
        Case("td3", "inverted", "--exploration_noise 0"),
    ),
    "target_frozen": (
        Case("dqn", "cart", "", "no copies"),
        Case("ddpg", "pendulum", "", "no copies"),
        Case("sac", "inverted", "--tau 0"),
    ),
    "advantages_flat": (
        Case("ac", "cart", "", "advantages 0"),
        Case("ppo", "pendulum", "--discount 0.9", "advantages 0"),
        Case("vpg", "inverted", "", "advantages 0"),
    ),
    "dead_units": (
        Case("dqn", "cart", "", "dead units"),
        Case("td3", "pendulum", "", "dead units"),
        Case("sac", "inverted", "", "dead units"),
    ),
    "parameters_frozen": (
        Case("dqn", "acrobot", "", "no steps"),
        Case("vpg", "cart", "", "no steps"),
        Case("ppo", "pendulum", "--discount 0.9", "no steps"),
    ),
    "values_diverge": (
        Case("dqn", "cart", "", "discount 2"),
        Case("ddpg", "pendulum", "", "discount 2"),
        Case("td3", "inverted", "", "discount 4"),
    ),
    "not_finite": (
        Case("dqn", "cart", "", "nan"),
        Case("ddpg", "pendulum", "", "nan"),
        Case("sac", "inverted", "", "nan"),
    ),
    "kl_out_of_range": (
        Case("ppo", "cart", "-lr 5e-3 --clip_ratio 1e6 --num_epochs 30"),
        Case("trpo", "pendulum", "--max_kl 2 --discount 0.9"),
        Case("ppo", "inverted", "-lr 5e-3 --clip_ratio 1e6 --num_epochs 30"),
    ),
    "entropy_collapsed": (
        Case("ac", "cart", "", "one action"),
        Case("ppo", "acrobot", "", "one action"),
        Case("vpg", "inverted", "", "one action"),
    ),
    "evaluation_differs": (
        Case("vpg", "cart", "", "evaluation 10"),
        Case("ppo", "pendulum", "--discount 0.9", "evaluation 10"),
        Case("ddpg", "inverted", "", "evaluation 0.1"),
    ),
}


def words(case: Case) -> str:
    """Returns a run's command, without its seed; a later flag counts more than an earlier one."""
    script, _, flags = ALGORITHMS[case.algorithm].partition(" ")
    return f"run_{script}.py --env_name {TASKS[case.task]} {flags} {case.flags}".strip()


def after(owner: Any, name: str, then: Callable[..., None]) -> None:
    """Lets something happen whenever a method is done."""
    method = getattr(owner, name)

    def both(self: Any, *given: Any, **named: Any) -> Any:
        result = method(self, *given, **named)
        then(self)
        return result

    setattr(owner, name, both)


def agents() -> list[Any]:
    """Returns all classes of agents."""
    names = {"dqn": "DQN", "ac": "AC", "pg": "PG", "ppo": "PPO", "trpo": "TRPO", "ddpg": "DDPG"}
    names |= {"td3": "TD3", "sac": "SAC"}
    return [
        getattr(importlib.import_module(f"cs285.agents.{file}_agent"), f"{name}Agent")
        for file, name in names.items()
    ]


def scale_rewards(factor: float) -> None:
    """Lets every environment pay `factor` times as much."""
    import gymnasium as gym

    make = gym.make

    def scaled(*given: Any, **named: Any) -> Any:
        env = make(*given, **named)
        return gym.wrappers.TransformReward(env, lambda reward: factor * float(reward))

    gym.make = scaled  # type: ignore[assignment]


def scale_evaluation(factor: float) -> None:
    """Lets evaluations alone pay `factor` times as much."""
    import gymnasium as gym

    from cs285.infrastructure.rl_trainer import RL_Trainer

    def wrap(self: Any) -> None:
        pay = gym.wrappers.TransformReward
        self.eval_env = pay(self.eval_env, lambda reward: factor * float(reward))

    after(RL_Trainer, "__init__", wrap)


def no_steps(_: float) -> None:
    """Takes the optimizers' steps away."""
    from cs285.infrastructure.fast import FusedAdam

    FusedAdam.step = lambda self: None  # type: ignore[assignment,method-assign]


def no_copies(_: float) -> None:
    """Takes the target networks' copies away."""
    from cs285.critics.dqn_critic import DQNCritic
    from cs285.critics.q_critic import QCritic

    for critic in (DQNCritic, QCritic):
        critic.update_target_network = lambda self: None  # type: ignore[assignment]


def no_advantages(_: float) -> None:
    """Replaces all advantages by 0."""
    from cs285.agents import ac_agent, pg_agent, ppo_agent

    for owner in (ac_agent.ACAgent, pg_agent.PGAgent, ppo_agent.PPOAgent):
        method = owner.estimate_advantage  # type: ignore[attr-defined]

        def zero(self: Any, *given: Any, method: Any = method) -> Any:
            result = method(self, *given)
            pair = isinstance(result, tuple)
            return (0 * result[0], result[1] - result[0]) if pair else 0 * result

        owner.estimate_advantage = zero  # type: ignore[attr-defined]


def dead_units(_: float) -> None:
    """Draws biases of the critic's first layer at which no ReLU is ever on."""
    import torch

    def kill(self: Any) -> None:
        net = self.critic.q_net
        with torch.no_grad():
            (net.biases[0] if hasattr(net, "biases") else net[0].bias).fill_(-100.0)

    for agent in agents():
        after(agent, "__init__", kill)


def one_action(_: float) -> None:
    """Draws a policy that is nearly sure of its actions."""
    import torch

    def collapse(self: Any) -> None:
        with torch.no_grad():
            if self.actor.discrete:
                layers = [one for one in self.actor.logits_na if hasattr(one, "bias")]
                layers[-1].bias[0] += 30.0
            else:
                self.actor.logstd.fill_(-6.0)

    for agent in agents():
        after(agent, "__init__", collapse)


def wrong_discount(gamma: float) -> None:
    """Sets a discount beyond 1, past the checks of the flags."""

    def change(self: Any) -> None:
        if hasattr(self, "settings"):
            object.__setattr__(self.settings, "discount", gamma)
        else:
            self.critic.gamma = gamma

    for agent in agents():
        after(agent, "__init__", change)


def not_a_number(_: float) -> None:
    """Makes one weight nan after 1,000 steps of the optimizers together."""
    import torch

    from cs285.infrastructure.fast import FusedAdam

    taken = Counter[str]()

    def poison(self: Any) -> None:
        taken["steps"] += 1
        if taken["steps"] == 1000:
            with torch.no_grad():
                self.param_groups[0]["params"][0].view(-1)[0] = float("nan")

    after(FusedAdam, "step", poison)


PATCHES: dict[str, Callable[[float], None]] = {
    "rewards": scale_rewards,
    "evaluation": scale_evaluation,
    "no steps": no_steps,
    "no copies": no_copies,
    "advantages": no_advantages,
    "dead units": dead_units,
    "one action": one_action,
    "discount": wrong_discount,
    "nan": not_a_number,
}


def patch(text: str) -> None:
    """Makes the code of this process ill, as "rewards 0" or "no steps" say."""
    name, _, number = text.rpartition(" ")
    known = text if text in PATCHES else name
    PATCHES[known](0.0 if known == text else float(number))


def train(case: Case, seed: int, folder: Path) -> None:
    """Trains one run in a fork of this process, whose code may then be changed as it likes."""
    began = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)  # of a benchmark that was stopped
    child = os.fork()
    if not child:
        status = 3
        try:
            folder.mkdir(parents=True, exist_ok=True)
            out = os.open(folder / "output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            script, *flags = shlex.split(words(case))
            flags += ["--seed", str(seed), "--data_dir", str(folder), "--no_gpu", "--threads", "1"]
            sys.argv = [f"scripts/{script}", *flags]
            if case.patch:
                patch(case.patch)
            status = load(script.removesuffix(".py")).main(flags)
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    (folder / "done").write_text(f"{status} {time.monotonic() - began:.1f}\n")


def load(script: str) -> Any:
    """Returns a script as a module."""
    return importlib.import_module(f"scripts.{script}")


def all_runs(seeds: Sequence[int]) -> list[tuple[str, Case, int, str]]:
    """Returns kind, case, seed and folder name of every run."""
    return [
        (kind, case, seed, f"{kind}/{case.algorithm}-{case.task}-{seed}")
        for kind, cases in CASES.items()
        for case in cases
        for seed in seeds
    ]


def make(runs: Path, seeds: Sequence[int]) -> None:
    """Trains what is missing."""
    import torch

    torch.set_num_threads(1)
    for module in SLOW:  # so that no fork imports them again
        importlib.import_module(module)
    for script in {words(case).split()[0] for cases in CASES.values() for case in cases}:
        load(script.removesuffix(".py"))
    agents()
    for _, case, seed, name in all_runs(seeds):
        if not (runs / name / "done").exists():
            train(case, seed, runs / name)
            print(name, (runs / name / "done").read_text().strip(), flush=True)


def diagnosed(folder: Path) -> list[str]:
    """Returns what is found in a run's folder, causes first."""
    from autograder.diagnose import examine, read_record

    return [finding.name for finding in examine(read_record(folder))]


def judged(runs: Path, seeds: Sequence[int]) -> dict[str, list[str]]:
    """Returns what is found in each run, by its name here; those that are missing are left out."""
    from autograder.evidence.files import UnreadableError

    found = {}
    for _, _, _, name in all_runs(seeds):
        folders = [file.parent for file in (runs / name).glob("*/log.csv")]
        if (runs / name / "done").exists() and folders:
            try:
                found[name] = diagnosed(folders[0])
            except UnreadableError as error:
                found[name] = [f"unreadable: {error}"]
    return found


def rows(found: dict[str, list[str]], seeds: Sequence[int]) -> tuple[list[list[str]], Counter[str]]:
    """Returns a row for each case, and the sums over all."""
    message, sums = [], Counter[str]()
    for kind, cases in CASES.items():
        for case in cases:
            names = [name for k, c, _, name in all_runs(seeds) if (k, c) == (kind, case)]
            results = [found[name] for name in names if name in found]
            ill = kind != HEALTHY
            first = sum(result[:1] == ([kind] if ill else []) for result in results)
            among = sum(kind in result for result in results)
            others = Counter(name for result in results for name in result if name != kind)
            more = ", ".join(f"{name} ({count})" for name, count in others.items())
            flags = f"`{case.flags}`" if case.flags else ""
            made = "; ".join(part for part in (flags, case.patch) if part)
            shown = [f"{first} / {len(results)}", f"{among} / {len(results)}" if ill else ""]
            task = [kind.replace("_", " "), case.algorithm, TASKS[case.task]]
            message.append([*task, *shown, more, made])
            sums += Counter({f"{ill}": len(results), f"first {ill}": first, f"among {ill}": among})
    return message, sums


def tables(found: dict[str, list[str]], seeds: Sequence[int]) -> list[str]:
    """Returns what became of the ill runs, and of the healthy ones."""
    message, sums = rows(found, seeds)
    data = [file.parent for file in sorted((RESULTS / "data").glob("*/log.csv"))]
    data = [run for run in data if "_tau0_" not in run.name]  # ill on purpose: question 6
    kept = {folder.name: result for folder in data if (result := diagnosed(folder))}
    ill, trained = sums["True"], sums["False"]
    wrong, healthy = trained - sums["first False"] + len(kept), trained + len(data)
    lines = [
        ["ill runs", str(ill), ""],
        ["named, above all else", str(sums["first True"]), share(sums["first True"], ill)],
        ["named at all", str(sums["among True"]), share(sums["among True"], ill)],
        ["healthy runs", f"{healthy} ({trained} and docs/results/data)", ""],
        ["false alarms among them", str(wrong), share(wrong, healthy)],
    ]  # fmt: skip
    head = ["illness", "algorithm", "task", "named first", "named", "also found", "made by"]
    begin = [[name, f"`python scripts/run_{text}`"] for name, text in COMMANDS.items()]
    texts = [table(["", "runs", "share"], lines), table(head, message)]
    texts.append(table(["algorithm", "command, to which a row adds task, seed and flags"], begin))
    false = [f"`{name}`: {', '.join(result)}" for name, result in kept.items()]
    return texts + (["False alarms in docs/results/data: " + "; ".join(false)] if false else [])


def share(part: int, whole: int) -> str:
    """Returns a share in per cent."""
    return f"{part / whole:.1%}" if whole else ""


def main() -> None:
    """Runs the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, required=True, help="where the runs are, and are made")
    parser.add_argument("--seeds", type=int, nargs="+", default=HELD_BACK)
    parser.add_argument("--train", action="store_true", help="make the runs, and look at none")
    parser.add_argument("--judge", action="store_true", help="look at the runs, and make none")
    parser.add_argument("--json", type=Path, help="write what was found in each run there")
    parser.add_argument("--write", action="store_true", help="write docs/results/diagnose.md")
    args = parser.parse_args()
    if not args.judge:
        make(args.runs.resolve(), args.seeds)
    if args.train:
        return
    found = judged(args.runs, args.seeds)
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n")
    seeds = ", ".join(map(str, args.seeds))
    how = (
        f"Seeds {seeds}; thresholds were chosen on seed {', '.join(map(str, TUNING))} and on "
        "docs/results/data. Each run is ill in one way: by flags, or by a patch of the code in "
        "its process, which benchmarks/diagnose.py holds. A healthy run counts as named where "
        "nothing is found. Most kinds that flags make are recognised by the settings themselves."
    )
    publish("Illnesses", how, tables(found, args.seeds), args.write, "diagnose.md")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
