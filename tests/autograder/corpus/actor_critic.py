"""Actor-critic: the critic's fit, the agent's train, and the advantage."""

from __future__ import annotations

from tests.autograder.corpus import Entry

ENTRIES: list[Entry] = []
