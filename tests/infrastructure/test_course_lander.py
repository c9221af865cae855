"""The course's own lander: its numbers by hand, its ends, and how ten seeds go."""

from __future__ import annotations

import importlib.util
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cs285.infrastructure.environments import course_lander, env_by_id, envs
from cs285.infrastructure.environments.course_lander import CourseLander
from tests.running import ROOT, load_script, only_run, run

NAME = "CourseLander-v0"
COAST = 1
GOLDEN = json.loads(Path(__file__).with_name("course_lander.json").read_text())
PADS = [-0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8]


def begun(seed: int = 0, **settings: Any) -> CourseLander:
    env = CourseLander(**settings)
    env.reset(seed=seed)
    return env


def move(env: CourseLander, x: float, y: float) -> None:
    """Puts the lander's body at rest at (x, y) metres, and the legs where they are on it."""
    shift = np.array([x, y]) - np.array(env.lander.position)
    for body in (env.lander, *env.legs):
        body.position = tuple(map(float, np.array(body.position) + shift))
        body.linearVelocity, body.angularVelocity = (0.0, 0.0), 0.0


def over_pad(env: CourseLander, height: float) -> None:
    """Puts the lander at rest over the pad's middle; `height` in m, 0 where it is on a pad."""
    middle = (env.helipad_x1 + env.helipad_x2) / 2
    move(env, middle, env.helipad_y + course_lander.LEG_DOWN / course_lander.SCALE + height)


def coast_to_the_end(env: CourseLander) -> tuple[np.ndarray, float, bool]:
    """Lets the lander fall; returns the last observation, reward, and whether the task ended."""
    for _ in range(500):
        obs, reward, terminated, truncated, _ = env.step(COAST)
        assert not truncated
        if terminated:
            break
    return obs, reward, terminated


# ---------------------------------------------------------------- what it is


def test_its_spaces_and_limit() -> None:
    env = envs.make_env(NAME)
    assert env.observation_space.shape == (9,)
    assert env.observation_space.dtype == np.float32
    assert env.action_space == gym.spaces.Discrete(6)
    assert envs.most_steps(NAME, None) == 1000


def test_box2d_is_imported_only_when_one_is_made() -> None:
    code = (
        "import sys; from cs285.infrastructure.environments import envs, env_by_id;"
        f"env_by_id.find_spec('{NAME}'); assert 'Box2D' not in sys.modules;"
        f"envs.make_env('{NAME}'); assert 'Box2D' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("action", "main", "side", "fuel"),
    [
        (0, -1.0, -0.75, 0.0225),
        (1, -1.0, 0.0, 0.0),
        (2, -1.0, 0.75, 0.0225),
        (3, 0.75, -0.75, 0.2625 + 0.0225),  # 0.3 times a power of (1 + 0.75) / 2
        (4, 0.75, 0.0, 0.2625),
        (5, 0.75, 0.75, 0.2625 + 0.0225),
    ],
)
def test_an_action_is_engines_of_gymnasiums_continuous_lander(
    action: int, main: float, side: float, fuel: float
) -> None:
    course = begun(seed=3)
    other = gym.make("LunarLanderContinuous-v3").unwrapped
    other.reset(seed=3)
    before = course_lander.shaping(course._state())
    for env in (course, other):
        env.np_random = np.random.default_rng(5)  # the engines' noise
    obs, reward, *_ = course.step(action)
    expected, *_ = other.step(np.array([main, side]))
    expected[1] *= 400 / 600  # by half the screen's width here, by half its height there
    np.testing.assert_allclose(obs[:8], expected, rtol=1e-6, atol=1e-7)
    gain = course_lander.shaping(course._state()) - before
    assert gain - reward == pytest.approx(fuel, abs=1e-9)


def test_what_is_no_action_is_refused() -> None:
    with pytest.raises(AssertionError, match="6 is none of 0 to 5"):
        begun().step(6)


def test_shaping_by_hand() -> None:
    # 0.5 from the pad, a speed of 0.1, an angle of 0.2, one leg down.
    state = [0.7, 0.4, 0.06, -0.08, -0.2, 9.0, 0.0, 1.0, 0.4]
    assert course_lander.shaping(state) == pytest.approx(-50 - 10 - 20 + 10)
    state[8] = 1.0
    assert course_lander.shaping(state) == pytest.approx(-50 - 10 - 20 + 10)
    state[7] = 0.0
    assert course_lander.shaping(state) == pytest.approx(-80)


# ---------------------------------------------------------------- the pad


def test_the_ninth_observation_is_the_pads_place() -> None:
    env, seen = CourseLander(), []
    for seed in range(200):
        obs, _ = env.reset(seed=seed)
        middle = (env.helipad_x1 + env.helipad_x2) / 2
        assert obs[8] == pytest.approx((middle - 10) / 10, abs=1e-6)
        assert env.helipad_x2 - env.helipad_x1 == pytest.approx(4)  # two stretches of ground
        assert env.step(COAST)[0][8] == obs[8]
        seen.append(round(float(obs[8]), 6))
    assert sorted(set(seen)) == PADS
    # Of nine equally likely places each comes 22 times of 200, with a deviation of 4.4.
    assert max(map(seen.count, PADS)) < 22 + 4 * 4.4 and min(map(seen.count, PADS)) > 22 - 4 * 4.4


@pytest.mark.parametrize("seed", range(10))
def test_the_ground_is_level_between_the_flags(seed: int) -> None:
    env = begun(seed)
    for (x1, y1), (x2, y2), *_ in env.sky_polys:
        level = y1 == pytest.approx(y2)
        inside = env.helipad_x1 - 1e-6 <= x1 and x2 <= env.helipad_x2 + 1e-6
        assert level == inside
        if inside:
            assert y1 == pytest.approx(0.99 * 400 / 30 / 4)
    edges = {tuple(map(tuple, fixture.shape.vertices)) for fixture in env.moon.fixtures}
    drawn = {tuple(map(tuple, np.float32(edge[:2]).tolist())) for edge in env.sky_polys}
    assert len(edges) == 11 and drawn < edges  # what is drawn is what is touched


def test_a_picture_shows_the_flags_where_the_pad_is() -> None:
    for seed in range(4):
        env = begun(seed, render_mode="rgb_array")
        picture = env.render()
        assert picture.shape == (400, 600, 3)
        yellow = np.flatnonzero((picture == (204, 204, 0)).all(axis=2).any(axis=0))
        left, right = round(env.helipad_x1 * 30), round(env.helipad_x2 * 30)
        expected = {*range(left, left + 26), *range(right, right + 26)} & {*range(600)}
        assert len(expected ^ {*yellow.tolist()}) <= 4  # the tips of flags are thin


# ---------------------------------------------------------------- ends


def test_a_crash_costs_100() -> None:
    env = begun()
    obs, reward, terminated = coast_to_the_end(env)
    assert (reward, terminated) == (-100, True)
    assert env.game_over and abs(obs[0]) < 1


@pytest.mark.parametrize("speed", [-40.0, 40.0])
def test_leaving_the_screen_costs_100(speed: float) -> None:
    env = begun()
    for body in (env.lander, *env.legs):
        body.linearVelocity = (speed, 0.0)
    obs, reward, terminated = coast_to_the_end(env)
    assert (reward, terminated) == (-100, True)
    assert np.sign(speed) * obs[0] >= 1 and not env.game_over


@pytest.mark.parametrize("seed", range(5))
def test_both_legs_on_the_pad_earn_100_and_end(seed: int) -> None:
    env = begun(seed)
    over_pad(env, 0.1)
    before = []
    for _ in range(100):
        obs, reward, terminated, *_ = env.step(COAST)
        if terminated:
            break
        before.append(obs)
    assert (reward, terminated) == (100, True)
    assert obs[6:8].tolist() == [1, 1] and obs[1] <= 0
    assert env.lander.awake  # the end is that of the landing, not of rest
    assert not any(old[6] and old[7] and old[1] <= 0 for old in before)


def test_both_legs_beside_the_pad_do_not_end_and_rest_pays_nothing() -> None:
    env = begun(seed=4)  # the pad is right of the middle
    over_pad(env, 0.05)
    env.helipad_x1, env.helipad_x2 = env.helipad_x1 - 4.5, env.helipad_x2 - 4.5
    both = 0
    for _ in range(500):
        obs, reward, terminated, *_ = env.step(COAST)
        if terminated:
            break
        both += obs[6] and obs[7]
    assert both > 50
    assert terminated and not env.lander.awake
    assert abs(reward) < 1


def test_rest_on_the_pad_earns_100_whatever_the_legs_report() -> None:
    env = begun()
    over_pad(env, -0.01)
    env.lander.awake = False
    for leg in env.legs:
        leg.awake = False
    obs, reward, terminated, *_ = env.step(COAST)
    assert (reward, terminated) == (100, True)
    assert obs[6:8].tolist() == [0, 0]


def test_a_thousand_steps_are_the_limit_and_cut() -> None:
    env = envs.make_env(NAME, discount=0.99)
    env.reset(seed=0)
    task: Any = env.unwrapped
    task.world.gravity, task.lander.sleepingAllowed = (0, 0), False
    move(task, 10, 10)  # it stays there
    ends = [env.step(COAST)[2:4] for _ in range(1000)]
    assert ends[:-1] == [(False, False)] * 999
    assert ends[-1] == (False, True)


# ---------------------------------------------------------------- runs


def played(seed: int, actions: str) -> dict[str, Any]:
    """Plays one digit after the other, to the end; returns a line of course_lander.json."""
    env = CourseLander()
    obs, _ = env.reset(seed=seed)
    rewards, seen = [0.0], [obs]
    for action in actions:
        obs, reward, terminated, *_ = env.step(int(action))
        rewards.append(reward)
        seen.append(obs)
    kept = [*range(0, len(actions), 25), len(actions)]
    return {
        "seed": seed,
        "actions": actions,
        "steps": {step: [*seen[step].tolist(), rewards[step]] for step in kept},
        "return": sum(rewards),
        "ended": terminated,
    }


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: str(golden["seed"]))
def test_ten_seeds_go_as_they_did(golden: dict[str, Any]) -> None:
    """Five at random, five flown by a controller, whose actions are stored.

    Box2D computes in float32, so another compiler may round the sixth digit otherwise. Until the
    ground is touched such differences grow little; 1e-3 of an observation is 0.1 of a reward.
    """
    now = played(golden["seed"], golden["actions"])
    assert now["ended"] == golden["ended"]
    for step, expected in golden["steps"].items():
        np.testing.assert_allclose(now["steps"][int(step)][:9], expected[:9], atol=1e-3)
        assert now["steps"][int(step)][9] == pytest.approx(expected[9], abs=0.1)
    assert now["return"] == pytest.approx(golden["return"], abs=0.5)


def test_the_golden_runs_end_in_both_ways() -> None:
    last = [list(golden["steps"].values())[-1][9] for golden in GOLDEN]
    assert len(GOLDEN) == 10 and last.count(100) >= 4 and last.count(-100) >= 4
    assert len({golden["steps"]["0"][8] for golden in GOLDEN}) >= 4  # pads


def test_a_seed_is_the_same_run_in_a_used_environment_too() -> None:
    used = begun(seed=1)
    coast_to_the_end(used)
    fresh = CourseLander()
    for env in (used, fresh):
        env.reset(seed=8)
    for action in map(int, GOLDEN[0]["actions"]):
        one, other = used.step(action), fresh.step(action)
        assert one[0].tobytes() == other[0].tobytes()
        assert one[1:4] == other[1:4]


def test_a_copy_is_the_same_task() -> None:
    copy = pickle.loads(pickle.dumps(CourseLander("rgb_array")))
    assert type(copy) is CourseLander
    assert copy.render_mode == "rgb_array"


def test_check_env_finds_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert load_script("check_env").main([NAME, "-n", "300"]) == 0
    out = capsys.readouterr().out
    assert "FAULT" not in out
    for agent in ("dqn", "ppo", "vpg", "actor_critic", "trpo"):
        assert f"{agent} " in out


@pytest.mark.slow
def test_dqn_trains_on_it_with_the_landers_preset_and_is_filmed(tmp_path: Path) -> None:
    flags = "--num_timesteps 300 --learning_starts 100 --scalar_log_freq 100 --threads 1"
    status, _, err = run(
        f"python scripts/run_hw3_dqn.py --env_name {NAME} {flags} --exp_name x",
        *("--data_dir", str(tmp_path)),
    )
    assert status == 0, err
    run_dir = only_run(tmp_path)
    settings = json.loads((run_dir / "config.json").read_text())["settings"]
    assert (settings["target_update_freq"], settings["discount"]) == (3000, 1.0)
    status, _, err = run(f"python scripts/enjoy.py {run_dir} -n 1 --film -l 50")
    assert status == 0, err
    assert list(run_dir.glob("**/*.webm"))


def test_a_second_copy_of_the_module_registers_nothing_again() -> None:
    """The grader imports a student's copy beside ours. Gymnasium would warn: an error here."""
    spec = importlib.util.spec_from_file_location("making_again", env_by_id.__file__)
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
