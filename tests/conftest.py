"""What every test starts from: one CPU thread, and the same random numbers whatever ran before."""

import os
import signal

import pytest
import torch

from cs285.infrastructure import pytorch_util as ptu

# The networks of the tests are tiny: more threads would only wait for each other. The programs
# that tests start inherit the variable; they run beside another worker of pytest.
os.environ.setdefault("OMP_NUM_THREADS", "1")
torch.set_num_threads(1)

# Started in the background, Python ignores Ctrl-C, and so do the programs that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.set_flush_denormal(False)  # a run switches it on for good; a log must tell 5e-324 from 0
    ptu.seed_everything(0)
