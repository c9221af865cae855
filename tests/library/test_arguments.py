"""Arguments of a wrong type, as people type them: each is one line that names the argument."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.envs.box2d.lunar_lander import LunarLander
from gymnasium.envs.classic_control import CartPoleEnv

import cs285
from cs285.infrastructure.environments.registering import id_wanted
from tests.running import ROOT

PENDULUM = "Pendulum-v1"


class Scaled(gym.Wrapper):
    """A task of one's own that changes one of Gymnasium's."""

    def __init__(self, gym_id: str = PENDULUM) -> None:
        super().__init__(gym.make(gym_id))


class Around(gym.Wrapper):
    """A wrapper that is given what it wraps."""


class Sized(gym.Env):
    """A task that needs an argument."""

    def __init__(self, length: int) -> None:
        self.observation_space = gym.spaces.Box(0, 1, (length,))
        self.action_space = gym.spaces.Discrete(2)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, cs285.Run]:
    tiny = {"eval_episodes": 1, "ep_len": 30, "data_dir": tmp_path_factory.mktemp("data")}
    steps = {"num_timesteps": 60, "learning_starts": 50, "threads": 1, **tiny}
    return {
        "ac": cs285.train("actor_critic", PENDULUM, n_iter=1, batch_size=60, **tiny),
        "dqn": cs285.train("dqn", "CartPole-v1", **steps),
        "td3": cs285.train("td3", hid=[8], eval_freq=-1, **steps),
    }


INFO = functools.partial(cs285.env_info, PENDULUM, verbose=False)
TRAIN = functools.partial(cs285.train, "ddpg", num_timesteps=2)
CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "render": (lambda: INFO({"render": 4}), "env_kwargs: Pendulum-v1 takes no render; it takes g"),
    "env_name": (lambda: INFO({"env_name": 4}), "Pendulum-v1 takes no env_name"),
    "no dict": (lambda: INFO("g=3"), "env_kwargs takes a JSON object"),
    "no text": (lambda: INFO({3: 4}), "env_kwargs takes a JSON object such as"),
    "both": (
        lambda: cs285.env_info(gym.make("CartPole-v1"), {"x": 1}),
        "env_kwargs belong to an id: this environment is made already",
    ),
    "no env": (lambda: cs285.env_info(None), "env takes the id of a registered environment"),
    "list": (lambda: cs285.env_info([PENDULUM]), "such as 'CartPole-v1', not ['Pendulum-v1']"),
    "load": (lambda: cs285.load(None), "a run is given by its folder, not by None"),
    "load []": (lambda: cs285.load(["a"]), "a run is given by its folder, not by ['a']"),
    "settings": (lambda: cs285.settings(["dqn"]), "there is no algorithm ['dqn']; did you mean"),
    "algorithm": (lambda: cs285.train({}), "there is no algorithm {}"),
    "env id": (lambda: TRAIN(env=4), "env takes the id of a registered environment"),
    "env fn": (lambda: TRAIN(env=lambda: gym.make(PENDULUM)), "such as 'CartPole-v1', not <func"),
    "made": (
        lambda: TRAIN(env=gym.make(PENDULUM)),
        "env takes the id of an environment, not the object: env='Pendulum-v1'",
    ),
    "own class": (  # of the ids of a class, the one that is made without settings
        lambda: TRAIN(env=LunarLander()),
        "env takes the id of an environment, not the object: env='LunarLander-v3'",
    ),
    "newest": (lambda: TRAIN(env=CartPoleEnv), "not the object: env='CartPole-v1'"),
    "object": (lambda: TRAIN(env_kwargs={"g": object()}), "stored as JSON: it contains an object"),
    "nan": (lambda: TRAIN(env_kwargs={"g": np.nan}), "env_kwargs {'g': nan} cannot be stored"),
    "huge": (lambda: TRAIN(lr=10**400), "learning_rate takes a finite number"),
    "null": (lambda: TRAIN(exp_name="a\0b"), "cannot name a folder"),
    "networks": (
        lambda: cs285.train("ppo", actor_critic=torch.nn.Linear(3, 3)),
        "actor_critic takes a class or a function that makes networks, and ac_kwargs",
    ),
}


def one_line(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(cs285.Error) as caught:
        call()
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one_line(*CALLS[name])
    assert not list(tmp_path.iterdir())


SEED = "seed takes a number from 0 to 4294967295, not"
OF_RUNS: list[tuple[str, Callable[[cs285.Run], Any], str]] = [
    ("ac", lambda run: run.film("x"), "seed takes a whole number, not 'x'"),
    ("ac", lambda run: run.film(-1), f"{SEED} -1"),
    ("ac", lambda run: run.evaluate("3"), "episodes takes a whole number, not '3'"),
    ("ac", lambda run: run.evaluate(2.5), "episodes takes a whole number, not 2.5"),
    ("ac", lambda run: run.evaluate(0), "episodes takes a number from 1 upward, not 0"),
    ("ac", lambda run: run.evaluate(1, seed=2**40), f"{SEED} {2**40}"),
    ("ac", lambda run: run.evaluate(1, seed=None), "seed takes a whole number, not None"),
    ("ac", lambda run: run.policy("x"), "obs takes an array of numbers, not 'x'"),
    ("ac", lambda run: run.policy([[1, 2], [3]]), "obs takes an array of numbers"),
    ("ac", lambda run: run.policy([1j, 0, 0]), "obs takes an array of numbers"),
    ("ac", lambda run: run.policy((np.zeros(3), {})), "obs takes an array of numbers"),
    ("dqn", lambda run: run.q(np.zeros(4), "a"), "ac takes an array of numbers, not 'a'"),
    ("dqn", lambda run: run.q(np.zeros(4), 2), "ac takes numbers of actions, from 0 to 1"),
    ("dqn", lambda run: run.q(np.zeros(4), -1), "ac takes numbers of actions, from 0 to 1"),
    ("dqn", lambda run: run.q(np.zeros(4), 0.5), "ac takes numbers of actions, from 0 to 1"),
    ("dqn", lambda run: run.q(np.zeros((3, 4)), [0]), "ac has shape (1,), wanted (3,)"),
    ("td3", lambda run: run.q(np.zeros(3), [1, 2]), "ac has shape (2,), wanted (1,)"),
    ("td3", lambda run: run.q(np.zeros((2, 3)), [1]), "ac has shape (1,), wanted (2, 1)"),
]


@pytest.mark.parametrize("number", range(len(OF_RUNS)))
def test_a_wrong_argument_of_a_run_is_one_line(number: int, runs: dict[str, cs285.Run]) -> None:
    name, call, message = OF_RUNS[number]
    one_line(lambda: call(runs[name]), message)


def test_arguments_of_numpy_and_torch_are_as_good(runs: dict[str, cs285.Run]) -> None:
    run = runs["ac"]
    assert run.evaluate(np.int64(2), np.int64(3)).tolist() == run.evaluate(2.0, 3).tolist()
    obs = torch.zeros(3, requires_grad=True)
    assert run.policy(obs).tolist() == run.policy([0, 0, 0]).tolist()
    assert runs["td3"].q(obs, torch.ones(1)) == runs["td3"].q([0, 0, 0], 1.0)


# ---------------------------------------------------------------- an environment for an id


def test_an_environment_in_the_place_of_an_id_is_answered_by_the_line_to_write() -> None:
    module = __name__
    for given in (Scaled(), Scaled, gym.wrappers.ClipAction(Scaled())):
        one_line(
            lambda given=given: TRAIN(env=given),
            f"write gymnasium.register('Scaled-v0', entry_point='{module}:Scaled') at the end of "
            f"the module {module}, then env='{module}:Scaled-v0'",
        )
    wrapped = Around(gym.make(PENDULUM))
    assert "lambda **kwargs: Around(gymnasium.make('Pendulum-v1', **kwargs))" in str(
        id_wanted(wrapped)
    )
    assert f"entry_point='{module}:Sized', kwargs={{'length': ...}})" in str(id_wanted(Sized(3)))

    class Local(Scaled):
        pass

    text = str(id_wanted(Local()))
    assert text.endswith("gymnasium.register('Local-v0', entry_point=Local), then env='Local-v0'")


FOLLOWS = r"""
import gymnasium, re, cs285
from gymnasium import Wrapper, make

class OwnPendulum(Wrapper):
    def __init__(self, gym_id="Pendulum-v1"):
        super().__init__(make(gym_id))

class Around(Wrapper):
    pass

def scope():
    class Local(OwnPendulum):
        pass
    return Local

Local = scope()
for given in (OwnPendulum(), Around(make("Pendulum-v1")), Local(), GIVEN):
    try:
        cs285.train("ddpg", env=given)
    except cs285.Error as error:
        line = re.search(r"gymnasium.register\(.*\)(?=,| at the end)", str(error))[0]
        env = re.search(r"env='(.*)'$", str(error))[1]
    exec(line)
    tiny = {"num_timesteps": 3, "eval_episodes": 1, "ep_len": 9, "hid": [4]}
    run = cs285.train("ddpg", env=env, **tiny)
    assert run.is_finished and type(given).__name__ in str(run._player().env), run._player().env
print("all trained")
"""


@pytest.mark.slow
def test_the_line_works_where_it_is_typed(tmp_path: Path) -> None:
    """In a script, and in a module of one's own, from which another process resumes."""
    module = "import gymnasium\n\n\nclass OwnTask(gymnasium.Wrapper):\n"
    module += "    def __init__(self):\n        super().__init__(gymnasium.make('Pendulum-v1'))\n"
    (tmp_path / "own_task.py").write_text(module)
    code = FOLLOWS.replace("GIVEN", "__import__('own_task').OwnTask()")
    (tmp_path / "script.py").write_text(code)
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.endswith("all trained\n"), done.stderr
    with (tmp_path / "own_task.py").open("a") as file:
        file.write("\n\ngymnasium.register('OwnTask-v0', entry_point='own_task:OwnTask')\n")
    (folder,) = (tmp_path / "data").glob("*own_task*")
    command = [sys.executable, str(ROOT / "scripts/enjoy.py"), str(folder), "-n", "1"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
