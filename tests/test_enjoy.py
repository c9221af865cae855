"""A saved policy plays again, as it was when it was saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import load_script, only_run

RUNS = {
    "run_hw3_actor_critic": "-n 2 -b 60 -eb 30",
    "run_hw3_dqn": "--env_name LunarLander-v3 --num_timesteps 300 --learning_starts 50",
}


@pytest.mark.parametrize("script", RUNS)
def test_policy_plays_and_is_filmed(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_script(script).main([*RUNS[script].split(), "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    capsys.readouterr()
    enjoy = load_script("enjoy")
    assert enjoy.main([str(run_dir), "-n", "2", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert enjoy.main([str(run_dir), "-n", "2", "--seed", "4", "--film"]) == 0
    filmed = capsys.readouterr().out
    assert out.count("episode") == 2
    scores = [line for line in filmed.splitlines() if not line.startswith("  ")]
    assert out.splitlines() == scores  # filming changes nothing
    videos = list((run_dir / "videos").glob("enjoy*.mp4"))
    assert len(videos) == 2
    assert all(video.stat().st_size > 1000 for video in videos)
