"""What --members means: settings of one member are not another's."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from cs285.experiments import portfolio
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.logging.logger import read_log
from tests.running import ROOT, handout_commands, only_run


def members(words: str) -> list[Any]:
    """The members' configs, as a run has them after its flags are resolved."""
    config, _ = parse_config(portfolio.PortfolioConfig, shlex.split(words), "")
    resolved = portfolio.EXPERIMENT.resolve(config)
    return [member.config for member in portfolio.parse_members(resolved)]


def test_what_one_member_has_of_its_own_the_others_have_not() -> None:
    ddpg, td3 = members("--members ddpg:learning_starts=900:tau=0.1,td3")
    assert (ddpg.learning_starts, td3.learning_starts) == (900, 100)
    assert (ddpg.tau, td3.tau) == (0.1, 0.005)


def test_members_that_begin_to_learn_at_different_times_run(tmp_path: Path) -> None:
    words = "--members ddpg:learning_starts=40,td3 -b 16 --hid 8 --num_timesteps 130 --threads 1"
    words += " --eval_freq 100 --eval_episodes 1 --scalar_log_freq 50 --ep_len 25"
    assert portfolio.main([*words.split(), "--data_dir", str(tmp_path)]) == 0
    log = read_log(only_run(tmp_path))
    starts = np.array([40, 100])[log["Member"].astype(int)]
    np.testing.assert_array_equal(log["Num_Param_Updates"], (log["Step"] - starts).clip(min=0))


def test_a_flag_is_everybodys_but_where_a_member_says_otherwise() -> None:
    td3, sac = members("--members td3:discount=0.9,sac --discount 0.95 -b 32 --learning_starts 7")
    assert (td3.discount, sac.discount) == (0.9, 0.95)
    assert (td3.batch_size, td3.learning_starts) == (32, 7) == (sac.batch_size, sac.learning_starts)


def test_layers_of_a_member_stand_in_brackets() -> None:
    td3, sac, ddpg = members('--members "td3:hidden=[64,32],sac,ddpg:hidden=[8]" --hid 16,16')
    sizes = [config.hidden_sizes() for config in (td3, sac, ddpg)]
    assert sizes == [(64, 32), (16, 16), (8,)]


def test_what_was_measured_is_what_the_handout_asks_for() -> None:
    apart = dict.fromkeys(("seed", "threads", "eval_freq", "scalar_log_freq"))

    def settings(command: str) -> dict[str, Any]:
        config, _ = parse_config(portfolio.PortfolioConfig, shlex.split(command)[2:], "")
        return dataclasses.asdict(config) | apart

    asked = {held["exp_name"]: held for held in map(settings, handout_commands("hw6"))}
    data = ROOT / "docs/results/data/hw6_runs.jsonl"
    runs = [json.loads(line) for line in data.read_text().splitlines()]
    both = [run for run in runs if run["run"] in asked]
    assert len(both) == 4 * 5 + 3 * 3  # questions 2 and 3, but for own experience, have five
    for run in both:
        assert settings(run["command"]) == asked[run["run"]]
