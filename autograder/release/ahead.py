"""Makes the predictions that a handout needs in parallel processes.

Each is on disk as soon as it is made. So nothing that is finished is lost if a process dies or the
command is interrupted; the next one goes on from there.
"""

from __future__ import annotations

import functools
import gc
import itertools
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.live_oracle import (
    BEGUN,
    FIRST,
    LOOKED_FOR,
    LiveOracle,
    asked,
    cached,
    choices,
    is_kept,
)
from autograder.misconceptions.mutants import MutantTree
from autograder.misconceptions.mutation_file import mutation_set_of
from autograder.misconceptions.oracle import GENERIC, NAMED_SEED
from autograder.release.progress import Progress
from autograder.running.worker import CAN_FORK, warm_up

WHAT = "predicting what misconceptions lead to"
GRADING = -1
"""In the place of a number of mistakes: what a grading asks first."""
AT_FIRST = float("inf")  # how long a job seems before anything of its question was measured
RARELY = 50_000  # objects between looks for cycles: each mutant leaves a few of them


class Job(NamedTuple):
    """The outcomes of so many misconceptions at once, or `GRADING`."""

    question: Question
    seed: int
    wrong: int

    @property
    def kept(self) -> bool:
        """Whether they are on disk already."""
        last = f"{BEGUN}{LOOKED_FOR[-1]}" if self.wrong == GRADING else self.wrong
        return is_kept(self.question, self.seed, last)

    def make(self) -> None:
        """Makes them, and keeps them on disk."""
        if self.wrong == GRADING:
            return LiveOracle(self.question, self.seed).foresee(0)
        cached(self.question, self.seed, self.wrong)
        if self.wrong == 1:
            cached(self.question, self.seed, GENERIC)
            if self.seed == NAMED_SEED:  # a handout has pages
                cached(self.question, self.seed, FIRST)


def predict(homework: str, seeds: Mapping[int, int]) -> None:
    """Makes all predictions of a homework that are not on disk yet.

    Args:
        homework: Such as "hw3".
        seeds: For each seed, how many misconceptions at once, see `Job`.
    """
    missing = list(chains_of(homework, seeds))
    if not missing:
        return
    with Progress(WHAT, sum(map(len, missing))) as progress:
        for job in in_parallel(missing):
            progress.step(job.question.blank)
        for job in itertools.chain(*missing):  # those still missing, since a process has died
            if not job.kept:
                job.make()
                progress.step(job.question.blank)


def predict_for_class(homework: str, seeds: Collection[int]) -> None:
    """Predicts what a grading asks first, in parallel and with a bar.

    Otherwise the first submissions would wait for that, and look as if nothing went on.
    """
    if seeds:
        predict(homework, dict.fromkeys(seeds, GRADING))


def chains_of(homework: str, seeds: Mapping[int, int]) -> Iterator[list[Job]]:
    """Yields the jobs that are to be done one after the other, as far as they are not done yet."""
    for question, known in asked(homework, seeds):
        for seed, most in known.items():
            chain = [Job(question, seed, wrong) for wrong in range(min(most, 0), most + 1)]
            if left := [job for job in chain if not job.kept]:
                yield left


def in_parallel(chains: list[list[Job]]) -> Iterator[Job]:
    """Runs the jobs of each chain one after the other, several chains at once.

    Yields:
        Each job that is done. A job that fails ends its chain, and a process that dies ends all.
    """
    warm_up(MutantTree({}))  # what each process would import by itself
    gc.freeze()  # the collector need not look through PyTorch again and again: a sixth of the time
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*use of fork", DeprecationWarning)
        workers = processors()
        pool = ProcessPoolExecutor(workers, context(), become_worker)
        try:
            yield from in_pool(pool, workers, chains)
        except BrokenProcessPool:
            return
        finally:
            pool.shutdown(cancel_futures=True)
            gc.unfreeze()


def in_pool(pool: ProcessPoolExecutor, workers: int, chains: list[list[Job]]) -> Iterator[Job]:
    """Runs the jobs of each chain one after the other; the one that takes longest goes first."""
    waiting, running = list(chains), dict[Future[float], list[Job]]()
    measured = dict[tuple[Question, int], float]()

    def length(chain: list[Job]) -> float:
        job = chain[0]
        each = measured.get((job.question, job.seed), AT_FIRST)
        return each * number_of(job) if job.wrong > 0 else AT_FIRST

    while waiting or running:
        waiting.sort(key=length)
        while waiting and len(running) < workers:
            chain = waiting.pop()
            running[pool.submit(make, chain[0])] = chain
        for done in wait(running, return_when=FIRST_COMPLETED).done:
            job, *rest = running.pop(done)
            if done.exception() is not None:
                continue  # whoever makes it next will see why
            if not job.wrong:
                measured[job.question, job.seed] = done.result() / number_of(job)
            if rest:
                waiting.append(rest)
            yield job


@functools.cache
def number_of(job: Job) -> int:
    """Returns about how many times a job runs its probe."""
    answer = mutation_set_of(job.question)
    if job.wrong < 2:
        return max(1, sum(1 for _ in answer.choices(max(job.wrong, 0))))
    every = choices(job.question, job.seed, job.wrong)
    return max(1, sum(1 for choice in every if answer.in_handout(choice)))


def make(job: Job) -> float:
    """Makes what a job is for, and keeps it; returns how many seconds that takes."""
    began = time.process_time()
    job.make()
    return time.process_time() - began


def become_worker() -> None:
    """Prepares a process: Ctrl-C ends the command, which then waits for what is nearly finished."""
    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(RARELY)
    torch.set_num_threads(1)


def context() -> multiprocessing.context.BaseContext:
    """Returns how processes are started: forked where that is safe, for they are warm then."""
    return multiprocessing.get_context("fork" if CAN_FORK else "spawn")


def processors() -> int:
    """Returns how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
