"""cs285: deep reinforcement learning, taught from one solved source."""

__version__ = "0.1.0"
