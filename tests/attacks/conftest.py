"""A warm sandbox for all attacks, and a machine around it that notices what gets out."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from autograder.isolation.sandbox_client import Sandbox
from autograder.misconceptions import search
from autograder.source.handout_files import given_files
from tests.attacks.machine import Listener, adopt_orphans
from tests.autograder.boxes import REASON, box_works

SECRET = "CANARY-0123456789abcdef"


@pytest.fixture(scope="session")
def outside() -> Iterator[Listener]:
    """The machine around the sandbox: it listens, has a secret, and adopts whoever is left."""
    adopt_orphans()
    os.environ["CS285_SECRET"] = SECRET
    listener = Listener()
    yield listener
    listener.close()
    del os.environ["CS285_SECRET"]


@pytest.fixture(scope="session")
def box(outside: Listener) -> Iterator[Sandbox]:
    """A sandbox."""
    if not box_works():
        pytest.skip(REASON)
    sandbox = Sandbox("hw3")
    yield sandbox
    sandbox.end()


@pytest.fixture
def one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the judge try one group of several mistakes: what is forged has no name.

    The search runs as usual, but it does not run some hundred mutants for each forged record.
    """
    monkeypatch.setattr(search, "TRIES", 1)


@pytest.fixture(scope="session")
def handout() -> list[str]:
    """The paths of the handout's files within `cs285`."""
    return sorted(given_files("hw3"))
