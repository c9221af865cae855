"""run_autograder in Gradescope's layout, on what is right, wrong, hostile, or nothing."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("what runs on Gradescope is for Linux", allow_module_level=True)

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.gradescope.build import contents
from autograder.gradescope.settings import Settings
from tests.autograder.corpus import write, wrong
from tests.autograder.gradescope_contract import validate
from tests.autograder.gradescope_layout import (
    DOCKER,
    HOSTILE,
    POINTS,
    SEED,
    Layout,
    assert_nothing_gained,
    by_id,
    hand_in_the_hostile,
    laid_out,
    points,
    points_of,
)


@pytest.fixture(scope="module")
def source() -> dict[str, str | bytes]:
    return contents(Settings("hw3", SEED))


@pytest.fixture
def layout(source: dict[str, str | bytes]) -> Iterator[Layout]:
    with laid_out(source) as found:
        yield found


@pytest.fixture
def old_container(source: dict[str, str | bytes]) -> Iterator[Layout]:
    """A container as Docker makes them, on a kernel of the past."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("no setpriv here to take rights away")
    with laid_out(source) as found:
        missing = "    raise OSError(38, 'Function not implemented')"
        found.replace("isolation/confine.py", "def restrict_files(read, write):", missing)
        found.replace("isolation/confine.py", "def deny_system_calls():", missing)
        rights = ",".join(["-all", *(f"+{right}" for right in DOCKER)])
        found.rights = [setpriv, f"--bounding-set={rights}"]
        yield found


@pytest.mark.slow
def test_a_right_submission_with_oddities(layout: Layout) -> None:
    package = write(layout.base / "submission" / "homework", [])
    (package / "agents" / "my_helper.py").write_text("print('hello')\n")
    (package / "agents" / "evil.py").symlink_to("/etc/shadow")
    for shadow in ("torch.py", "sitecustomize.py", "results.json"):
        (package.parent / shadow).write_text("raise SystemExit")
    found = layout.grade()
    assert points(found) == POINTS
    assert {test["status"] for test in found["tests"]} == {"passed"}
    assert "2 hours after the due date" in found["output"]
    assert found["extra_data"]["protections"]
    assert str(SEED) not in json.dumps(found)


@pytest.mark.slow
def test_a_wrong_submission(layout: Layout) -> None:
    targets, sync = "hw3.dqn.targets", "hw3.dqn.sync"
    entries = [
        wrong("", targets, "target.no_discount", ("self.gamma * ", "")),
        wrong("", sync, (), body=f'from cs285.infrastructure.blanks import TODO\nTODO("{sync}")'),
    ]
    write(layout.base / "submission", entries)
    found = layout.grade()
    assert points(found) == {**POINTS, targets: 0, sync: 0}
    tests = by_id(found)
    assert tests[targets]["extra_data"]["mistakes"] == ["target.no_discount"]
    assert tests[sync]["extra_data"]["verdict"] == "blank"
    assert tests[sync]["output"] == "not filled yet"


@pytest.mark.slow
@pytest.mark.parametrize("homework", [name for name in homeworks.names() if name != "hw3"])
def test_every_other_homework(homework: str) -> None:
    """The third is judged by all the tests around this one."""
    expected = points_of(homework)
    empty, hostile, *_ = [blank for blank, most in expected.items() if most]
    left_out = f'from cs285.infrastructure.blanks import TODO\nTODO("{empty}")'
    with laid_out(contents(Settings(homework, SEED)), homework) as layout:
        attack = HOSTILE.replace("BASE", repr(str(layout.base)))
        bodies = {empty: left_out, hostile: attack}
        entries = [wrong("", blank, (), body=body) for blank, body in bodies.items()]
        write(layout.base / "submission", entries)
        found = layout.grade()
    wanted = {**expected, empty: 0, hostile: 0}
    odd = [one for name, one in by_id(found).items() if one["score"] != wanted[name]]
    assert points(found) == wanted, json.dumps(odd, indent=1)
    assert by_id(found)[empty]["output"] == "not filled yet"
    assert "reached: []" in by_id(found)[hostile]["output"]


@pytest.mark.slow
def test_a_hostile_submission(layout: Layout) -> None:
    hand_in_the_hostile(layout)
    assert_nothing_gained(layout.grade(), layout)


@pytest.mark.slow
def test_a_hostile_submission_in_an_old_container(old_container: Layout) -> None:
    hand_in_the_hostile(old_container)
    found = old_container.grade()
    assert_nothing_gained(found, old_container)
    assert "not here: landlock, seccomp" in found["output"].replace("own keyring, ", "")


GREEDY = {
    "hw3.argmax.action": """
import os, signal
for _ in range(200):
    if os.fork() == 0:
        signal.pause()
""",
    "hw3.dqn.targets": "target = bytearray(2**34)",
    "hw3.critic.update": "open(__import__('tempfile').mkstemp()[1], 'wb').write(bytes(2**25))",
    "hw3.ac.train": "while True: pass",
}


@pytest.mark.slow
def test_greed_ends_at_the_limits(source: dict[str, str | bytes]) -> None:
    with laid_out(source) as layout:
        entries = [wrong("", blank, "whatever", body=body) for blank, body in GREEDY.items()]
        write(layout.base / "submission", entries)
        found = layout.grade()
        assert points(found) == {**POINTS, **dict.fromkeys(GREEDY, 0)}
        message = [by_id(found)[blank]["output"] for blank in GREEDY]
        for output, word in zip(
            message,
            ("BlockingIOError", "MemoryError", "File too large", "never comes to an end"),
            strict=True,
        ):
            assert word in output
        assert list((layout.base / "tmp").iterdir()) == []


@pytest.mark.slow
def test_nothing_to_judge(layout: Layout) -> None:
    (layout.base / "submission" / "notes.txt").write_text("please be kind")
    found = layout.grade()
    assert set(points(found).values()) == {0}
    assert {i: test["max_score"] for i, test in by_id(found).items()} == POINTS
    assert "Hand in a zip" in found["output"]
    assert all("Hand in a zip" in test["output"] for test in found["tests"])


@pytest.mark.slow
def test_stopped_in_the_middle(layout: Layout) -> None:
    write(layout.base / "submission", [])
    with layout.start() as process:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if layout.results.exists():
                found = validate(layout.results.read_bytes())
                if 0 < sum(points(found).values()):
                    break
        process.send_signal(signal.SIGKILL)
    assert layout.wait_for_the_box(60), "its box goes on without it"
    found = validate(layout.results.read_bytes())
    assert {i: test["max_score"] for i, test in by_id(found).items()} == POINTS
    assert 0 < sum(points(found).values())


@pytest.mark.slow
def test_where_nothing_can_be_closed_nothing_is_run(layout: Layout) -> None:
    write(layout.base / "submission", [])
    layout.replace("isolation/confine.py", "def become(uid, gid):", "    raise OSError(1, 'no')")
    found = layout.grade(status=1)
    assert set(points(found).values()) == {0}
    assert "not your fault" in found["output"]
    assert "not closed" in found["extra_data"]["error"]


@pytest.mark.slow
def test_where_packages_are_private_nothing_is_judged(layout: Layout, tmp_path: Path) -> None:
    write(layout.base / "submission", [])
    tmp_path.chmod(0o700)
    ours = f'    return [{str(tmp_path)!r}, *(p for p in sys.path if "-packages" in p)]'
    layout.replace("gradescope/other_user.py", "def _packages():", ours)
    found = layout.grade(status=1)
    assert set(points(found).values()) == {0}
    assert f"another user cannot read {tmp_path}" in found["extra_data"]["error"]


@pytest.mark.slow
def test_a_seed_is_drawn_that_the_solution_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hw2.zip"
    assert main(["gradescope", "hw2", str(file)]) == 0
    with zipfile.ZipFile(file) as archive:
        settings = json.loads(archive.read("settings.json"))
    assert settings["seed"] > 2
    assert f"seed {settings['seed']}" in capsys.readouterr().out
