"""Settings: what a command line may say, what is stored, and what a resumed run may change."""

from __future__ import annotations

import dataclasses
import errno
import json
import math
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cs285.infrastructure.base import config as config_module
from cs285.infrastructure.base.config import (
    cli,
    config_from_dict,
    parse_config,
    read_config_json,
    write_config_json,
)
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import flag
from cs285.infrastructure.training.open_run import reconcile


@dataclasses.dataclass(frozen=True)
class Base:
    resume: str | None = flag(None, "run folder to go on with")


@dataclasses.dataclass(frozen=True)
class Config(Base):
    env_name: str = flag("MsPacman-v0", "environment id")
    n_iter: int = flag(200, "iterations, 100 % of them", "-n", positive=True)
    num_target_updates: int = flag(10, "target updates", "-ntu", positive=True)
    which_gpu: int = flag(0, "number of the GPU", "-gpu_id", low=0)
    learning_rate: float | None = flag(
        None, "Adam step size; default: the preset's", "-lr", positive=True
    )
    threads: int | None = flag(None, "CPU threads", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    no_gpu: bool = flag(False, "stay on the CPU", "-ngpu")
    precision: str = flag("fp32", "arithmetic", choices=("fp32", "bf16"))
    video_log_freq: int = flag(-1, "iterations between videos; -1: never")


def parse(line: str) -> tuple[Config, set[str]]:
    return parse_config(Config, line.split(), "A script.")


# ---------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {}),
        ("-n 100", {"n_iter": 100}),
        ("-n 100 -ntu 7", {"n_iter": 100, "num_target_updates": 7}),
        ("--n_iter=3 -ngpu", {"n_iter": 3, "no_gpu": True}),
        ("--no_gpu -gpu_id 2", {"no_gpu": True, "which_gpu": 2}),
        ("-lr 1e-4 --threads 2", {"learning_rate": 1e-4, "threads": 2}),
        ("--learning_rate 1", {"learning_rate": 1.0}),
        ("--discount 0", {"discount": 0.0}),
        ("--video_log_freq -1", {"video_log_freq": -1}),
        (
            "--env_name ALE/Pong-v5 --precision bf16",
            {"env_name": "ALE/Pong-v5", "precision": "bf16"},
        ),
        ("-n 1 -n 2", {"n_iter": 2}),
        ("-n 5e2", {"n_iter": 500}),
        ("-n 1.5E3", {"n_iter": 1500}),
        ("-n 200", {"n_iter": 200}),  # equal to the default, and yet explicitly given
    ],
)
def test_flags_set_their_fields(line: str, expected: dict[str, Any]) -> None:
    config, explicit = parse(line)
    assert config == dataclasses.replace(Config(), **expected)
    assert explicit == set(expected)
    for name, value in expected.items():
        assert type(getattr(config, name)) is type(value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--n_itr 5", "unknown flag --n_itr, did you mean --n_iter"),
        ("--num-target-updates 5", "did you mean --num_target_updates"),
        ("-nt 5", "unknown flag -nt, did you mean -ntu"),
        ("-n5", "unknown flag -n5, did you mean -n"),
        ("-gpu 1", "unknown flag -gpu, did you mean -gpu_id"),  # argparse would guess
        ("--env Pong", "unknown flag --env, did you mean --env_name"),
        ("--zzz", "unknown flag --zzz; --help"),
        ("--env_name -zzz", "unknown flag -zzz"),
        ("-n", "--n_iter.*expected one argument"),
        ("-ngpu 1", "unrecognized arguments: 1"),
        ("stray", "unrecognized arguments: stray"),
        ("-n five", "--n_iter takes a whole number, not 'five'"),
        ("-n 2.5", "--n_iter takes a whole number, not '2.5'"),
        ("-n 1.5e0", "--n_iter takes a whole number, not '1.5e0'"),
        ("-n 1e999", "--n_iter takes a whole number, not '1e999'"),
        ("-n 0", "--n_iter takes a number above 0, not 0"),
        ("-gpu_id -1", "--which_gpu takes a number from 0 upward, not -1"),
        ("-lr 0", "--learning_rate takes a number above 0, not 0.0"),
        ("-lr nan", "--learning_rate takes a finite number, not nan"),
        ("-lr inf", "--learning_rate takes a finite number, not inf"),
        ("-lr 1e999", "--learning_rate takes a finite number"),
        ("-lr None", "--learning_rate takes a finite number, not 'None'"),
        ("--discount 1.01", "--discount takes a number from 0 to 1, not 1.01"),
        ("--precision fp8", "--precision takes one of fp32, bf16, not 'fp8'"),
    ],
)
def test_a_mistake_is_one_clear_line(line: str, words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        parse(line)
    assert "\n" not in str(caught.value)


def test_help_shows_each_flag_with_its_default(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse("--help")
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    text = re.sub(r" [A-Z]+(?=, -)", "", text)  # since Python 3.13 a value is shown once
    for words in (
        "A script.",
        "--n_iter, -n INT iterations, 100 % of them (default: 200)",
        "--learning_rate, -lr FLOAT Adam step size; default: the preset's --threads",
        "--no_gpu, -ngpu stay on the CPU (default: off)",
        "--precision fp32|bf16 arithmetic (default: fp32)",
        "--video_log_freq INT iterations between videos; -1: never (default: -1)",
    ):
        assert words in text


# ---------------------------------------------------------------- storing and resuming


CHANGED = "-n 3 -lr 0.1 -ngpu --precision bf16 --discount 0.30000000000000004"


@pytest.mark.parametrize("line", ["", CHANGED])
def test_settings_survive_json_exactly(line: str) -> None:
    config, _ = parse(line)
    stored = json.loads(json.dumps(dataclasses.asdict(config)))
    assert config_from_dict(Config, stored) == config


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colour": 1}, "differ in colour"),
        ({"n_iter": None}, "--n_iter takes a whole number, not None"),
        ({"n_iter": 2.0}, "--n_iter takes a whole number, not 2.0"),
        ({"n_iter": True}, "--n_iter takes a whole number, not True"),
        ({"n_iter": 0}, "--n_iter takes a number above 0"),
        ({"no_gpu": 1}, "--no_gpu takes true or false, not 1"),
        ({"discount": math.nan}, "--discount takes a finite number"),
        ({"env_name": 3}, "--env_name takes a text, not 3"),
    ],
)
def test_stored_settings_that_do_not_fit_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        config_from_dict(Config, dataclasses.asdict(Config()) | change)


def test_a_missing_setting_is_named() -> None:
    stored = dataclasses.asdict(Config())
    del stored["n_iter"], stored["discount"]
    with pytest.raises(UserError, match="differ in discount, n_iter;"):
        config_from_dict(Config, stored)


def test_config_json_holds_what_it_takes_to_run_the_same_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["scripts/run.py", "--env_name", "a b"])
    config, _ = parse(CHANGED)
    write_config_json(tmp_path, config, "run")
    document = read_config_json(tmp_path)
    assert config_from_dict(Config, document["settings"]) == config
    assert document["script"] == "run"
    assert document["command"] == "python scripts/run.py --env_name 'a b'"
    assert document["platform"] == platform.platform()
    versions = document["versions"]
    assert versions["python"] == platform.python_version()
    assert torch.__version__.startswith(versions["torch"])  # a build's own ending may follow
    assert versions["numpy"] == np.__version__
    assert {"gymnasium", "ale-py", "box2d", "mujoco", "cs285"} <= versions.keys()
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_the_commit_is_that_of_the_source_and_says_if_files_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "config.py"
    source.write_text("")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):  # set while git runs a hook
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr(config_module, "__file__", str(source))

    def commit_of_a_run() -> str | None:
        write_config_json(tmp_path, Config(), "run")
        commit: str | None = read_config_json(tmp_path)["git_commit"]
        return commit

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    assert commit_of_a_run() is None
    git("init")
    git("commit", "--allow-empty", "-m", "of a project that the source is no part of")
    assert commit_of_a_run() is None
    git("add", "config.py")
    git("commit", "-m", "the source")
    commit = commit_of_a_run()
    assert commit is not None and re.fullmatch("[0-9a-f]{40}", commit)
    source.write_text("changed")
    assert commit_of_a_run() == f"{commit}-dirty"


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in (tmp_path, tmp_path / "none", file):
        with pytest.raises(UserError, match=f"{path} is not a run directory"):
            read_config_json(path)


@pytest.mark.parametrize("text", ["", '{"settings": {', "[]", "{}", '{"settings": 3}', "\xff"])
def test_a_damaged_config_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="latin-1")
    with pytest.raises(UserError, match="config.json is damaged"):
        read_config_json(tmp_path)


def test_a_resumed_run_keeps_its_settings(tmp_path: Path) -> None:
    saved, _ = parse("-n 3 -lr 0.1")
    for line in ("--resume there", "--resume there -n 3", "--resume there -lr 1e-1"):
        new, explicit = parse(line)
        assert reconcile(saved, new, explicit, tmp_path) == dataclasses.replace(
            saved, resume="there"
        )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("-n 2", "--n_iter is 2 but there was begun with 3; leave --n_iter out"),
        ("-lr 5e-3", "--learning_rate is 0.005 but there was begun with 0.1"),  # the default
        ("-ngpu", "--no_gpu is True but there was begun with False"),
        ("--threads 1", "--threads is 1 but there was begun without it; leave --threads out"),
    ],
)
def test_a_resumed_run_refuses_other_settings(line: str, words: str) -> None:
    saved, _ = parse("-n 3 -lr 0.1")
    new, explicit = parse(f"--resume there {line}")
    with pytest.raises(UserError, match=words):
        reconcile(saved, new, explicit, Path("there"))


def test_a_resumed_run_may_be_longer() -> None:
    saved, _ = parse("-n 3 -lr 0.1")
    new, explicit = parse("--resume there -n 200")  # the default, but typed
    assert reconcile(saved, new, explicit, Path("there")) == dataclasses.replace(
        saved, resume="there", n_iter=200
    )


# ---------------------------------------------------------------- how a script ends


def run_main(capsys: pytest.CaptureFixture[str], error: Exception) -> tuple[int, str]:
    @cli
    def main(argv: Any) -> int:
        raise error

    return main([]), capsys.readouterr().err


def test_a_script_returns_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["script", "x"])
    assert cli(len)() == 1
    assert cli(len)(["a", "b", "c"]) == 3


def test_a_users_mistake_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(capsys, UserError("two\nlines")) == (2, "error: two lines\n")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT])
def test_a_place_that_cannot_be_written_is_one_line(
    capsys: pytest.CaptureFixture[str], code: int
) -> None:
    status, text = run_main(capsys, OSError(code, os.strerror(code), "data/run/log.csv"))
    assert status == 2 and text.count("\n") == 1
    assert text.startswith(f"error: data/run/log.csv: {os.strerror(code)}; what was written stays")
    _, text = run_main(capsys, OSError(code, os.strerror(code)))
    assert text.startswith("error: the run directory: ")


@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), ValueError("bug")])
def test_our_own_bugs_keep_their_traceback(
    capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    with pytest.raises(type(error)):
        run_main(capsys, error)
