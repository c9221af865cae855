"""Commands as other courses and libraries spell them: they parse, and mean the same numbers."""

from __future__ import annotations

import copy
import dataclasses
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.experiments import registry
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.base.spelling import words_of_others
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.training.agent import PathAgent
from cs285.library.settings import config_of
from studies import plan, scripts
from studies.words import study_of
from tests.running import load_script, only_run

# Spinning Up's documents, and handouts of the course, word by word.
SPINNING_UP = [
    'python -m spinup.run ppo --hid "[32,32]" --env LunarLander-v2 --exp_name installtest '
    "--gamma 0.999",
    "python -m spinup.run ppo --env Walker2d-v2 --exp_name walker",
    "python -m spinup.run ppo --exp_name ppo_ant --env Ant-v2 --clip_ratio 0.1 0.2 "
    "--hid[h] [32,32] [64,32] --act torch.nn.Tanh --seed 0 10 20 --dt --data_dir path/to/data",
    "python -m spinup.run ppo --env Walker2d-v2 --exp_name walker --seed 0 10 20",
    "python -m spinup.run ddpg_tf1 --env Hopper-v2 --hid[h] [300] [128,128] --act tf.nn.tanh "
    "tf.nn.relu",
]
COURSE = [
    "python cs285/scripts/run_hw2.py --env_name CartPole-v0 -n 100 -b 1000 -dsa "
    "--exp_name q1_sb_no_rtg_dsa",
    "python cs285/scripts/run_hw3_dqn.py --env_name MsPacman-v0 --exp_name q1",
    "python cs285/scripts/run_hw3_dqn.py --env_name LunarLander-v3 --exp_name q2_dqn_1 --seed 1",
    "python cs285/scripts/run_hw3_dqn.py --env_name LunarLander-v3 --exp_name q2_doubledqn_1 "
    "--double_q --seed 1",
    *(
        "python cs285/scripts/run_hw3_actor_critic.py --env_name CartPole-v0 -n 100 -b 1000 "
        f"--exp_name {name} -ntu {targets} -ngsptu {steps}"
        for name, targets, steps in [
            ("q4_ac_1_1", 1, 1),
            ("q4_100_1", 100, 1),
            ("q4_1_100", 1, 100),
            ("q4_10_10", 10, 10),
        ]
    ),
]


@pytest.mark.parametrize("command", SPINNING_UP)
@pytest.mark.slow
def test_spinning_ups_command_is_planned(command: str, tmp_path: Path) -> None:
    algorithm, *words = shlex.split(command)[3:]
    study, _ = study_of(scripts.known(algorithm), words)
    runs = plan.plan(study, tmp_path)
    assert runs and all(run.settings["env_name"] in command for run in runs)


@pytest.mark.parametrize("command", COURSE)
def test_the_courses_command_is_parsed(command: str) -> None:
    _, script, *words = shlex.split(command)
    experiment = registry.of_script(Path(script).stem)
    config, explicit = parse_config(experiment.config_class, words, "")
    assert len(explicit) == sum(word.startswith("-") for word in words)
    assert experiment.resolve(config).exp_name in command


# ---------------------------------------------------------------- which setting a flag sets


MEANINGS = [
    ("vpg -rtg --nn_baseline --lam 0.9 --pi_lr 1e-2 --vf_lr 2e-2 --max_ep_len 50 --horizon_len 99",
     {"gae_lambda": 0.9, "learning_rate": 0.01, "baseline_learning_rate": 0.02, "ep_len": 50,
      "batch_size": 99}),
    ("ppo --lam 0.9 --pi_lr 1e-2 --vf_lr 2e-2 --max_ep_len 50 --horizon_len 2000 "
     "--repeat_times 8.0 --reward_scale 0.1",
     {"gae_lambda": 0.9, "actor_learning_rate": 0.01, "critic_learning_rate": 0.02, "ep_len": 50,
      "batch_size": 2000, "num_epochs": 8, "reward_scale": 0.1}),
    ("trpo --lam 0.9 --vf_lr 2e-2 --max_ep_len 50 --horizon_len 2000 --repeat_times 8",
     {"gae_lambda": 0.9, "critic_learning_rate": 0.02, "ep_len": 50, "batch_size": 2000,
      "num_epochs": 8}),
    ("ddpg --polyak 0.995 --pi_lr 1e-2 --q_lr 2e-2 --start_steps 7 --max_ep_len 50",
     {"tau": 0.005, "actor_learning_rate": 0.01, "critic_learning_rate": 0.02, "start_steps": 7,
      "ep_len": 50}),
    ("td3 --polyak 0.9 --horizon_len 512 --repeat_times 1.0 --reward_scale 2",
     {"tau": 0.1, "horizon_len": 512, "repeat_times": 1.0, "reward_scale": 2.0}),
    ("sac --update_every 50 --update_after 1000 --hid [32,16]",
     {"horizon_len": 50, "learning_starts": 1000, "hidden": "[32,16]"}),
    ("dqn --env_name CartPole-v1 --tau 5e-3 --hid 64,32 --horizon_len 512 --repeat_times 1.0",
     {"tau": 0.005, "hidden": "64,32", "learning_freq": 512, "repeat_times": 1.0,
      "target_update_freq": 1, "n_layers": None}),
    ("dqn --env_name CartPole-v1 --polyak 0.9 --target_update_freq 7 --max_ep_len 50",
     {"tau": 0.1, "target_update_freq": 7, "max_episode_steps": 50, "n_layers": 2, "size": 64}),
    ("actor_critic --pi_lr 1e-2 --vf_lr 2e-2 --horizon_len 300 --repeat_times 3.0 --max_ep_len 50",
     {"actor_learning_rate": 0.01, "critic_learning_rate": 0.02, "batch_size": 300,
      "num_agent_train_steps_per_iter": 3, "ep_len": 50}),
]  # fmt: skip


def resolved(line: str) -> Any:
    algorithm, *words = line.split()
    experiment = registry.algorithms()[algorithm]
    config, _ = parse_config(experiment.config_class, words, "")
    return experiment.resolve(config)


@pytest.mark.parametrize(("line", "expected"), MEANINGS)
def test_a_flag_sets_what_it_means(line: str, expected: dict[str, Any]) -> None:
    settings = dataclasses.asdict(resolved(line))
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("td3 --repeat_times 1 --num_agent_train_steps_per_iter 2", "both count the updates"),
        ("dqn --repeat_times 1 --num_agent_train_steps_per_iter 2", "both count the updates"),
        ("ppo --anneal --vf_lr 1e-3", "leave --pi_lr, --vf_lr out"),
        ("dqn --env_name CartPole-v1 --hid 64,32 -l 2", "leave -l and -s out"),
        ("portfolio --members td3:horizon_len=5", "no setting of a member"),
        ("td3 --reward_scale 0", "--reward_scale takes a number above 0"),
    ],
)
def test_what_contradicts_is_refused(line: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        resolved(line)


# ---------------------------------------------------------------- words of Spinning Up, ElegantRL

VALUES = {
    "net_dims": "[48,24]",
    "delta": "0.03",
    "polyak": "0.75",
    "gamma": "0.5",
    "env": "Acrobot-v1",
}
FRACTIONS = (
    "alpha",
    "lambda_",
    "ratio_",
    "soft_",
    "explore",
    "act_noise",
    "damping",
    "backtrack_c",
)
MEANT = {  # a word -> the flag that it is, where an experiment has that
    "replay_size": "buffer_size", "num_test_episodes": "eval_episodes", "alpha": "temperature",
    "delta": "max_kl", "damping_coeff": "damping", "cg_iters": "cg_steps",
    "backtrack_iters": "line_search_steps", "backtrack_coeff": "line_search_shrink",
    "train_v_iters": "baseline_gradient_steps", "random_seed": "seed", "net_dims": "hidden",
    "soft_update_tau": "tau", "explore_noise": "exploration_noise", "ratio_clip": "clip_ratio",
    "lambda_gae_adv": "gae_lambda", "lambda_entropy": "entropy_coef", "eval_times": "eval_episodes",
    "break_step": "num_timesteps", "thread_num": "threads", "gpu_id": "which_gpu",
    "env": "env_name", "gamma": "discount", "eval_per_step": "eval_freq", "polyak": "tau",
}  # fmt: skip
NEVER = {  # a word that is no flag's here -> what the answer names
    "act_noise": "--exploration_noise", "save_freq": "--checkpoint_secs", "cwd": "--data_dir",
    "is_remove": "--data_dir", "train_pi_iters": "--num_epochs",
}  # fmt: skip


def test_every_word_of_the_table_is_tested() -> None:
    assert words_of_others().keys() == MEANT.keys() | NEVER.keys()


@pytest.mark.parametrize("algorithm", sorted(registry.algorithms()))
@pytest.mark.parametrize("word", sorted(words_of_others()))
def test_a_word_of_others_is_a_flag_or_is_answered(word: str, algorithm: str) -> None:
    """With the same effect as the flag, from a shell and from Python; or by one line."""
    experiment = registry.algorithms()[algorithm]
    kind = experiment.config_class
    fields = {field.name: field for field in dataclasses.fields(kind)}
    text = VALUES.get(word, "0.25" if word.startswith(FRACTIONS) else "3")
    flag = MEANT.get(word, "")
    by_steps = word != "eval_per_step" or "num_timesteps" in fields
    if flag in fields and by_steps:
        same = "0.25" if word == "polyak" else text
        wanted = parse_config(kind, [f"--{flag}", same], "")
        assert parse_config(kind, [f"--{word}", text], "") == wanted
        assert parse_config(kind, [f"--{word}={text}"], "") == wanted
        assert getattr(wanted[0], flag) != fields[flag].default
        number = str if flag in ("env_name", "hidden") else float
        by_flag = config_of(algorithm, {flag: number(same)})
        assert config_of(algorithm, {word: number(text)}) == by_flag
        return
    with pytest.raises(UserError) as caught:
        parse_config(kind, [f"--{word}", text], "")
    message = str(caught.value)
    assert message.startswith(f"there is no --{word} here: ") and "\n" not in message
    named = re.findall(r"--(\w+)", message.partition(": ")[2])
    right = NEVER.get(word, f"--{flag}").lstrip("-")
    if right in fields and by_steps:
        assert right in named
    known = {field.name for name in registry.algorithms() for field in registry.flags(name)}
    assert named and set(named) <= known
    with pytest.raises(UserError, match=f"{algorithm} has no setting '{word}': "):
        config_of(algorithm, {word: text})


def test_words_of_others_stay_out_of_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse_config(registry.algorithms()["sac"].config_class, ["--help"], "")
    shown = capsys.readouterr().out
    assert "--temperature" in shown and not [w for w in words_of_others() if f"--{w} " in shown]


@pytest.mark.parametrize("script", ["run_hw4_ddpg", "run_hw5_ppo", "run_hw3_dqn", "run"])
def test_another_activation_is_answered_by_networks_of_ones_own(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["sac"] * (script == "run") + ["--act", "torch.nn.ELU"]
    assert load_script(script).main(words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "takes one of tanh, relu" in error
    assert "networks of your own: --actor_critic" in error


# ---------------------------------------------------------------- what it does to the numbers


def trainer_of(line: str, folder: Path) -> Any:
    algorithm = line.split()[0]
    config = resolved(line + " --no_gpu --seed 3")
    return registry.algorithms()[algorithm].build(config, folder)


def play(trainer: Any, steps: int) -> list[int]:
    """Takes steps, and learns after each; returns the number of updates so far after each."""
    counts = []
    for _ in range(steps):
        trainer.agent.step_env()
        trainer.train_agent()
        trainer.total_envsteps += 1
        trainer.agent.t = trainer.total_envsteps
        counts.append(trainer.agent.num_param_updates)
    return counts


SMALL = "--hid 8 -b 8 --learning_starts 20 --eval_freq -1"


def test_repeat_times_counts_passes_over_the_memory(tmp_path: Path) -> None:
    """After each horizon: int(transitions in memory * repeat_times / batch) updates."""
    trainer = trainer_of(f"td3 {SMALL} --horizon_len 16 --repeat_times 1.5", tmp_path)
    counts = play(trainer, 64)
    made = np.diff([0, *counts])
    assert {t + 1: n for t, n in enumerate(made) if n} == {
        32: int(32 * 1.5 / 8), 48: int(48 * 1.5 / 8), 64: int(64 * 1.5 / 8)
    }  # fmt: skip
    assert learning_begins(trainer.params) == 31


def test_a_horizon_alone_keeps_the_updates_per_step(tmp_path: Path) -> None:
    counts = play(trainer_of(f"ddpg {SMALL} --horizon_len 10", tmp_path), 50)
    assert [counts[t - 1] for t in (29, 30, 39, 40, 50)] == [0, 10, 10, 20, 30]
    twice = f"ddpg {SMALL} --horizon_len 10 --num_agent_train_steps_per_iter 2"
    assert play(trainer_of(twice, tmp_path), 50)[-1] == 60


@pytest.mark.parametrize(
    "line",
    [
        f"td3 {SMALL} --horizon_len 16 --repeat_times 1.5 --pi_lr 1e-2",
        "dqn --env_name CartPole-v1 --hid 8 --batch_size 8 --learning_starts 20 --eval_freq -1 "
        "--horizon_len 16 --repeat_times 0.5 --tau 0.1 --reward_scale 3",
    ],
)
def test_a_resumed_run_goes_on_exactly(line: str, tmp_path: Path) -> None:
    begun, resumed = trainer_of(line, tmp_path / "a"), trainer_of(line, tmp_path / "b")
    play(begun, 40)
    for part in ("agent", "saved_env", "random"):
        state = copy.deepcopy(getattr(begun, part).state_dict())
        getattr(resumed, part).load_state_dict(state)
    resumed.total_envsteps = resumed.agent.t = begun.total_envsteps
    generators = begun.random.state_dict()
    counts = play(begun, 30)
    begun.random.load_state_dict(generators)
    assert play(resumed, 30) == counts
    one, other = (trainer.agent.policy_state_dict() for trainer in (begun, resumed))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert counts[-1] > counts[0]


def test_repeat_times_of_dqn_leaves_its_clock(tmp_path: Path) -> None:
    flags = "--env_name CartPole-v1 --hid 8 --batch_size 8 --learning_starts 20 --eval_freq -1"
    flags += " --learning_rate 0:1e-2,100:1e-3"
    trainer = trainer_of(f"dqn {flags} --horizon_len 16 --repeat_times 0.5", tmp_path)
    made = np.diff([0, *play(trainer, 64)])
    # It learns after the step with this number, counted from 0, and has one transition more then.
    assert {t: n for t, n in enumerate(made) if n} == {32: 33 // 16, 48: 49 // 16}
    assert trainer.agent.t == 64
    rate = trainer.agent.critic.optimizer.param_groups[0]["lr"]
    assert rate == pytest.approx(1e-2 + 48 / 100 * (1e-3 - 1e-2))  # by steps, not by updates


def test_tau_of_dqn_moves_the_target_network(tmp_path: Path) -> None:
    flags = "--env_name CartPole-v1 --hid 8,4 --batch_size 8 --learning_starts 10 --eval_freq -1"
    trainer = trainer_of(f"dqn {flags} --tau 0.25", tmp_path)
    critic = trainer.agent.critic
    play(trainer, 20)
    before = [weight.clone() for weight in critic.q_net_target.parameters()]
    play(trainer, 1)
    for old, new, online in zip(
        before, critic.q_net_target.parameters(), critic.q_net.parameters(), strict=True
    ):
        torch.testing.assert_close(new.data, 0.75 * old + 0.25 * online.data)
        assert not torch.equal(new, online)
    assert [layer.out_features for layer in critic.q_net if hasattr(layer, "out_features")] == [
        8, 4, 2
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        f"td3 {SMALL} --pi_lr 1e-2 --q_lr 2e-2",
        f"sac {SMALL} --pi_lr 1e-2 --q_lr 2e-2",
        "actor_critic --pi_lr 1e-2 --vf_lr 2e-2",
        "vpg -rtg --nn_baseline --pi_lr 1e-2 --vf_lr 2e-2",
    ],
)
def test_actor_and_critic_have_step_sizes_of_their_own(line: str, tmp_path: Path) -> None:
    agent = trainer_of(line, tmp_path).agent
    actor = getattr(agent, "actor_optimizer", None) or agent.actor.optimizer
    rates = [optimizer.param_groups[0]["lr"] for optimizer in (actor, agent.critic.optimizer)]
    assert rates == [0.01, 0.02]


def test_the_one_optimizer_of_ppo_steps_by_two_sizes(tmp_path: Path) -> None:
    flags = "ppo -b 64 -mb 32 --num_epochs 1 --max_grad_norm 1e9 --eval_freq -1"
    moved = []
    for more in ("-lr 1e-3", "--pi_lr 1e-3 --vf_lr 1e-3", "--pi_lr 1e-3 --vf_lr 1e-2"):
        trainer = trainer_of(f"{flags} {more}", tmp_path)
        before = [weight.clone() for weight in trainer.agent.weights]
        trainer.agent.step_env()
        trainer.train_agent()
        moved.append(
            [
                float((a - b).detach().abs().max())
                for a, b in zip(before, trainer.agent.weights, strict=True)
            ]
        )
    both, two, faster = moved
    assert both == two
    actor = len(list(trainer.agent.actor.parameters()))
    assert faster[0] == both[0]  # before the second minibatch differs, the actor's are the same
    assert all(f > 5 * b for f, b in zip(faster[actor:], both[actor:], strict=True))


@pytest.mark.parametrize("algorithm", ["td3", "dqn", "portfolio", "ppo", "actor_critic", "vpg"])
@pytest.mark.slow
def test_scaled_rewards_are_learned_from_and_never_logged(algorithm: str, tmp_path: Path) -> None:
    flags = {
        "td3": f"{SMALL} --num_timesteps 410 --learning_starts 1000 --start_steps 1000",
        "portfolio": "--members td3,ddpg --hid 8 -b 8 --num_timesteps 410 --learning_starts 1000 "
        "--start_steps 1000 --eval_freq -1",
        "dqn": "--env_name CartPole-v1 --num_timesteps 60 --learning_starts 1000 --eval_freq -1",
        "ppo": "-n 1 -b 64 -mb 32 --eval_freq -1",
        "actor_critic": "-n 1 -b 64 --eval_freq -1 --scalar_log_freq 1",
        "vpg": "-n 1 -b 64 --eval_freq -1 -dsa",
    }[algorithm]
    kinds, rewards, logged, scores = ("1", "10"), [], [], []
    for factor in kinds:
        folder = tmp_path / factor
        trainer = trainer_of(f"{algorithm} {flags} --reward_scale {factor}", folder)
        rewards.append(rewards_of(trainer))
        if algorithm == "portfolio":
            scores.append(list(trainer.agent.record.total_k))
        script = registry.algorithms()[algorithm].script
        words = [*flags.split(), "--reward_scale", factor, "--data_dir", str(folder)]
        assert load_script(script).main(words) == 0
        logged.append(read_log(only_run(folder))["Train_AverageReturn"])
    assert len(rewards[0]) and np.any(rewards[0] != 0)
    np.testing.assert_allclose(rewards[1], 10 * np.asarray(rewards[0]), rtol=1e-6)
    np.testing.assert_array_equal(logged[0][:1], logged[1][:1])
    assert not scores or (scores[0] == scores[1] and sum(scores[0]) < 0)


def rewards_of(trainer: Any) -> np.ndarray:
    """The rewards that an agent has in memory after its first steps."""
    agent = trainer.agent
    if isinstance(agent, PathAgent):
        paths, _ = trainer.collect_training_trajectories(0, agent.actor, 64)
        agent.add_to_replay_buffer(paths)
        return np.asarray(agent.sample(64)[2])
    if hasattr(agent, "collector"):
        agent.step_env()
        return np.asarray(agent.sample(64)[2])
    for t in range(410 if hasattr(agent, "members") else 40):
        agent.t = t
        agent.step_env()
    memory = agent.members[0].replay_buffer if hasattr(agent, "members") else agent.replay_buffer
    if hasattr(memory, "rows"):
        return memory.rows[: len(memory), memory.columns[1]]
    return np.asarray(memory.reward[:40])
