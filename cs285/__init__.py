"""cs285: deep reinforcement learning, taught from one solved source."""

import os

# Threads of torch that wait should sleep, not spin: with spinning, another busy program on a
# machine of few cores slows an update down twenty times. Read by OpenMP when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

__version__ = "0.1.0"
