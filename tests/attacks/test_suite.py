"""The suite itself: enough of it, each with its idea, and able to do what it says."""

from __future__ import annotations

import socket
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from autograder.grading.grader import Grader
from autograder.running.session import Session
from autograder.source.submission import find_package
from tests.attacks.machine import Listener, descendants, traces
from tests.attacks.suite import ARGMAX, Attack, as_folder, attacks
from tests.autograder.judging import FORMULA

EXPECTATIONS = ("blank", "failed", "passed", "refused")


def by_name(name: str) -> Attack:
    """Returns an attack."""
    return next(attack for attack in attacks() if attack.name == name)


def test_there_are_enough() -> None:
    kinds = Counter(attack.benign for attack in attacks())
    assert kinds[False] >= 230
    assert kinds[True] >= 55


def test_each_says_what_it_is() -> None:
    for attack in attacks():
        assert 20 <= len(attack.idea) <= 100, attack.name
        assert attack.idea.endswith("."), attack.name
        assert attack.expect in EXPECTATIONS, attack.name
        assert (attack.expect == "passed") == attack.benign, attack.name
        assert set(attack.verdicts().values()) <= set(EXPECTATIONS), attack.name


# Only these two run where there is no sandbox, for they touch nothing but this project. The others
# would reach strangers' processes, secrets and networks: never run them out of the box.


@pytest.mark.slow
def test_answers_are_found_where_there_is_no_sandbox(tmp_path: Path, outside: Listener) -> None:
    reported = judged_at_home(by_name("reading/answers_by_import"), tmp_path, 1, outside.port)
    assert "autograder.misconceptions.stories" in reported


@pytest.mark.slow
def test_survivors_end_with_their_worker_where_there_is_no_sandbox(
    tmp_path: Path, outside: Listener
) -> None:
    before = set(descendants())
    reported = judged_at_home(by_name("survivors/nohup"), tmp_path, 1, outside.port)
    assert "left behind" in reported  # it was able to
    deadline = time.monotonic() + 10  # what is killed takes a moment to end
    while left := set(descendants()) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)


def judged_at_home(attack: Attack, folder: Path, copy: int, port: int) -> str:
    """Returns what an attack says in the worker that students use at home, with all rights."""
    place = folder / str(copy)
    as_folder(attack.files(copy, port), place)
    session = Session(find_package(place))
    argmax = [check for check in FORMULA if check.id == ARGMAX]
    try:
        (verdict,) = Grader(session, 1, 20.0).judge(argmax)
    finally:
        session.close()
    return verdict.message


def test_what_gets_out_is_noticed(tmp_path: Path, outside: Listener) -> None:
    before = traces(outside.port)
    with tempfile.NamedTemporaryFile(prefix=f"left-{outside.port}-", dir="/tmp") as file:
        assert traces(outside.port) - before == {file.name}
    for plug, place in (
        (socket.socket(), ("127.0.0.1", outside.port)),
        (socket.socket(socket.AF_UNIX), f"\0cs285-{outside.port}"),
    ):
        with plug:
            plug.connect(place)
            assert plug.recv(1) == b""
    with socket.socket(type=socket.SOCK_DGRAM) as plug:
        plug.sendto(b"x", ("127.0.0.1", outside.port))
        assert plug.recv(1) == b"x"
    while len(outside.heard) < 3:
        time.sleep(0.001)
    outside.heard.clear()
