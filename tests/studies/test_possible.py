"""What values are possible: the table, the flag, and every stored comparison."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import SCALARS
from scripts import compare
from studies import page, possible
from studies.comparison import Comparison
from studies.measures import ANY, Estimate
from tests.running import ROOT, run
from tests.scripts.test_results_pages import loaded


def settings(env_name: str, **more: Any) -> dict[str, Any]:
    return {"env_name": env_name, "ep_len": None, **more}


@pytest.mark.parametrize(
    ("of", "ends"),
    [
        (settings("CartPole-v0"), (0, 200)),
        (settings("CartPole-v1"), (0, 500)),
        (settings("CartPole-v1", ep_len=50), (0, 50)),
        (settings("CartPole-v1", ep_len=50, frame_history_len=1), (0, 500)),  # a film's length
        (settings("InvertedPendulum-v5"), (0, 1000)),
        (settings("Pendulum-v1"), (pytest.approx(-3254.72, abs=0.01), 0)),
        (settings("MsPacman-v0"), (0, math.inf)),
        (settings("PongNoFrameskip-v4"), (-21, 21)),
        (settings("HalfCheetah-v5"), ANY),
        (settings('CartPole-v1 {"sutton_barto_reward": true}'), ANY),
        (settings("mine:CartPole-v1"), ANY),
    ],
)
def test_returns_of_a_task_are_known(of: dict[str, Any], ends: Any) -> None:
    assert possible.of_returns(of) == ends
    assert possible.of_column("Eval_AverageReturn", [of]) == ends


def test_columns_have_bounds_of_their_own() -> None:
    runs = [settings("CartPole-v1"), settings("CartPole-v1", ep_len=50)]
    assert possible.of_column("Eval_AverageReturn", runs) == (0, 500), "the widest of the runs"
    assert possible.of_column("Eval_StdReturn", runs) == (0, 500)
    assert possible.of_column("Clip_Fraction", runs) == (0, 1)
    assert possible.of_column("Explained_Variance", runs) == (-math.inf, 1)
    assert possible.of_column("Actor_Loss", runs) == possible.of_column("my_own", runs) == ANY
    assert set(possible.TABLE["unit"]) <= {unit for unit, *_ in SCALARS.values()}


@pytest.mark.parametrize("kind", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1", "MountainCar-v0"])
def test_rewards_of_random_play_are_possible(kind: str) -> None:
    low, high = possible.TABLE["reward of a step"][kind.rpartition("-")[0]]
    env = gymnasium.make(kind)
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(500):
        _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        assert low <= float(reward) <= high
        if terminated or truncated:
            env.reset()


@pytest.mark.parametrize(
    ("text", "ends"),
    [("0,1", (0, 1)), (",0", (-math.inf, 0)), ("-21,", (-21, math.inf)), (",", ANY)],
)
def test_a_flag_says_what_is_possible(text: str, ends: tuple[float, float]) -> None:
    assert possible.parsed(text) == ends


@pytest.mark.parametrize("text", ["1", "1,0", "0,0", "a,b", "0,1,2", "nan,1"])
def test_a_flag_that_says_nothing_gets_one_line(text: str) -> None:
    with pytest.raises(UserError, match="write --possible=LOW,HIGH"):
        possible.parsed(text)


def test_a_value_that_is_not_possible_is_refused(tmp_path: Path) -> None:
    (folder, *_) = sorted((ROOT / "docs/results/data").glob("hw4_q1_ddpg_*"))
    words = f"python scripts/compare.py {folder} --possible=0,1 -o {tmp_path / 'page.html'}"
    status, _, error = run(words)
    assert status == 2 and len(error.strip().splitlines()) == 1
    assert "0 to 1 was thought possible: give --possible=LOW,HIGH" in error


# ------------------------------------------------------------------ every stored comparison


def stored_commands() -> list[list[str]]:
    """Returns the words of each; leaves the path of imports as it is, which the script changes."""
    before = list(sys.path)
    try:
        return list(loaded("build").commands(ROOT))
    finally:
        sys.path[:] = before


STORED = stored_commands()


def estimates(comparison: Comparison) -> list[tuple[Estimate, float, float]]:
    """Returns all numbers that a page has, each with what is possible."""
    found = []
    for task, (low, high) in comparison.possible.items():
        for row in page.rows(comparison, comparison.on(task)):
            found += [(row[name], low, high) for name in ("final", "iqm", "area")]
    for row in page.overall(comparison):
        found += [(row[name], 0.0, 1.0) for name in ("iqm", "mean")]
    for pair in comparison.pairs:
        low, high = (
            comparison.possible[next(iter(pair.seeds))] if len(pair.seeds) == 1 else (0.0, 1.0)
        )
        found.append((pair.difference, low - high, high - low))
    return found


@pytest.mark.parametrize("words", STORED, ids=lambda words: Path(words[-1]).stem)
def test_stored_comparisons_keep_to_what_is_possible_and_name_their_measures(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    args, _ = parse_config(compare.CompareConfig, words, "")
    comparison, _ = compare.compared(args)
    for task, ends in comparison.possible.items():
        unknown = ("HalfCheetah", "Hopper", "Walker2d", "LunarLander", "CourseLander")
        assert (ends == ANY) == task.startswith(unknown), "possible.json has the others"
    for one, low, high in estimates(comparison):
        if one.needs:
            assert math.isnan(one.value) and str(one) == "8 seeds needed"
            continue
        numbers = [one.value, *(one.ends or ())]
        assert low <= min(numbers) and max(numbers) <= high
    for entry in comparison.entries:
        low, high = comparison.possible[entry.task]
        assert low <= entry.y.min() and entry.y.max() <= high, "bands"
    assert all(pair.verdict.split(":")[0].endswith("at the end") for pair in comparison.pairs)
    compare.tell(comparison)
    stored = re.sub(r"<(svg|style).*?</\1>", "", Path(args.output).read_text(), flags=re.DOTALL)
    for text in (capsys.readouterr().out, stored):
        assert not re.findall(r"no verdict:|better[\n<:]|no difference shown[\n<:]", text)
    for crossed in comparison.crossings:
        assert f"<li>{crossed}</li>" in stored
