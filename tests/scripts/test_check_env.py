"""scripts/check_env.py: every fault of odd environments has a line, and sound ones have none."""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from cs285.experiments import registry
from tests import odd_environments as odd
from tests.own_module import KWARGS, TASK, process_in, write
from tests.running import load_script
from tests.test_odd_environments import CONTINUOUS, DISCRETE

# A faulty environment -> words of its line, and whether it is a fault. Ten are of `odd.TEN`.
EXPECTED = {
    odd.InPlace: ("it is one array, changed in place", False),
    odd.NanObservation: ("component 0 of the observation is nan", True),
    odd.Endless: ("there is no time limit: 1,000 steps is the longest episode", False),
    odd.StartsAtOne: ("observations in Discrete(3, start=1) become one vector of 3", False),
    odd.ManyDiscrete: ("MultiDiscrete([ 4 13]) become one vector of 17 numbers", False),
    odd.Images: ("observations are images", False),
    odd.OneStep: ("every episode ends at its first step", False),
    odd.Raises: ("step raised RuntimeError: the simulator is gone (odd_environments.py", True),
    odd.Double: ("the observation is float64", False),
    odd.RewardArray: ("the reward is an array of shape (1,)", False),
    odd.NanReward: ("reward is nan", True),
    odd.InfiniteReward: ("reward is inf", True),
    odd.Graphs: ("are no vectors of one length", True),
    odd.OldApi: ("reset returns no pair (observation, info)", True),
    odd.OldStep: ("step returns 4 values instead of 5", True),
    odd.OlderApi: ("reset takes no seed and options", True),
}


class Sound(odd.Odd):
    """Nothing is wrong with it; a subclass has one fault."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    goes_on = False  # whether chance and time go on from one episode to the next

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(continuous=False)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: object = None) -> object:
        if not self.goes_on:
            self.steps = 0
        return super().reset(seed=seed)

    def show(self, push: float) -> object:
        return self.numbers(push) * self.np_random.random(dtype=np.float32)

    def render(self) -> object:
        return np.zeros((32, 32, 3), np.uint8)


class OtherChance(Sound):
    def show(self, push: float) -> object:
        return self.numbers(push) * np.float32(np.random.default_rng().random())


class GoesOn(Sound):
    goes_on = True


class TwoRewards(Sound):
    def reward(self, push: float) -> object:
        return np.zeros(2)


class NoReward(Sound):
    def reward(self, push: float) -> object:
        return None


class Outside(Sound):
    def show(self, push: float) -> object:
        return np.full(3, 2 + self.t, np.float32)


class OtherShape(Sound):
    def show(self, push: float) -> object:
        return np.zeros(3 + self.t, np.float32)


class Ragged(Sound):
    def show(self, push: float) -> object:
        return [[0.0], [0.0, 1.0]]


class NoPicture(Sound):
    def render(self) -> object:
        return "a picture"


class Infinite(Sound):
    observation_space = gym.spaces.Dict({"x": gym.spaces.Box(-2, 2, (2,), np.float64)})

    def show(self, push: float) -> object:
        return {"x": np.array([0.0, np.inf])}


OWN = {
    OtherChance: ("the same seed and actions lead to another episode", True),
    GoesOn: ("lead to another episode if one was played before", True),
    TwoRewards: ("reward has shape (2,), and must be one number", True),
    NoReward: ("step raised TypeError: float() argument must be", True),
    Outside: ("an observation lies outside of observation_space", False),
    OtherShape: ("observation has shape (4,), its space (3,)", True),
    Ragged: ("reset raised ValueError: setting an array element with a sequence", True),
    NoPicture: ("it cannot be filmed: render returns <U9 of shape ()", False),
    Infinite: ("component 1 of the observation is inf", True),
}
for _kind in (Sound, *OWN):
    gym.register(f"Check{_kind.__name__}-v0", _kind, max_episode_steps=50)


def lines_of(env_name: str, *more: str) -> list[str]:
    """The lines about an environment by itself, without the table of agents."""
    script = load_script("check_env")
    config, _ = script.parse_config(script.CheckConfig, [env_name, *more], "")
    return [str(finding) for finding in script.findings_of(config)[0]]


@pytest.mark.parametrize("continuous", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", EXPECTED, ids=lambda kind: kind.__name__)
def test_the_faults_of_odd_environments(kind: type[odd.Odd], continuous: bool) -> None:
    words, is_fault = EXPECTED[kind]
    lines = lines_of(odd.name(kind, continuous))
    found = [line for line in lines if words in line]
    assert found and all(line.startswith("FAULT: " if is_fault else "note: ") for line in found)
    assert not any("\n" in line for line in lines)


def test_all_ten_are_there() -> None:
    assert len(odd.TEN) == 10 and set(odd.TEN) <= EXPECTED.keys()


def test_every_line_has_what_where_and_how_to_fix_it() -> None:
    (line,) = [one for one in lines_of(odd.name(odd.NanReward, False)) if "nan" in one]
    assert line == (
        "FAULT: reward is nan (step 5 of episode 9 of random play); a run ends there: fix the task"
    )


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_one_fault_at_a_time(kind: type[Sound]) -> None:
    words, is_fault = OWN[kind]
    (line,) = [line for line in lines_of(f"Check{kind.__name__}-v0") if words in line]
    assert line.startswith("FAULT: " if is_fault else "note: ")


@pytest.mark.parametrize("env_name", ["CheckSound-v0", "CartPole-v1", "Pendulum-v1"])
def test_nothing_is_found_where_nothing_is_wrong(env_name: str) -> None:
    ours = [line for line in lines_of(env_name) if "Gymnasium's check_env" not in line]
    assert ours == []
    assert not any(line.startswith("FAULT") for line in lines_of(env_name))


def checked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = load_script("check_env").main(list(words))
    return status, *capsys.readouterr()


def test_status_and_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    with process_in(tmp_path):
        status, out, err = checked(capsys, TASK, "--env_kwargs", KWARGS)
    assert (status, err) == (0, "") and "nothing is found" in out
    assert "time limit    30 steps" in out and "steps a second" in out
    assert "dqn           run_hw3_dqn           yes\n" in out
    assert "portfolio     run_hw6               yes, with --members dqn,dqn\n" in out
    assert "sac           run_hw4_sac           no: hall:Hall-v0 has discrete actions" in out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["CartPol-v1"], "did you mean CartPole-v1"),
        (["absent:X-v0"], "there is no module absent"),
        (["CartPole-v1", "--env_kwargs", "{"], "takes a JSON object"),
        (["CartPole-v1", "--env_kwargs", '{"a": 1}'], "takes no a"),
    ],
)
def test_what_cannot_be_made_has_status_2(
    words: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = checked(capsys, *words)
    assert (status, out) == (2, "") and part in err and err.count("\n") == 1


def refusals(out: str) -> dict[str, str]:
    """Which agents cannot play, of the table, and why."""
    rows = [line.split(None, 2) for line in out.partition("Who can play it:\n")[2].splitlines()]
    assert [row[0] for row in rows] == list(registry.algorithms())
    return {name: answer for name, _, answer in rows if not answer.startswith("yes")}


@pytest.mark.slow
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("kind", odd.TEN, ids=lambda kind: kind.__name__)
def test_the_table_says_what_training_does(
    kind: type[odd.Odd], continuous: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.test_odd_environments import FAULTS, LEARN_FROM_IMAGES

    agents = CONTINUOUS if continuous else DISCRETE
    can = {experiment for name, (experiment, _) in agents.items()
           if kind is not odd.Images or name in LEARN_FROM_IMAGES}  # fmt: skip
    status, out, _ = checked(capsys, odd.name(kind, continuous))
    refused = refusals(out)
    if kind in FAULTS:
        can = set()
        assert all(FAULTS[kind] in refused[experiment] for experiment, _ in agents.values())
    assert refused.keys() == registry.algorithms().keys() - can
    assert status == 1  # their observations go on from one episode to the next
