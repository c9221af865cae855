"""What is told of an exception."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.homeworks.hw3.fakes.table_network import TableNetwork
from autograder.running.crashes import describe
from autograder.running.declared_cases import Double
from cs285.critics.dqn_critic import DQNCritic


def made() -> Callable[[int], int]:
    return lambda a: a


NETWORK = TableNetwork(np.zeros((2, 3), dtype=np.float32))
TOO_MANY = "forward() takes 2 positional arguments but 3 were given"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: NETWORK.forward(1, 2), TOO_MANY),  # type: ignore[call-arg]
        (lambda: made()(1, 2), "<lambda>() takes 1 positional argument but 2 were given"),  # type: ignore[call-arg]
        (lambda: iter(Double({}, {})), "object is not iterable"),
        (lambda: DQNCritic.update_target_network(), "DQNCritic.update_target_network() missing"),  # type: ignore[call-arg]
    ],
)
def test_classes_of_stand_ins_are_not_named(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        wrong()
    assert message in (text := describe(caught.value, "/none").text)
    assert text.startswith("DQNCritic") == message.startswith("DQNCritic")
    assert "Double" not in text and "<locals>" not in text and "TableNetwork" not in text


def test_where_the_tree_lies_is_not_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nothing_in_it.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as caught:
        exec("from nothing_in_it import a_name")
    assert str(tmp_path) in str(caught.value)
    assert describe(caught.value, "/none").text == (
        "cannot import name 'a_name' from 'nothing_in_it'"
    )


@pytest.mark.parametrize(("given", "quoted"), [((), "given.py"), (("given.py",), "own.py")])
def test_the_students_own_line_is_quoted_where_given_code_raises(
    given: tuple[str, ...], quoted: str, tmp_path: Path
) -> None:
    functions: dict[str, Any] = {}
    for name, text in {"given.py": "def f():\n    1 / 0", "own.py": "def g():\n    f()"}.items():
        exec(compile(text, str(tmp_path / name), "exec"), functions)
    with pytest.raises(ZeroDivisionError) as caught:
        functions["g"]()
    assert describe(caught.value, str(tmp_path), given.__contains__).file == quoted
    if given:  # where nothing else led there
        with pytest.raises(ZeroDivisionError) as caught:
            functions["f"]()
        assert describe(caught.value, str(tmp_path), given.__contains__).file == "given.py"
