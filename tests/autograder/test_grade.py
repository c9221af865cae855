"""A class is graded in sandboxes into a gradebook that survives whatever happens."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import BLANK, FAILED, PASSED
from autograder.classroom.grade import ALONE, SECRET_FROM, SEEDS, judging_files, seed_of
from autograder.classroom.gradebook import FILE, Gradebook
from autograder.source import ROOT
from tests.autograder.boxes import REASON, box_works
from tests.autograder.classes import verdicts_in
from tests.autograder.corpus import write, wrong
from tests.autograder.evidence.run_folders import NAME, edit_log, write_run
from tests.autograder.judging import CHECKS, FORMULA, PRIVATE

pytestmark = pytest.mark.skipif(not box_works(), reason=REASON)

KILLS = 5  # about as many as `test_killed_at_any_moment_it_goes_on` kills; benchmarks/shake.py: 50
MORE_EARLY = 4
JUDGED = len(CHECKS)
ARGMAX = wrong("", "hw3.argmax.action", "argmax.crash", body="raise RuntimeError('no')")
DEAF = "import collections, itertools; collections.deque(itertools.count(), 0)"  # to any signal
LOOPS = wrong("", "hw3.argmax.action", "argmax.crash", body=DEAF)
EXITS = wrong("", "hw3.dqn.sync", "sync.crash", body="import os; os._exit(0)")
ESCAPES = """
import os, subprocess, pathlib
for place in ("/tmp/mark", "/dev/shm/mark", "/mark"):
    try: pathlib.Path(place).write_text("was here")
    except OSError: pass
if os.fork() == 0:
    os.setsid()
    while True: pass
"""


def small_class(folder: Path) -> None:
    """Writes a right submission, three wrong ones, a hostile one, a copy, and two that are none."""
    write(folder / "ann", [])
    write(folder / "bob", [ARGMAX])
    write(folder / "cid", [LOOPS])
    write(folder / "dan", [EXITS])
    agent = write(folder / "eve", []) / "agents" / "dqn_agent.py"
    agent.write_text(agent.read_text() + ESCAPES)
    shutil.copytree(folder / "ann", folder / "zoe")
    (folder / "fay").mkdir()
    (folder / "gus.zip").write_bytes(b"junk")
    with zipfile.ZipFile(folder / "hal.zip", "w") as archive:
        for file in sorted((folder / "ann").rglob("*.py")):
            archive.write(file, file.relative_to(folder / "ann"))


def scores(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns each student's points, and how many checks were judged."""
    book = Gradebook(folder)
    (grading,) = book.gradings()
    found = {}
    for submission in book.submissions():
        verdicts = book.verdicts(submission.digest or "", grading).values()
        found[submission.student] = (sum(v.points for v in verdicts), len(verdicts))
    book.close()
    return found


def worth(check: str) -> int:
    """Returns a check's points."""
    return next(one.points for one in FORMULA if one.id == check)


def rows(folder: Path) -> list[tuple[object, ...]]:
    """Returns everything in a gradebook that must not depend on when it was made."""
    connection = sqlite3.connect(folder / FILE)
    found: list[tuple[object, ...]] = []
    for query in (
        "SELECT digest, grader, seed, check_id, points, max_points, verdict, mistakes, message "
        "FROM verdicts ORDER BY 1, 2, 3, 4",
        "SELECT source, student, digest, problem, counts FROM submissions ORDER BY 1",
    ):
        found += connection.execute(query)
    connection.close()
    return found


def grade_command(folder: Path, book: Path, *more: str) -> list[str]:
    return [
        "grade",
        "hw3",
        str(folder),
        "--out",
        str(book),
        "--seed",
        str(PRIVATE),
        "--jobs",
        "2",
        *more,
    ]


def test_seeds_follow_from_the_secret_and_from_what_is_handed_in() -> None:
    seeds = {secret: [seed_of(secret, str(n)) for n in range(100)] for secret in (5, 6)}
    assert seeds[5] == [seed_of(5, str(n)) for n in range(100)]
    for found in seeds.values():
        assert len(set(found)) == SEEDS
        assert min(found) >= SECRET_FROM
    assert not set(seeds[5]) & set(seeds[6])


def test_nobody_stays_who_was_known_by_a_submission_alone(tmp_path: Path) -> None:
    with contextlib.closing(Gradebook(tmp_path, create=True)) as book:
        book.set_students([("ann", "Ann", None), ("ghost", None, None)], ["ann"])
        book.set_students([("bob", None, None)], [])
        found = book.connection.execute("SELECT student FROM students ORDER BY student")
        assert [row["student"] for row in found] == ["ann", "bob"]


LOADED = """
import importlib, sys
from autograder.base.checks import modules_of
from autograder.base.checks import checks
from autograder.grading import judging
from autograder.running import worker
for check in checks(sys.argv[1]):
    for module in modules_of(check.full_probe):
        importlib.import_module(module)
    judging.judge_of(check)
for name, module in sorted(sys.modules.items()):
    if name.partition(".")[0] == "autograder" and module.__file__:
        print(module.__file__)
"""


@pytest.mark.parametrize("homework", ["hw2", "hw4"])
def test_whatever_judges_is_in_the_graders_hash(homework: str) -> None:
    """Else verdicts of an older grader would count as those of the present one."""
    command = [sys.executable, "-c", LOADED, homework]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    loaded = {Path(line) for line in done.stdout.splitlines()}
    missing = loaded - judging_files(homework)
    assert {path for path in missing if path.name != "__init__.py"} == set()  # those only describe
    used = {path.parent.parent.name for path in loaded if path.parent.name in ("fakes", "probes")}
    assert used == ({"hw2", "hw3"} if homework == "hw2" else {homework})


@pytest.mark.slow
def test_a_small_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, book = tmp_path / "in", tmp_path / "book"
    small_class(folder)
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name\nann,Ann\nbob,Bob\nmissing,Max\n")
    assert main(grade_command(folder, book, "--roster", str(roster))) == 0
    out = capsys.readouterr().out
    assert "'zoe' is not in the roster" in out
    assert "gus.zip: the .zip is damaged" in out
    assert "fay: no cs285/ folder" in out
    found = scores(book)
    assert found["ann"] == found["zoe"] == found["hal"] == (100, JUDGED)
    assert found["bob"] == found["cid"] == (100 - worth("hw3.argmax.action"), JUDGED)
    assert found["dan"] == (100 - worth("hw3.dqn.sync"), JUDGED)
    assert found["eve"] == (100, JUDGED)
    assert found["fay"] == found["gus"] == (0, 0)
    assert not [p for p in ("/tmp/mark", "/dev/shm/mark", "/mark") if Path(p).exists()]

    with contextlib.closing(sqlite3.connect(book / FILE)) as connection:
        ends = "SELECT message FROM verdicts WHERE message LIKE 'stopped: %'"
        message = [message.endswith(ALONE) for (message,) in connection.execute(ends)]
        assert message == [True]

    before = rows(book)
    assert main(grade_command(folder, book)) == 0
    assert "0 to be judged" in capsys.readouterr().out
    assert rows(book) == before

    # What a busy machine has ended early, is tried once more.
    early = "UPDATE verdicts SET verdict = 'failed', points = 0, message = 'stopped: no answer' "
    with contextlib.closing(sqlite3.connect(book / FILE)) as connection, connection:
        connection.execute(early + "WHERE check_id = 'hw3.dqn.act' AND verdict = 'passed'")
    assert main(grade_command(folder, book)) == 0
    assert "tried once more, one at a time" in capsys.readouterr().out
    assert rows(book) == before


@pytest.mark.slow
def test_training_runs_are_judged_too(tmp_path: Path) -> None:
    """An honest run counts, a forged one is named, and both curves are kept."""
    folder = tmp_path / "in"
    for student in ("ann", "bob"):
        write(folder / student, [])
        write_run(folder / student / "data" / NAME, seed=ord(student[0]))
    edit_log(folder / "bob" / "data" / NAME, "Eval_AverageReturn", -1, "250.0")
    shutil.make_archive(str(folder / "bob"), "zip", folder / "bob")
    shutil.rmtree(folder / "bob")
    write(folder / "cid", [ARGMAX])
    assert main(grade_command(folder, tmp_path / "book", "--runs")) == 0
    assert not list((tmp_path / "book").glob(".runs*"))
    with contextlib.closing(Gradebook(tmp_path / "book")) as book:
        (grading,) = book.gradings()
        verdicts, curves = {}, {}
        for submission in book.submissions():
            digest = submission.digest or ""
            verdicts[submission.student] = book.verdicts(digest, grading)["hw3.runs.q4_10_10"]
            curves[submission.student] = [curve.question for curve in book.curves(digest)]
    assert (verdicts["ann"].verdict, verdicts["bob"].verdict) == (PASSED, FAILED), verdicts
    assert verdicts["ann"].points == verdicts["ann"].max_points > 0 == verdicts["bob"].points
    assert "evidence.impossible" in [m.id for m in verdicts["bob"].misconceptions]
    assert (verdicts["cid"].verdict, verdicts["cid"].max_points) == (BLANK, 1)  # and not: to come
    assert curves["cid"] == []
    assert curves["ann"] == curves["bob"] == ["hw3.runs.q4_10_10"]


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    """Grades with kill -9 at random moments; the gradebook ends as one that was never killed."""
    folder = tmp_path / "in"
    small_class(folder)
    command = [sys.executable, "-m", "autograder", *grade_command(folder, tmp_path / "killed")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    generator = random.Random(0)
    kills = 0
    while not ended(command, environment, tmp_path / "killed", generator):
        kills += 1
        time.sleep(1.0)  # its workers notice
    assert kills >= KILLS // 2  # the more it has judged, the less is left to be killed
    assert main(grade_command(folder, tmp_path / "whole")) == 0
    assert rows(tmp_path / "killed") == rows(tmp_path / "whole")
    # Two jobs, each with one check in flight; and a busy machine ends some early, in any run.
    early = MORE_EARLY + started_again(tmp_path / "whole")
    assert started_again(tmp_path / "killed") <= 2 * kills + early


def started_again(folder: Path) -> int:
    """How often a check was started beyond once."""
    with contextlib.closing(sqlite3.connect(folder / FILE)) as connection:
        (starts,) = connection.execute("SELECT SUM(times) FROM attempts").fetchone()
        (checks,) = connection.execute("SELECT COUNT(*) FROM verdicts").fetchone()
    return int(starts) - int(checks)


def ended(
    command: list[str], environment: dict[str, str], folder: Path, generator: random.Random
) -> bool:
    """Runs a command until there are a few more verdicts, and kills it; tells if it had ended."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        wanted = verdicts_in(folder) + generator.randint(1, 2 * 5 * 20 // KILLS)
        while process.poll() is None:
            if verdicts_in(folder) >= wanted:
                time.sleep(generator.uniform(0, 0.1))
                process.kill()
                return False
            time.sleep(0.01)
    assert process.returncode == 0
    return True


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the clusters' own code
@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_a_cluster_gives_the_same_gradebook(tmp_path: Path, engine: str) -> None:
    """Grades on a cluster of two workers on this machine, and by local processes."""
    folder = tmp_path / "in"
    small_class(folder)
    with two_workers(engine):
        assert main(grade_command(folder, tmp_path / engine, "--engine", engine)) == 0
    assert main(grade_command(folder, tmp_path / "loky")) == 0
    assert rows(tmp_path / engine) == rows(tmp_path / "loky")
    assert scores(tmp_path / engine)["ann"] == (100, JUDGED)


@contextlib.contextmanager
def two_workers(engine: str) -> Iterator[None]:
    """Runs a cluster of two nodes, one worker each, where commands find it."""
    if engine == "ray":
        cluster_utils = pytest.importorskip("ray.cluster_utils")
        cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        cluster.add_node(num_cpus=1)
        variable, address = "RAY_ADDRESS", cluster.address
        end = cluster.shutdown
    else:
        distributed = pytest.importorskip("distributed")
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        )
        variable, address = "DASK_SCHEDULER_ADDRESS", cluster.scheduler_address
        end = cluster.close
    os.environ[variable] = address
    try:
        yield
    finally:
        del os.environ[variable]
        end()
