"""Whatever one job does to the process it is done in, all others are done."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.classroom.parallel import in_parallel
from autograder.source import ROOT
from tests.autograder.works import Task, done


@pytest.mark.parametrize("workers", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("deadly", [pytest.param((), marks=pytest.mark.slow), (0,), (3, 7)])
def test_a_process_that_dies_costs_its_own_job_alone(deadly: tuple[int, ...], workers: int) -> None:
    jobs = {str(n): Task(str(n), n in deadly) for n in range(10)}
    found = dict(in_parallel(jobs, done, "loky", workers))
    assert found.keys() == jobs.keys()
    for n, name in enumerate(jobs):
        assert ("has died" in found[name]) == (n in deadly)


ORPHAN = """
import multiprocessing, os, sys, time
from pathlib import Path
from autograder.classroom.grade import end_with_parent

def work(told):
    parent = os.getppid()
    Path(told).write_text(str(os.getpid()))
    while os.getppid() == parent:
        time.sleep(0.01)
    end_with_parent()
    time.sleep(60)

if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=work, args=sys.argv[1:]).start()
    while not os.path.exists(sys.argv[1]) or not Path(sys.argv[1]).read_text():
        time.sleep(0.01)
    os._exit(0)
"""


def test_a_worker_whose_command_was_killed_before_it_looked_ends_all_the_same(
    tmp_path: Path,
) -> None:
    (tmp_path / "orphan.py").write_text(ORPHAN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "orphan.py"), str(tmp_path / "pid")]
    subprocess.run(command, env=environment, check=True, timeout=60)
    worker = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    deadline = time.monotonic() + 10
    while worker.exists() and worker.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, "it lives on"
        time.sleep(0.05)
