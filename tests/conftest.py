"""What every test starts from: one CPU thread, and the same random numbers whatever ran before."""

import pytest
import torch

from cs285.infrastructure import pytorch_util as ptu

# The networks of the tests are tiny: more threads would only wait for each other.
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def _seeded() -> None:
    ptu.seed_everything(0)
