"""Environments of one's own: found, made with what was asked for, and found again."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cs285
from autograder.evidence.run_folder import read_run
from cs285.experiments import registry
from cs285.infrastructure.base import config as config_module
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.training import run_folder
from studies import command, plan, scripts
from studies.words import study_of
from tests.own_module import KWARGS, TASK, TEXT, process_in, write
from tests.running import load_script, only_run
from tests.test_odd_environments import CONTINUOUS, DISCRETE, check_trained

PG = "run_hw2"
SHORT = ["-n", "2", "-b", "40", "--hid", "8", "--eval_episodes", "2"]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws no pictures and asks git nothing: that would take more time than the runs."""
    monkeypatch.setattr(run_folder, "draw_learning_curve", lambda folder: None)
    monkeypatch.setattr(config_module, "_git_commit", lambda: None)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """The folder of the module, in which a process begins."""
    write(tmp_path / "home")
    with process_in(tmp_path / "home"):
        yield tmp_path / "home"


def train(*words: str, script: str = PG, short: list[str] = SHORT) -> int:
    return int(load_script(script).main([*short, *words]))


def line_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Starts a run that must be refused; returns its one line."""
    assert train(*words) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and err.count("\n") == 1, err
    return err


# ---------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("{length: 3}", ["--env_kwargs takes a JSON object", "not '{length: 3}'"]),
        ("[3]", ["--env_kwargs takes a JSON object", "not [3]"]),
        ('{"length": NaN}', ["--env_kwargs takes a JSON object"]),
        ('{"a":' * 5000 + "1" + "}" * 5000, ["--env_kwargs takes a JSON object"]),
        ('{"lenght": 3}', ["takes no lenght, did you mean length; it takes continuous, length"]),
        ("{}", ["needs a value of length", """--env_kwargs '{"length": ...}'"""]),
        ('{"length": 3, "max_episode_steps": 9}', ["--max_episode_steps sets it"]),
        ('{"length": 3, "render_mode": "human"}', ["render_mode is not a setting"]),
        ('{"length": "x"}', ["reset raised TypeError", "(hall.py, line 26)"]),
    ],
)
def test_wrong_settings(
    words: str, parts: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = line_of(capsys, "--env_name", TASK, "--env_kwargs", words)
    assert all(part in line for part in parts), line
    assert not (home / "data").exists()


@pytest.mark.parametrize(
    ("env_name", "text", "parts"),
    [
        ("absent:Hall-v0", "", ["there is no module absent in ", "home", "PYTHONPATH"]),
        ("hall.py:Hall-v0", "", ["give the name of the module", "no file: hall"]),
        ("hall:Hall-v3", "", ["hall.py registers no Hall-v3", "did you mean Hall-v0"]),
        ("other:X-v0", "import no_such_package", ["other needs the module no_such_package"]),
        ("other:X-v0", "def f(:", ["importing other raised SyntaxError", "(other.py, line 1)"]),
        ("other:X-v0", "\n1 / 0", ["importing other raised ZeroDivision", "(other.py, line 2)"]),
        ("other:X-v0", "import sys; sys.exit(3)", ["importing other raised SystemExit: 3"]),
        ("other:X-v0", "x = 1", ["other.py registers no X-v0", "gymnasium.register"]),
        ("queue:X-v0", "x = 1", ["the name queue belongs to", "give yours another name"]),
    ],
)
def test_wrong_modules(
    env_name: str, text: str, parts: list[str], home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text:
        write(home, text, env_name.partition(":")[0])
    line = line_of(capsys, "--env_name", env_name, "--env_kwargs", KWARGS)
    assert env_name in line and all(part in line for part in parts), line


def test_a_module_that_is_missing_when_it_is_made(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home, TEXT.replace("        self.place = 0\n", "        import no_pygame\n", 1))
    line = line_of(capsys, "--env_name", TASK, "--env_kwargs", KWARGS)
    assert f"{TASK} needs the module no_pygame, which is not installed" in line


def test_one_that_cannot_be_filmed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(home, TEXT.replace(", render_mode=None", "").replace("render_mode\n", "None\n"))
    words = ["--env_name", TASK, "--env_kwargs", KWARGS, "--video_log_freq", "1"]
    assert "cannot be shown or filmed: it takes no render_mode" in line_of(capsys, *words)


@pytest.mark.parametrize(
    ("render", "part"),
    [("raise ValueError('no brush')", "render raised ValueError: no brush (hall.py, line 29)"),
     ("pass", "render returns NoneType, and no picture")],
)  # fmt: skip
def test_a_render_that_fails(
    render: str, part: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home, TEXT.replace("return np.full((32, 32, 3), self.place, np.uint8)", render))
    assert train("--env_name", TASK, "--env_kwargs", KWARGS) == 0
    run_dir = only_run(home / "data")
    capsys.readouterr()
    assert load_script("enjoy").main([str(run_dir), "-n", "1", "--film"]) == 2
    line = capsys.readouterr().err
    assert part in line and line.count("\n") == 1, line


def test_packages_and_keywords_of_gymnasiums_own(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "games").mkdir()
    shutil.move(home / "hall.py", home / "games" / "inner.py")
    (home / "games" / "__init__.py").write_text("")
    text = (home / "games" / "inner.py").read_text().replace("hall:", "games.inner:")
    (home / "games" / "inner.py").write_text(text)
    words = ["--env_name", "games.inner:Hall-v0", "--env_kwargs", KWARGS]
    assert train(*words) == 0
    assert read_config_json(only_run(home / "data"))["env_folder"] == str(home)
    capsys.readouterr()
    words = ["--env_name", "CartPole-v1", "--env_kwargs", '{"gravity": 9}']
    assert "takes no gravity; it takes sutton_barto_reward" in line_of(capsys, *words)


# ---------------------------------------------------------------- what a run remembers


@pytest.fixture
def run_dir(home: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run that has stopped early, so that it can go on."""
    words = ["--env_name", TASK, "--env_kwargs", KWARGS, "--target_return=-1000"]
    assert train(*words, short=["-n", "9", *SHORT[2:]]) == 0
    capsys.readouterr()
    return only_run(home / "data")


def test_config_json_has_it_all(run_dir: Path, home: Path) -> None:
    document = read_config_json(run_dir)
    assert document["settings"]["env_kwargs"] == {"length": 3}
    assert document["env_made"] == "Hall-v0" and document["env_folder"] == str(home)
    assert run_dir.name.startswith("hw2_pg_hall-Hall-v0_")
    assert shown_settings(document)["env_name"] == 'hall:Hall-v0 {"length": 3}'


def test_it_is_found_from_another_folder(
    run_dir: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir()
    for words in (["enjoy", str(run_dir), "-n", "1"], [PG, "--resume", str(run_dir)]):
        with process_in(elsewhere):
            assert load_script(words[0]).main(words[1:]) == 0, capsys.readouterr().err
            assert "note: hall" not in capsys.readouterr().err
    write(elsewhere)
    with process_in(elsewhere):
        assert load_script("enjoy").main([str(run_dir), "-n", "1"]) == 0
        assert f"is that of {elsewhere}; the run began with that of {home}" in (
            capsys.readouterr().err
        )


def test_the_library_finds_it_from_another_folder(home: Path, tmp_path: Path) -> None:
    script = "run_hw3_actor_critic"
    words = ["--env_name", TASK, "--env_kwargs", KWARGS]
    assert train(*words, script=script, short=SHORT[:4]) == 0
    run = cs285.load(only_run(home / "data"))
    for use in (lambda: run.evaluate(1), lambda: run.v([0.0]), run.film):
        with process_in(tmp_path):
            use()


def test_where_it_was_looked_for(
    run_dir: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "hall.py").unlink()
    shutil.rmtree(home / "__pycache__", ignore_errors=True)
    for words in (["enjoy", str(run_dir)], [PG, "--resume", str(run_dir)]):
        with process_in(tmp_path):
            assert load_script(words[0]).main(words[1:]) == 2
        line = capsys.readouterr().err
        assert f"there is no module hall in {tmp_path}, {home}, nor" in line
        assert line.count("\n") == 1


def test_other_settings_are_refused_on_resume(
    run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--resume", str(run_dir), "--env_kwargs"]
    assert load_script(PG).main([*words, '{"length": 4}']) == 2
    assert "--env_kwargs is {'length': 4}" in capsys.readouterr().err
    assert load_script(PG).main([*words, KWARGS]) == 0


def test_runs_of_other_settings_are_not_pooled(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, kwargs in enumerate(['{"length": 3}', '{"length": 4}', '{"length": 3}']):
        assert train("--env_name", TASK, "--env_kwargs", kwargs, "--seed", str(seed)) == 0
    experiments = load_script("experiments")
    runs = experiments.load_runs(["data"])
    groups = experiments.group_runs(runs)
    assert sorted(len(members) for members in groups.values()) == [1, 2]
    old = json.loads((runs[0].run_dir / "config.json").read_text())
    del old["settings"]["env_kwargs"]  # an older run, of a task that needed none
    (runs[0].run_dir / "config.json").write_text(json.dumps(old))
    assert len(experiments.group_runs(experiments.load_runs(["data"]))) == 3
    members = load_script("compare").methods_of(runs, "algorithm")
    assert sorted(members) == ['hall:Hall-v0 {"length": 3}', 'hall:Hall-v0 {"length": 4}']
    capsys.readouterr()
    assert load_script("plot").main(["data", "-o", "all.png"]) == 0
    assert load_script("read_results").main(["data"]) == 0
    assert 'hall:Hall-v0 {"length": 4}' in capsys.readouterr().out


def test_the_grader_reads_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from autograder.__main__ import main

    assert train("--env_name", TASK, "--env_kwargs", KWARGS) == 0
    run_dir = only_run(home / "data")
    capsys.readouterr()
    assert main(["diagnose", str(run_dir)]) in (0, 1)
    assert 'hall:Hall-v0 {"length": 3}' in " ".join(capsys.readouterr().out.split())
    assert read_run(run_dir).settings["env_kwargs"] == {"length": 3}


# ---------------------------------------------------------------- studies


def test_studies(home: Path, tmp_path: Path) -> None:
    words = ["--env", TASK, "--env_kwargs", '{"length":4}', '{"length": 8, "continuous": true}']
    study, _ = study_of("ppo", [*words, "--seed", "0", "1", "--exp_name", "s"])
    runs = plan.plan(study, tmp_path / "s")
    assert [run.name for run in runs] == [
        *("s_envlength4_s0", "s_envlength4_s1"),
        *("s_envcontinuousTrue-length8_s0", "s_envcontinuousTrue-length8_s1"),
    ]
    assert runs[2].settings["env_kwargs"] == {"continuous": True, "length": 8}
    from studies import study as files

    files.write(study, tmp_path / "s")
    assert files.read(tmp_path / "s") == study
    toml = (tmp_path / "s" / "study.toml").read_text()
    plain = toml.replace('"{\\"length\\": 4}"', "{length = 4}")
    assert plain != toml
    (tmp_path / "s" / "study.toml").write_text(plain)
    assert files.read(tmp_path / "s") == study
    code = runs[0].identity["code"]
    scripts.code_version.cache_clear()
    write(home, TEXT.replace("0.1)", "0.2)"))
    assert plan.plan(study, tmp_path / "s")[0].identity["code"] != code
    scripts.code_version.cache_clear()


def test_a_study_goes_on_from_another_folder(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv[:])  # a run in this process writes its own there
    short = [*SHORT, "--threads", "1", "--eval_freq", "-1", "--exp_name", "s"]
    words = ["--env", TASK, "--env_kwargs", KWARGS, *short]
    assert command.from_words("vpg", words) == 0
    folder = home / "data" / "s"
    toml = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(toml.replace("seeds = [0]", "seeds = [1]"))
    with process_in(tmp_path):
        assert command.from_file([str(folder)]) == 0
    assert (folder / "s_s1" / "weights.safetensors").exists()


def test_a_setting_that_older_runs_do_not_have_does_not_change_what_they_are() -> None:
    assert scripts.learned({"seed": 1, "env_kwargs": None}) == scripts.learned({"seed": 1})
    assert scripts.learned({"env_kwargs": {"length": 3}}) == {"env_kwargs": {"length": 3}}


# ---------------------------------------------------------------- nine agents

QUICK = ("vpg", "dqn", "sac")  # one of each kind of loop; the other agents are slow tests
CELLS = [
    pytest.param(agent, discrete, id=f"{agent}-{'discrete' if discrete else 'continuous'}",
                 marks=[] if agent in QUICK and discrete != (agent == "sac") else pytest.mark.slow)
    for discrete in (True, False)
    for agent in dict.fromkeys([*DISCRETE, *CONTINUOUS])
]  # fmt: skip


@pytest.mark.parametrize(("agent", "discrete"), CELLS)
def test_every_agent_trains_or_refuses_in_one_line(
    agent: str, discrete: bool, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fitting, others = (DISCRETE, CONTINUOUS) if discrete else (CONTINUOUS, DISCRETE)
    experiment, words = fitting.get(agent) or others[agent]
    main: Any = registry.algorithms()[experiment].main
    kwargs = json.dumps({"length": 3, "continuous": not discrete})
    status = main([*words.split(), "--env_name", TASK, "--env_kwargs", kwargs])
    err = capsys.readouterr().err
    if agent in fitting:
        assert status == 0, err
        check_trained(only_run(home / "data"))
    else:
        assert status == 2 and err.startswith("error: ") and err.count("\n") == 1, err
        assert f"{TASK} has {'discrete' if discrete else 'continuous'} actions" in err
        assert not (home / "data").exists()


def test_all_nine_are_there() -> None:
    agents = {experiment for experiment, _ in (*DISCRETE.values(), *CONTINUOUS.values())}
    assert agents == set(registry.algorithms()) and len(agents) == 9
