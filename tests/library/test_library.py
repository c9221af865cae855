"""The library: a training from Python, and what it has left, as objects."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import gymnasium as gym
import numpy as np
import pytest
import safetensors.torch
import torch
from PIL import Image

import cs285
from cs285.experiments import actor_critic, failures, sac
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.logging.logger import read_log
from cs285.library import playing, show
from cs285.library.settings import config_of
from tests.running import ROOT, assert_same_run, load_script, only_run

TINY = {"n_iter": 2, "batch_size": 60, "eval_episodes": 1, "ep_len": 30}
STEPS = {"num_timesteps": 130, "eval_freq": 130, "eval_episodes": 1, "ep_len": 30, "threads": 1}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> cs285.Run:
    """A run that another thread than the main one has trained."""
    made, folder = [], tmp_path_factory.mktemp("data")

    def train() -> None:
        made.append(cs285.train("actor_critic", "Pendulum-v1", data_dir=folder, **TINY))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    return made[0]


@pytest.fixture(scope="module")
def dqn(tmp_path_factory: pytest.TempPathFactory) -> cs285.Run:
    folder = tmp_path_factory.mktemp("data")
    return cs285.train("dqn", "CartPole-v1", data_dir=folder, learning_starts=50, **STEPS)


def test_nothing_slow_is_imported_before_it_is_needed() -> None:
    code = "import cs285, sys; assert not {'numpy', 'torch', 'gymnasium'} & set(sys.modules)\n"
    code += "cs285.settings('dqn'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_name_that_is_not_there_is_none_of_the_library() -> None:
    assert {"train", "load", "Run"} <= set(dir(cs285))
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        cs285.trian  # noqa: B018


def test_a_thread_trains(run: cs285.Run) -> None:
    assert run.is_finished and run.algorithm == "actor_critic"
    assert list(run.log["Step"]) == [0, 1, 2]
    stored = json.loads((run.folder / "config.json").read_text())
    script, *words = stored["command"].split()[1:]
    assert script == "scripts/run_hw3_actor_critic.py"
    assert set(words) >= {"--env_name=Pendulum-v1", "--n_iter=2", "--ep_len=30"}


@pytest.mark.slow
def test_a_script_with_the_stored_command_does_the_same(run: cs285.Run, tmp_path: Path) -> None:
    words = json.loads((run.folder / "config.json").read_text())["command"].split()[2:]
    status = load_script("run_hw3_actor_critic").main([*words, "--data_dir", str(tmp_path)])
    assert status == 0
    assert_same_run(run.folder, only_run(tmp_path))


@pytest.mark.slow
def test_the_process_is_left_as_it_was(tmp_path: Path) -> None:
    torch.set_num_threads(2)
    ptu.seed_everything(5)
    wanted = torch.rand(3).tolist() + np.random.random(3).tolist()
    ptu.seed_everything(5)
    run = cs285.train("vpg", data_dir=tmp_path, **TINY)
    run.evaluate(1)
    assert torch.rand(3).tolist() + np.random.random(3).tolist() == wanted
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


WRONG = {
    "sacc": ({}, "there is no algorithm 'sacc'; did you mean 'sac'?"),
    "vpg": ({"batchsize": 3}, "vpg has no setting 'batchsize'; did you mean batch_size?"),
    "ppo": ({"clip_ratio": "x"}, "clip_ratio takes a finite number, not 'x'"),
    "trpo": ({"env": "CartPole-v1", "env_name": "x"}, "env_name is given twice"),
    "dqn": (
        {"batch_size": 40, "buffer_size": 9},
        "buffer_size 9 never holds a batch of batch_size 40: give a larger buffer",
    ),
    "td3": ({"env": "Pendulm-v1"}, "env_name Pendulm-v1: no such environment; did you mean Pend"),
    "ddpg": ({"n_layers": 2.5}, "n_layers takes a whole number, not 2.5"),
}


@pytest.mark.parametrize("algorithm", WRONG)
def test_what_is_wrong_is_one_line(algorithm: str, tmp_path: Path) -> None:
    given, message = WRONG[algorithm]
    with pytest.raises(cs285.Error) as caught:
        cs285.train(algorithm, data_dir=tmp_path, **given)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_keywords_are_read_as_python_writes_them() -> None:
    given = {"hid": [32, 16], "act": torch.nn.ReLU, "n_iter": 2e1, "gamma": np.float32(0.5)}
    config, explicit = config_of("ppo", {**given, "lr": 1})
    assert (config.hidden, config.activation, config.n_iter) == ("32,16", "relu", 20)
    assert (config.discount, config.learning_rate) == (0.5, 1.0)
    assert explicit == {"hidden", "activation", "n_iter", "discount", "learning_rate"}
    assert config_of("dqn", {"learning_rate": 1e-4})[0].learning_rate == "0.0001"
    assert config_of("ddpg", {"polyak": 0.995})[0].tau == 0.005
    table = cs285.settings("ppo")
    assert "clip_ratio" in table["setting"] and "clip_ratio" in table._repr_html_()


def test_the_log_is_a_table(run: cs285.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    log = run.log
    assert isinstance(log, show.Table) and log.columns[0] == "Step"
    np.testing.assert_array_equal(
        log["Eval_AverageReturn"], read_log(run.folder)["Eval_AverageReturn"]
    )
    head, first, *_ = repr(log).splitlines()
    assert head.split() == log.columns and first.split()[0] == "0"
    assert log._repr_html_().count("<tr>") == 4
    long = show.Table({"x": np.arange(100.0)})
    assert repr(long).splitlines()[10:12] == ["  9", "..."] and "99" in repr(long)


def test_the_log_is_a_data_frame_where_pandas_is(
    run: cs285.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = ModuleType("pandas")
    pandas.DataFrame = dict  # type: ignore[attr-defined]
    pandas.__spec__ = importlib.machinery.ModuleSpec("pandas", None)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    assert type(run.log) is dict and list(run.log["Step"]) == [0, 1, 2]


def test_the_curve_shows_itself(run: cs285.Run) -> None:
    figure = run.curve()
    assert figure.axes[0].get_title("left").startswith("actor_critic on Pendulum-v1")
    assert figure._repr_png_()[:4] == b"\x89PNG"


@pytest.mark.slow
def test_a_film_shows_itself(run: cs285.Run) -> None:
    film = run.film(seed=3)
    assert Path(film).suffix == ".gif" and film.video.stat().st_size > 1000
    assert film._repr_html_().startswith('<img src="data:image/gif;base64,')
    assert f"{film.score:g}" in repr(film)
    with Image.open(Path(film)) as picture:
        assert picture.n_frames > 3


def test_actions_are_the_tasks_own(run: cs285.Run) -> None:
    one = run.policy([1.0, 0.0, 0.0])
    many = run.policy(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 4.0]]))
    assert one.shape == (1,) and many.shape == (2, 1)
    np.testing.assert_allclose(many[0], one, atol=1e-6)
    drawn = [run.policy([1.0, 0.0, 0.0], deterministic=False).item() for _ in range(4)]
    assert len(set(drawn)) == 4
    with pytest.raises(cs285.Error, match=r"obs has shape \(2,\), wanted \(3,\) or \(n, 3,\)"):
        run.policy([1.0, 0.0])


def test_actions_in_minus_one_to_one_become_the_tasks() -> None:
    env = sac.EXPERIMENT.make_env(sac.SACConfig(env_name="Pendulum-v1"))
    assert playing.task_action(env, np.float32([0.5])) == pytest.approx([1.0])
    assert playing.task_action(env, np.float32([-1.0])) == pytest.approx([-2.0])


def test_evaluations_repeat(run: cs285.Run) -> None:
    one, again, other = run.evaluate(3), run.evaluate(3), run.evaluate(3, seed=1)
    assert one.shape == (3,) and one.tolist() == again.tolist() != other.tolist()
    assert run.evaluate(2, deterministic=True).tolist() != run.evaluate(2).tolist()


def test_values_of_discrete_actions(dqn: cs285.Run) -> None:
    obs = np.array([[0.0, 0.1, 0.0, -0.1], [0.5, 1.0, 0.1, 0.0]])
    values = dqn.q(obs)
    assert values.shape == (2, 2)
    assert dqn.policy(obs).tolist() == values.argmax(axis=1).tolist()
    assert dqn.q(obs, [1, 0]).tolist() == [values[0, 1], values[1, 0]]
    assert dqn.q(obs[0], 1) == pytest.approx(values[0, 1]) and dqn.q(obs[0]).shape == (2,)


@pytest.mark.slow
def test_values_of_continuous_actions(tmp_path: Path) -> None:
    """Q is learned of actions in (-1, 1), and asked for in the task's bounds."""
    run = cs285.train("td3", data_dir=tmp_path, learning_starts=50, hid=[16], **STEPS)
    weights = safetensors.torch.load_file(run.folder / "weights.safetensors")
    values = []
    for k in range(2):
        units = torch.tensor([1.0, 0.0, 0.5, 0.75])  # the observation, and half of 1.5
        for layer in range(2):
            units = units @ weights[f"critic.q_net.weights.{layer}."][k]
            units = units + weights[f"critic.q_net.biases.{layer}."][k, 0]
            units = units.relu() if layer == 0 else units
        values.append(units.item())
    assert run.q([1.0, 0.0, 0.5], [1.5]) == pytest.approx(min(values), abs=1e-5)
    with pytest.raises(cs285.Error, match="q needs an action"):
        run.q([1.0, 0.0, 0.5])


def test_an_agent_without_q_says_so(run: cs285.Run) -> None:
    with pytest.raises(cs285.Error, match=r"actor_critic learns no Q\(s, a\)"):
        run.q([1.0, 0.0, 0.0], [0.0])


@pytest.mark.slow
def test_a_run_is_found_again_and_goes_on(run: cs285.Run, tmp_path: Path) -> None:
    copy = shutil.copytree(run.folder, tmp_path / "copy")
    found = cs285.load(copy)
    assert found.evaluate(2).tolist() == run.evaluate(2).tolist()
    assert "finished, 120 steps" in repr(found) and "Pendulum-v1" in found._repr_html_()
    before = found.policy([1.0, 0.0, 0.0])
    longer = found.resume(n_iter=3)
    assert list(longer.log["Step"]) == [0, 1, 2, 3]
    assert found.policy([1.0, 0.0, 0.0]) != before  # of the newest weights
    with pytest.raises(cs285.Error, match="is finished, there is nothing to resume"):
        found.resume()
    with pytest.raises(cs285.Error, match="is not a run directory"):
        cs285.load(tmp_path)


def test_a_stop_is_a_keyboard_interrupt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C in a notebook saves a checkpoint; what is printed goes on with the run."""

    class Interrupting(gym.Wrapper):
        def step(self, action):
            os.kill(os.getpid(), signal.SIGINT)
            return self.env.step(action)

    with pytest.raises(KeyboardInterrupt):
        with pytest.MonkeyPatch.context() as patch:
            own, make = actor_critic.EXPERIMENT, actor_critic.EXPERIMENT.make_env
            patch.setattr(own, "make_env", lambda *a, **b: Interrupting(make(*a, **b)))
            cs285.train("actor_critic", data_dir=tmp_path, **TINY | {"eval_freq": -1})
    folder = only_run(tmp_path)
    assert f"go on with: cs285.load('{folder}').resume()" in capsys.readouterr().err
    assert not cs285.load(folder).is_finished
    assert cs285.load(folder).resume().is_finished


def test_an_environment_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    info = cs285.env_info("Pendulum-v1")
    assert info == {
        "id": "Pendulum-v1",
        "state_dim": 3,
        "action_dim": 1,
        "if_discrete": False,
        "action_low": [-2.0],
        "action_high": [2.0],
        "max_step": 200,
    }
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == list(info) and shown[-1].endswith(" 200")
    made = gym.make("CartPole-v1", max_episode_steps=7)
    info = cs285.env_info(made, verbose=False)
    assert (info["state_dim"], info["action_dim"], info["if_discrete"]) == (4, 2, True)
    assert (info["action_low"], info["max_step"]) == (None, 7)
    assert cs285.env_info("Taxi-v3", verbose=False)["state_dim"] == 500
    with pytest.raises(cs285.Error, match="env_name Pendlum-v1: no such environment; did you mean"):
        cs285.env_info("Pendlum-v1")
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", cs285.algorithms())
def test_every_algorithm_trains_and_comes_back(algorithm: str, tmp_path: Path) -> None:
    config, _ = config_of(algorithm, {})
    tiny = dict(TINY if hasattr(config, "n_iter") else STEPS | {"learning_starts": 50})
    if hasattr(config, "minibatch_size"):
        tiny["minibatch_size"] = 20
    if algorithm == "dqn":  # whose own task is a game, which shows stacks of its pictures
        tiny["env"] = "CartPole-v1"
    run = cs285.train(algorithm, data_dir=tmp_path, **tiny)
    info = cs285.env_info(run.settings["env_name"], verbose=False)
    action = cs285.load(run.folder).policy(np.zeros(info["state_dim"]))
    assert np.shape(action) == (() if info["if_discrete"] else (info["action_dim"],))
    assert run.evaluate(2).shape == (2,) and np.isfinite(run.evaluate(2)).all()


def test_how_a_run_goes_on_is_told_as_it_was_started(
    run: cs285.Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(run.folder)
    monkeypatch.setattr(sys, "argv", ["scripts/run_hw3_actor_critic.py", "-n", "3"])
    wanted = f"python scripts/run_hw3_actor_critic.py --resume {folder}"
    assert failures.resume_command(run.folder) == wanted
    monkeypatch.setattr(sys, "argv", ["/usr/bin/cs285-train", "actor_critic"])
    assert failures.resume_command(run.folder) == f"cs285-train actor_critic --resume {folder}"
