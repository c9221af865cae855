"""What `diagnose` prints, and what it does with files that are no run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from autograder.__main__ import main
from autograder.diagnose.record import AGENTS
from autograder.diagnose.shown import BLOCKS, PLAIN, sparkline
from autograder.grading.explained import WIDTH
from cs285.infrastructure.logging.logger import SCALARS
from tests.autograder.diagnose.made_runs import columns, write_log, write_run
from tests.running import ROOT, arguments, diagnosis, load_script, only_run, run

LOG, CONFIG = "log.csv", "config.json"

NUMBERS = ("discount", "learning_rate", "batch_size", "buffer_size", "num_timesteps", "tau")
NUMBERS += ("learning_starts", "learning_freq", "target_update_freq", "exploration_noise")


def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["diagnose", str(folder)]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.startswith("autograder: ") and error.count("\n") == 1
    return error


def test_a_healthy_run_shows_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diagnose", str(write_run(tmp_path / "run"))]) == 0
    out = capsys.readouterr().out
    assert "Nothing is found" in out and "Q_Mean" in out and "10 -> 70" in out
    assert max(map(len, out.splitlines())) <= WIDTH


def test_an_ill_run_shows_evidence_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "run", log={"Exploration_Epsilon": 1.0})
    assert main(["diagnose", str(folder), "--json", str(tmp_path / "found.json")]) == 1
    out = capsys.readouterr().out
    for reported in ("Exploration never falls", "certain", "Exploration_Epsilon", "Look next"):
        assert reported in out
    assert max(map(len, out.splitlines())) <= WIDTH
    found = json.loads((tmp_path / "found.json").read_text())
    assert [one["name"] for one in found["findings"]] == ["exploration_stuck"]
    assert found["algorithm"] == "DQN" and found["rows"] == 12


def test_the_findings_are_on_the_page_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "run", log={"Exploration_Epsilon": 1.0})
    assert main(["diagnose", str(folder), "--html"]) == 1
    assert f"page: {folder / 'run.html'}" in capsys.readouterr().out
    page = (folder / "run.html").read_text(encoding="utf-8")
    assert "Exploration never falls" in page and '"sure":"certain"' in page
    assert main(["diagnose", str(write_run(tmp_path / "well")), "--html"]) == 0
    assert '"findings":[]' in (tmp_path / "well" / "run.html").read_text(encoding="utf-8")


def test_what_only_evaluations_tell_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(ROOT / "docs/results/data/sb3_sac_HalfCheetah-v5_seed1")]) == 0
    out = capsys.readouterr().out
    assert "-1.873 -> 4667" in out
    assert "The returns rise" in out


def test_without_returns_nothing_is_said_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = {f"{kind}_AverageReturn": np.nan for kind in ("Train", "Eval")}
    assert main(["diagnose", str(write_run(tmp_path / "run", log=log))]) == 0
    assert "too few returns to say" in capsys.readouterr().out


def test_plots_are_plain_where_the_terminal_is(tmp_path: Path) -> None:
    assert sparkline([0, 1, 2, 3], BLOCKS) == "\u2581\u2583\u2586\u2588"
    assert sparkline([0.0] * 40, PLAIN) == "_" * 16
    assert sparkline([], PLAIN) == ""
    assert sparkline([-1e308, 1e308], PLAIN) == "__"


def test_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such folder" in refused(tmp_path / "none", capsys)
    assert "config.json is not there" in refused(tmp_path, capsys)
    folder = write_run(tmp_path / "run")
    (folder / "log.csv").unlink()
    assert "log.csv is not there" in refused(folder, capsys)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        (LOG, "", "0 whole rows"),
        (LOG, "Step,Eval_AverageReturn\n", "0 whole rows"),
        (LOG, "Step,Eval_AverageReturn\n1,2\n", "1 row, too few"),
        (LOG, "Step,Eval_AverageReturn\n1,2\n2\n", "line 3 is not 2 numbers"),
        (LOG, "Step,Eval_AverageReturn\n1,2\n2,x\n", "line 3 is not 2 numbers"),
        (LOG, "a\n1\n2\n", "names of its columns"),
        (LOG, "Step,Step\n1,1\n2,2\n", "names of its columns"),
        (LOG, "Step\n" + "1\n" * 30_000, "30,000 whole rows"),
        (LOG, "Step\n" + "1" * 2**23, "larger than"),
        (LOG, "Step," + "a" * 2**20 + "\n1,1\n2,2\n", None),
        (LOG, "Step\nnan\ninf\n", None),
        (LOG, "Step,Q_Max,Q_Mean\n1,1e308,-1e308\n2,inf,nan\n", None),
        (CONFIG, "", "no JSON"),
        (CONFIG, "[1]", "no JSON object"),
        (CONFIG, "{}", "no settings"),
        (CONFIG, '{"settings": {"seed": 1, "a": [1]}}', "no plain values"),
        (CONFIG, '{"settings": {"seed": 1, "a": NaN}}', "no JSON"),
        (CONFIG, "[" * 10_000, "nested too deep"),
        (CONFIG, '{"settings": {"seed": 1, "discount": "x", "batch_size": true}}', None),
        (CONFIG, '{"settings": {"seed": 1, "discount": 1e308, "learning_rate": -1e308}}', None),
        (
            CONFIG,
            '{"script": "run_hw3_dqn", "settings": {"seed": 1, "env_name": "\\u001b[31m"}}',
            None,
        ),
    ],
)
def test_damaged_logs_and_settings(
    file: str, text: str, words: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "run")
    (folder / file).write_text(text)
    if words:
        assert words in refused(folder, capsys)
    else:
        assert main(["diagnose", str(folder)]) in (0, 1)
        assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x" * 100,
        b"\xff" * 8 + b"{}",
        (2).to_bytes(8, "little") + b"[]",
        (40).to_bytes(8, "little") + b'{"a":{"dtype":"F32","shape":[9]}}       ',
    ],
)
def test_damaged_weights_are_told_and_left_out(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "run")
    (folder / "weights.safetensors").write_bytes(data)
    assert main(["diagnose", str(folder)]) == 0
    assert "Note: weights.safetensors contains no weights" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_links_are_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run(tmp_path / "run")
    (folder / "weights.safetensors").unlink()
    os.mkfifo(folder / "weights.safetensors")
    assert main(["diagnose", str(folder)]) == 0
    assert "no plain file" in capsys.readouterr().out
    (folder / "log.csv").rename(tmp_path / "log.csv")
    (folder / "log.csv").symlink_to(tmp_path / "log.csv")
    assert "links are not followed" in refused(folder, capsys)


def test_a_log_may_lack_any_column(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    for name in columns("DQN"):
        if name != "Step":
            write_log(folder, {n: c for n, c in columns("DQN").items() if n != name})
            assert main(["diagnose", str(folder)]) == 0, name


def test_any_numbers_are_borne(tmp_path: Path) -> None:
    rng, folder = np.random.default_rng(0), write_run(tmp_path / "run")
    odd = [0.0, -1.0, 1e308, -1e308, 1e-308, np.inf, -np.inf, np.nan, 1.0, 200.0]
    for script in AGENTS:
        for _ in range(5):
            names = [name for name in SCALARS if rng.random() < 0.7 and name != "Step"]
            write_log(folder, {name: rng.choice(odd, 3) for name in ["Step", *names]})
            held = {"seed": 1} | {name: float(rng.choice(odd[:5])) for name in NUMBERS}
            document = {"script": script, "settings": held}
            (folder / "config.json").write_text(json.dumps(document))
            assert main(["diagnose", str(folder)]) in (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ("", 0, "Nothing is found"),
        ("--exploration 1.0", 1, "Exploration never falls"),
        ("--learning_starts 9000", 1, "Learning never began"),
        ("-lr 0.3", 1, "The learning rate is too high"),
        ("--eval_freq 250 --target_return -1000", 0, "Learning has not begun"),  # stops at once
    ],
)
def test_runs_that_were_really_trained(
    more: str, status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "python scripts/run_hw3_dqn.py --env_name CartPole-v1 --num_timesteps 3000 "
    command += "--learning_starts 500 --target_update_freq 100 --exploration 0:1,1500:0.05 "
    command += "--discount 0.99 --scalar_log_freq 250 --no_gpu"
    words_of_run = [*arguments(f"{command} {more}"), "--data_dir", str(tmp_path / "data")]
    assert load_script("run_hw3_dqn").main(words_of_run) == 0
    capsys.readouterr()
    folder = str(only_run(tmp_path / "data"))
    assert main(["diagnose", folder]) == status
    assert words in capsys.readouterr().out
    if not more:  # the command as the handouts have it, once
        done, out, _ = run(diagnosis(), folder)
        assert done == status and words in out
