"""What every test starts from: one CPU thread, and the same random numbers whatever ran before."""

import os
import signal

import pytest
import torch

from autograder.running import light_torch
from cs285.infrastructure import pytorch_util as ptu

# The networks of the tests are tiny: more threads would only wait for each other. The programs
# that tests start inherit the variable; they run beside another worker of pytest.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(1)

# These begin first: two workers end together only if no long test begins late.
LONGEST = (
    "test_a_grid_killed_twice",
    "test_kill_9_at_random_moments",
    "test_killed_at_any_moment",
    "test_a_small_class",
    "test_a_notebook_as_a_whole",
    "test_a_stopped_run_ends_like_one_left_alone",
    "test_every_entry",
    "test_every_blank_of_every_homework",
    "test_random_weights_under_a_painted_fall",
    "test_each_costs_only_its_own_blank",
    "test_the_whole_command",
    "test_as_a_student",
    "test_a_real_run_passes",
    "test_what_a_blind_check_passes",
    "test_greed_ends_at_the_limits",
    "test_killed_run_ends_like_one_left_alone",
)

# Started in the background, Python ignores Ctrl-C, and so do the programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.name.startswith(LONGEST))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.distributions.Distribution.set_default_validate_args(True)  # a compiled run: off for good
    torch.set_flush_denormal(False)  # a run switches it on for good; a log must tell 5e-324 from 0
    torch.set_float32_matmul_precision("highest")  # a run may ask oneDNN for its products
    ptu.seed_everything(0)


@pytest.fixture(autouse=True)
def _compiler(request: pytest.FixtureRequest) -> None:
    """Judging in this process switches the compiler off for good: training may need it."""
    if "tests/autograder" not in request.node.nodeid:
        light_torch.with_compiler()
