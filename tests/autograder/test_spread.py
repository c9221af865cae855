"""Whatever one job does to the process it is done in, all others are done."""

from __future__ import annotations

import pytest

from autograder.classroom.spread import spread
from tests.autograder.works import Task, done


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("deadly", [(), (0,), (3, 7)])
def test_a_process_that_dies_costs_its_own_job_alone(deadly: tuple[int, ...], workers: int) -> None:
    jobs = {str(n): Task(str(n), n in deadly) for n in range(10)}
    found = dict(spread(jobs, done, "loky", workers))
    assert found.keys() == jobs.keys()
    for n, name in enumerate(jobs):
        assert ("has died" in found[name]) == (n in deadly)
