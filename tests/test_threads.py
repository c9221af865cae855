"""A run takes one CPU thread unless more are asked for, and its settings record how many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from cs285.experiments import registry
from cs285.infrastructure.base.config import parse_config
from tests.running import load_script, only_run


@pytest.mark.parametrize("more", ["", "--threads 3"])
@pytest.mark.parametrize("algorithm", sorted(registry.algorithms()))
def test_one_thread_is_the_default_of_every_script(algorithm: str, more: str) -> None:
    experiment = registry.algorithms()[algorithm]
    config, _ = parse_config(experiment.config_class, more.split(), "")
    assert experiment.resolve(config).threads == (3 if more else 1)


@pytest.mark.slow
def test_a_resumed_run_computes_with_as_many_as_it_was_begun_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last bit of a sum depends on their number."""
    taken: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", taken.append)
    script = load_script("run_hw3_actor_critic")
    flags = "-n 1 -b 30 --eval_freq -1 --scalar_log_freq 1"
    for more in ([], ["--threads", "2"]):
        folder = tmp_path / str(len(more))
        assert script.main([*flags.split(), *more, "--data_dir", str(folder)]) == 0
        run_dir = only_run(folder)
        settings = json.loads((run_dir / "config.json").read_text())["settings"]
        assert script.main(["--resume", str(run_dir), "-n", "2"]) == 0
        assert settings["threads"] == (2 if more else 1)
    assert taken == [1, 1, 2, 2]
