"""`--compile` in whole runs: config, checkpoints, exact resume, cache, kills, and no compiler."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from cs285.infrastructure.compiled import cache
from cs285.infrastructure.training.checkpoint import CheckpointStore
from tests.compiled import Watched, dqn, needs_compiler
from tests.running import assert_same_run, load_script, only_run, run, start

DQN = (
    "python scripts/run_hw3_dqn.py --env_name CartPole-v1 --num_timesteps 900 --learning_starts "
    "200 --target_update_freq 100 --scalar_log_freq 300 --hid 8 --batch_size 8 --exp_name x "
    "--compile"
)
PPO = "run_hw5_ppo --env_name CartPole-v1 -n 4 -b 90 -mb 20 --num_epochs 2 -eb 50 --hid 8"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that is empty, and this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(cache.OF_TORCH, raising=False)
    return cache.folder()


def test_without_a_compiler_a_run_is_plain_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CXX", "/nowhere/g++")
    script, *words = PPO.split()
    main = load_script(script).main
    for name, more in (("compiled", ["--compile"]), ("plain", [])):
        assert main([*words, "--data_dir", str(tmp_path / name), "--exp_name", "x", *more]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "--compile" in line]
    assert len(said) == 1 and "there is no C++ compiler: '/nowhere/g++' is not found" in said[0]
    runs = [only_run(tmp_path / name) for name in ("compiled", "plain")]
    assert (runs[0] / "weights.safetensors").read_bytes() == (
        runs[1] / "weights.safetensors"
    ).read_bytes()
    document = json.loads((runs[0] / "config.json").read_text())
    assert document["settings"]["compile"] is True
    assert torch.__version__ in document["compiler"]
    assert "compiler" not in json.loads((runs[1] / "config.json").read_text())


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [DQN, f"python scripts/{PPO.replace(' ', '.py ', 1)} --compile"]
)
def test_a_stopped_run_ends_like_one_left_alone(command: str, tmp_path: Path) -> None:
    """The last minibatches of PPO are of another size, and so plain in both."""
    longer = ("--num_timesteps", "1500") if "dqn" in command else ("-n", "8")
    for name, more in (("whole", longer), ("stopped", ())):
        code, _, err = run(command, "--data_dir", str(tmp_path / name), *more)
        assert code == 0 and "was compiled in" in err
    whole, stopped = (only_run(tmp_path / name) for name in ("whole", "stopped"))
    script = command.partition(" --")[0]
    code, _, err = run(f"{script} --resume {stopped}", *longer)
    assert code == 0 and "was compiled in" in err
    assert_same_run(whole, stopped)
    _, state, _ = CheckpointStore(stopped).load_latest() or (0, {}, [])
    kept = state["trainer"]["compiled"]
    assert kept["compiler"] == cache.identity()
    assert [update["plain"] for update in kept["updates"]] == [""]
    assert kept["updates"][0]["shapes"]


@needs_compiler
@pytest.mark.slow
def test_a_process_killed_in_the_compiler_leaves_no_torn_file(
    tmp_path: Path, own_cache: Path
) -> None:
    process = start(DQN, "--data_dir", str(tmp_path / "killed"))
    try:
        deadline = time.monotonic() + 240
        while not list(own_cache.rglob("*.cpp")):  # the compiler is at work
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    assert (own_cache / cache.UNFINISHED).exists()
    libraries = [*own_cache.rglob("*.so")] or [next(own_cache.rglob("*.cpp")).with_suffix(".so")]
    for library in libraries:  # as a compiler leaves one that is killed as well
        library.write_bytes(b"\x7fELF torn")
    code, _, err = run(DQN, "--data_dir", str(tmp_path / "next"))
    assert code == 0 and "was compiled in" in err and "plain" not in err
    assert not (own_cache / cache.UNFINISHED).exists()
    assert all(
        b"torn" not in library.read_bytes()[:20] for library in libraries if library.exists()
    )


@needs_compiler
@pytest.mark.slow
def test_a_torn_file_without_a_mark_is_made_again(own_cache: Path) -> None:
    """A full disk tears files too. In a process of its own, for this one has loaded the library."""
    code = (
        "from tests.compiled import *\n"
        "its = dqn(); watched = Watched(its.updates())\n"
        "for seed in range(6): its.learn(seed)\n"
        "print(watched.ways, watched.why)\n"
    )
    command = [sys.executable, "-c", code]
    before = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert before.stdout.strip() == "['short']", before.stderr
    libraries = list(own_cache.rglob("*.so"))
    assert libraries
    for library in libraries:
        library.write_bytes(library.read_bytes()[:100])
    after = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert after.stdout.strip() == "['short']", after.stdout + after.stderr


@needs_compiler
@pytest.mark.slow
def test_a_compiler_that_fails_leaves_updates_plain(tmp_path: Path, own_cache: Path) -> None:
    broken = tmp_path / "g++"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 1\n")
    broken.chmod(0o755)
    code = (
        "from tests.compiled import *\n"
        "its, plain = dqn(), dqn(); watched = Watched(its.updates())\n"
        "learn_beside(plain, its, 0, 6)\n"
        "print(watched.ways, difference(plain, its), watched.why)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"CXX": str(broken)},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.stdout.startswith("['plain'] 0.0 note: --compile: "), done.stderr
    assert "the compiler fails" in done.stdout


@needs_compiler
@pytest.mark.slow
def test_two_processes_compile_once(tmp_path: Path, own_cache: Path) -> None:
    """The second waits for the first, and finds in the cache what that has made."""
    code = (
        "from tests.compiled import *\n"
        "its = dqn(); watched = Watched(its.updates())\n"
        "for seed in range(6): its.learn(seed)\n"
        "made = sorted(cache.folder().rglob('*.so'))\n"
        "print(watched.ways, [(file.name, file.stat().st_mtime_ns) for file in made])\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    first, second = (process.communicate(timeout=900)[0] for process in processes)
    assert first.startswith("['short'] [('")
    assert first == second


def test_a_folder_that_cannot_be_written_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.delenv(cache.OF_TORCH, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache.folder().is_dir()


def test_who_finds_the_mark_begins_with_an_empty_cache(own_cache: Path) -> None:
    for name in ("torn.so", cache.UNFINISHED):
        (own_cache / name).write_text("")
    with cache.alone() as folder:
        assert folder == own_cache
        assert [path.name for path in folder.iterdir()] == [cache.UNFINISHED]
        assert os.environ[cache.OF_TORCH] == str(folder)
        (folder / "whole.so").write_text("")
    assert [path.name for path in own_cache.iterdir()] == ["whole.so"]
    with cache.alone():
        assert (own_cache / "whole.so").exists()
    with pytest.raises(KeyboardInterrupt), cache.alone():
        raise KeyboardInterrupt
    assert (own_cache / cache.UNFINISHED).exists()
    shutil.rmtree(own_cache)
    assert Watched(dqn().updates()).ways == ["plain"]
