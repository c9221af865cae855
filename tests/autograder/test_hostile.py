"""Submissions that misbehave are judged on the rest, in time, and the JSON is whole."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

import pytest

from autograder.__main__ import main
from tests.autograder.corpus import homes, reference_files, write, wrong
from tests.running import ALL

ARGMAX = "hw3.argmax.action"
FILE = homes()[ARGMAX][0]
LIMIT = 5.0
WRITES_EVERYWHERE = """
import os
for fd in range(3, 64):
    try:
        os.write(fd, b"x" * 99)
    except OSError:
        pass
os._exit(0)
"""
BODIES = {
    "raises": "raise RuntimeError('no')",
    "raises_exit": "raise SystemExit(0)",
    "loops": "while True: pass",
    "exits": "import os; os._exit(0)",
    "forks": "import os\nif os.fork() == 0:\n    while True: pass\nos._exit(0)",
    "kills_its_parent": "import os; os.kill(os.getppid(), 9); import time; time.sleep(60)",
    "writes_to_every_pipe": WRITES_EVERYWHERE,
    "recursion": "action = self.get_action(obs)",
    "returns_nonsense": "return object()",
    "returns_a_gigabyte": "return np.zeros(2**27)",
}  # fmt: skip
# One blank for each of them; the others must not notice.
VICTIMS = (
    "hw3.argmax.action",
    "hw3.dqn.targets",
    "hw3.dqn.sync",
    "hw3.critic.update",
    "hw3.ac.train",
    "hw3.ac.advantage",
    "hw3.policy.forward",
    "hw3.policy.update",
    "hw3.rollouts.sample_trajectory",
    "hw3.trainer.collect",
)
HARMLESS = {
    "prints_a_megabyte": "print('x' * 2**20)",
    "closes_stdout": "import sys, os; sys.stdout.close(); os.closerange(0, 3)",
    "rewrites_sys_path": "import sys; sys.path.clear(); sys.modules.pop('json', None)",
}
AT_IMPORT = {"loops": "while True: pass", "exits": "import os; os._exit(1)", "raises": "1 / 0"}


SPINS, WAITS = "while True: pass", "import time\nwhile True: time.sleep(0.01)"
# Each takes the whole limit: by default each blank with one of the two, all with CS285_ALL=1.
ENDLESS = [
    (f"dqn.{blank}", body)
    for blank, first in (("act", SPINS), ("step", WAITS), ("update", SPINS), ("sync", WAITS))
    for body in (first, SPINS if first is WAITS else WAITS)
]


def judge(tmp_path: Path, package: Path, words: str = "argmax or dqn") -> dict[str, str]:
    """Runs the command, with a short limit; returns each check's verdict from the JSON."""
    report = tmp_path / "report.json"
    options = ["--json", str(report), "--limit", str(LIMIT), "-k", words]
    status = main(["check", "hw3", "--submission", str(package.parent), *options])
    found = json.loads(report.read_text())
    verdicts = {result["id"]: result["verdict"] for result in found["results"]}
    assert status == (0 if set(verdicts.values()) == {"passed"} else 1)
    return verdicts


@pytest.mark.slow
def test_each_costs_only_its_own_blank(tmp_path: Path) -> None:
    bodies = dict(zip(VICTIMS, BODIES.values(), strict=True))
    entries = [wrong("", blank, "whatever", body=body) for blank, body in bodies.items()]
    verdicts = judge(tmp_path, write(tmp_path, entries), words="hw3")
    assert {i for i, verdict in verdicts.items() if verdict != "passed"} == set(VICTIMS)


@pytest.mark.slow
def test_nothing_lives_on(tmp_path: Path) -> None:
    """A child that never ends, of a worker that the student's code kills."""
    pid = tmp_path / "pid"
    leaves = f"""
import os
child = os.fork()
while child == 0: pass
open({str(pid)!r}, "w").write(str(child))
os.kill(os.getppid(), 9)
while True: pass"""
    verdicts = judge(
        tmp_path, write(tmp_path, [wrong("", ARGMAX, "whatever", body=leaves)]), "argmax"
    )
    assert verdicts == {ARGMAX: "failed"}
    with pytest.raises(ProcessLookupError):
        for _ in range(50):
            with contextlib.suppress(ChildProcessError):  # ours, if another test adopts orphans
                os.waitpid(int(pid.read_text()), os.WNOHANG)
            os.kill(int(pid.read_text()), 0)
            time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("blank", "body"), ENDLESS if ALL else ENDLESS[::2])
def test_no_end_in_a_method_with_two_blanks(tmp_path: Path, blank: str, body: str) -> None:
    entry = wrong("", f"hw3.{blank}", "whatever", body=body)
    verdicts = judge(tmp_path, write(tmp_path, [entry]))
    assert [i for i, verdict in verdicts.items() if verdict != "passed"] == [f"hw3.{blank}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", HARMLESS)
def test_what_harms_nobody_costs_nothing(tmp_path: Path, name: str) -> None:
    solution = homes()[ARGMAX][1]
    entry = wrong("", ARGMAX, (), body=f"{HARMLESS[name]}\n{solution}")
    verdicts = judge(tmp_path, write(tmp_path, [entry]))
    assert set(verdicts.values()) == {"passed"}


@pytest.mark.slow
@pytest.mark.parametrize("name", AT_IMPORT)
def test_a_file_that_misbehaves_on_import(tmp_path: Path, name: str) -> None:
    package = write(tmp_path, [])
    (package / FILE).write_text(f"{AT_IMPORT[name]}\n{reference_files()[FILE]}")
    verdicts = judge(tmp_path, package)
    assert [i for i, verdict in verdicts.items() if verdict != "passed"] == [ARGMAX]


@pytest.mark.slow
def test_a_file_that_does_not_parse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = write(tmp_path, [])
    (package / FILE).write_text("def broken(:\n")
    verdicts = judge(tmp_path, package)
    assert [i for i, verdict in verdicts.items() if verdict != "passed"] == [ARGMAX]
    assert "not valid Python" in capsys.readouterr().out


@pytest.mark.slow
def test_only_changed_files_are_handed_in(tmp_path: Path) -> None:
    alone = tmp_path / "cs285" / FILE
    alone.parent.mkdir(parents=True)
    alone.write_text(reference_files()[FILE])
    verdicts = judge(tmp_path, tmp_path / "cs285")
    assert verdicts.pop(ARGMAX) == "passed"
    given = {i for i in verdicts if ".given." in i}  # these stand in for what is not filled
    assert {verdicts[i] for i in verdicts.keys() - given} == {"blank"}
    assert {verdicts[i] for i in given} == {"passed"}
