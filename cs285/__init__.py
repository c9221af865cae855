"""cs285: deep reinforcement learning, taught from one solved source."""

__version__ = "0.2.0"
