"""Spreads work over processes or machines, and outlives those of them that die."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

ENGINES = ("loky", "ray", "dask")
ROUNDS = 4  # jobs for each worker that Ray gets at a time
AHEAD = 2  # jobs for each worker that are given out before they are needed
Job = TypeVar("Job")
Done = tuple[str, str]
"""A job's name, and what went wrong on our side, if anything did."""


def in_parallel(
    jobs: Mapping[str, Job], work: Callable[[Job], Done], engine: str, workers: int
) -> Iterator[Done]:
    """Does all jobs, some side by side; yields what became of each.

    Where a process dies, nobody knows of which job: those that it may have been are done one by
    one, each in a process of its own, and the rest goes on.

    Args:
        jobs: By name.
        work: A function of a module.
        engine: One of `ENGINES`.
        workers: How many at the same time.
    """
    left = dict(jobs)
    with cluster(engine):
        while left:
            try:
                for done in _side_by_side(list(left.values()), work, engine, workers):
                    del left[done[0]]
                    yield done
            except BrokenProcessPool:
                for name in list(left)[: AHEAD * workers]:
                    yield _by_itself(name, left.pop(name), work)


def _side_by_side(
    jobs: Sequence[Job], work: Callable[[Job], Done], engine: str, workers: int
) -> Iterator[Done]:
    from joblib import Parallel, delayed, parallel_config

    if engine == "loky" and workers == 1:  # joblib would do it here, where nothing must die
        yield from _one_by_one(jobs, work)
        return
    # Ray's part of joblib returns lists alone, so that it gets the jobs a few at a time.
    size = ROUNDS * workers if engine == "ray" else len(jobs)
    how = "list" if engine == "ray" else "generator_unordered"
    with parallel_config(backend=engine, n_jobs=workers):
        run = Parallel(return_as=how, batch_size=1, pre_dispatch=AHEAD * workers)
        for first in range(0, len(jobs), size):
            yield from run(delayed(work)(job) for job in jobs[first : first + size])


def _one_by_one(jobs: Sequence[Job], work: Callable[[Job], Done]) -> Iterator[Done]:
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=1) as one:
        for job in jobs:
            yield one.submit(work, job).result()


def _by_itself(name: str, job: Job, work: Callable[[Job], Done]) -> Done:
    try:
        return next(_one_by_one([job], work))
    except BrokenProcessPool as error:
        message = str(error).split("\n")[0]
        return name, f"{name[:12]}: the process that judged it has died: {message}"


@contextlib.contextmanager
def cluster(engine: str) -> Iterator[None]:
    """Connects joblib with a cluster, if the engine is one; what is running is used."""
    if engine == "ray":
        import ray
        from ray.util.joblib import register_ray

        register_ray()
        ray.init(ignore_reinit_error=True, log_to_driver=False)
        try:
            yield
        finally:
            ray.shutdown()
    elif engine == "dask":
        from distributed import Client

        with Client(os.environ.get("DASK_SCHEDULER_ADDRESS")):
            yield
    else:
        from joblib.externals.loky import get_reusable_executor

        try:
            yield
        finally:
            get_reusable_executor().shutdown(wait=True)  # and with the processes their boxes
