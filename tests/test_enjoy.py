"""A saved policy plays again, as it was when it was saved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from cs285.infrastructure.logging.films import GIF_BYTES
from tests.running import load_script, only_run

RUNS = {
    "run_hw3_actor_critic": "-n 2 -b 60 -eb 30",
    "run_hw3_dqn": "--env_name LunarLander-v3 --num_timesteps 300 --learning_starts 50",
}


@pytest.mark.parametrize("script", RUNS)
@pytest.mark.slow
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
    config = json.loads((run_dir / "config.json").read_text())
    del config["settings"]["eval_batch_size"]  # as if an older version had begun the run
    (run_dir / "config.json").write_text(json.dumps(config))
    scores = [line for line in filmed.splitlines() if not line.startswith("  ")]
    assert out.splitlines() == scores  # filming changes nothing
    played = [line.split(": ")[1] for line in scores[:2]]
    for number, score in enumerate(played, start=1):
        (film,) = (run_dir / "videos").glob(f"episode_{number}_return_*.webm")
        message = float(film.stem.rpartition("_")[2])
        assert message == pytest.approx(float(score.replace(",", "")), abs=0.5)  # the screen rounds
        assert film.stat().st_size > 1000
        with Image.open(film.with_suffix(".gif")) as picture:
            assert picture.n_frames > 3 and picture.width <= 320
            assert film.with_suffix(".gif").stat().st_size <= GIF_BYTES
        assert film.with_suffix(".json").exists()  # what the policy chose by, frame by frame
    assert enjoy.main([str(run_dir), "-n", "1", "--seed", "4", "--film", "--untrained"]) == 0
    assert list((run_dir / "videos").glob("untrained_1_*.webm"))
    assert '"name":"untrained 1"' in (run_dir / "run.html").read_text(encoding="utf-8")


def test_spinning_ups_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = "-n 3 -b 400 -eb 30 --scalar_log_freq 1 --save_params"
    script = load_script("run_hw3_actor_critic")
    assert script.main([*flags.split(), "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    capsys.readouterr()
    enjoy = load_script("enjoy")

    def scores(words: str) -> list[str]:
        assert enjoy.main([str(run_dir), *words.split()]) == 0, words
        return [line for line in capsys.readouterr().out.splitlines() if "episode" in line]

    assert scores("-n 2 -l 7 -nr") == ["episode 1: 7", "episode 2: 7"]
    assert scores("-i 3") == scores("")  # the last
    assert scores("-i 1") != scores("")
    # A fixed start and no chance: whatever else is drawn, the same again.
    assert scores("-d -n 3") == scores("-d -n 3 --seed 0")
    assert scores("-d -n 3") != scores("-n 3")
    for words, message in {
        "-nr --window": "leave one out",
        "-i 9": "policy_000000009.safetensors is not there: the run has saved no policy of that",
        "-i 1 --weights best_policy.safetensors": "leave one out",
        "-l -1": "--len takes a number from 0",
    }.items():
        assert enjoy.main([str(run_dir), *words.split()]) == 2
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1


OTHERS = {
    "run_hw2": "-n 2 -b 60 -eb 30",
    "run_hw4_td3": "--num_timesteps 300 --learning_starts 50 -b 32 --env_name Pendulum-v1",
    "run_hw4_sac": "--num_timesteps 300 --learning_starts 50 -b 32 --env_name Pendulum-v1",
    "run_hw5_ppo": "-n 2 -b 60 -eb 30 -mb 20",
    "run_hw6": "--num_timesteps 300 --learning_starts 50 -b 8 --eval_freq -1 --members dqn,dqn "
    "--env_name CartPole-v1",
}


@pytest.mark.slow
@pytest.mark.parametrize("script", OTHERS)
def test_policies_of_all_homeworks_play(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_script(script).main([*OTHERS[script].split(), "--data_dir", str(tmp_path)]) == 0
    capsys.readouterr()
    run_dir = only_run(tmp_path)
    assert load_script("enjoy").main([str(run_dir), "-n", "1"]) == 0
    assert "episode 1: " in capsys.readouterr().out
    # Those of all networks together are no policy.
    assert load_script("enjoy").main([str(run_dir), "--weights", "weights.safetensors"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1 and "policy" in error


@pytest.mark.parametrize("script", ["run_hw9", "plot", "../setup"])
def test_a_run_of_an_unknown_script_is_refused(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(f'{{"script": "{script}", "settings": {{}}}}')
    assert load_script("enjoy").main([str(tmp_path)]) == 2
    assert f"scripts/{script}.py, which is not here" in capsys.readouterr().err
