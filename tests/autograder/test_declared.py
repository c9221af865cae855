"""What a blank's file declares: cases, calls, what is noted of them, and what is no pass."""

from __future__ import annotations

import json
import tomllib
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from autograder.base import checks
from autograder.base.seen import PROBE, Seen, case_of
from autograder.misconceptions.catalogue import Question, questions
from autograder.misconceptions.live_oracle import cached
from autograder.running import experiments
from autograder.running.declared import declared_probe
from autograder.running.declared_cases import DRAWS, Double, with_rows
from autograder.running.probing import Student
from autograder.source.importing import PackageFinder, Tree

HEAD = '[blank]\nid = "hw9.made.up"\ntitle = "made up"\npoints = 1\n'
MEAN = """[probe]
module = "any"
call = "mean(x_n, scale)"
gives = ["loss"]
learns = ["x_n"]
[given]
x_n = "signed(7)"
scale = 2.0
[cases]
large = {x_n = "300 * x_n"}
"one row" = {rows = 1}
"""
COUNTER = """[scene]
module = "any"
call = "self.add(x)"
[given]
x_kn = "signed(3, 4)"
[first]
self = "Counter()"
[turns]
x = "x_kn"
[before]
old = "self.total"
[reads]
"what is added" = "self.total - old"
"""
RIGHT_MEAN = "def mean(x_n, scale): return scale * x_n.mean()"
RIGHT_COUNTER = """
class Counter:
    def __init__(self): self.total = 0.0
    def add(self, x): self.total = self.total + float(x.sum())
"""


def seen_of(tables: str, code: str) -> Seen:
    """Returns what a probe sees of a student's module with this code."""
    module = ModuleType("any")
    vars(module).update(off=torch.set_grad_enabled, rand=torch.rand)
    exec(code, vars(module))
    student = Student(PackageFinder(Tree()))
    student.module = lambda name: module  # type: ignore[method-assign]
    probe = declared_probe(tomllib.loads(HEAD + tables))
    student.try_out(PROBE, lambda _: experiments.run(probe, student, 0))
    return student.seen


def agrees(tables: str, code: str, right: str) -> bool:
    """Returns whether some code does what the right one does, which raises nothing."""
    ours = seen_of(tables, right)
    assert not ours.crashes
    return seen_of(tables, code).agrees(ours)


def flags(seen: Seen, case: str = "usual") -> set[str]:
    """Returns the flags that are up in a case."""
    arrays = seen.of(case).items()
    return {name for name, array in arrays if array.dtype == np.bool_ and array.any()}


def test_a_function_is_asked_in_each_case() -> None:
    seen = seen_of(MEAN, RIGHT_MEAN)
    cases = [*dict.fromkeys(map(case_of, seen.arrays))]
    assert cases == ["usual", "large", "one row", *DRAWS] and not seen.crashes
    assert seen.arrays["large/loss"] == pytest.approx(300 * seen.arrays["usual/loss"])
    assert seen.arrays["usual/gradient of loss by `x_n`"] == pytest.approx(np.full(7, 2 / 7))
    assert seen.arrays["one row/gradient of loss by `x_n`"].shape == (1,)
    assert not any(flags(seen, case) for case in ("usual", "large", "one row"))


@pytest.mark.parametrize(
    ("code", "flag"),
    [
        ("def mean(x_n, scale): return (scale * x_n).mean().item()", "no_tensor"),
        ("def mean(x_n, scale): return scale * x_n.mul_(1.0).add_(1.0).mean()", "inputs_changed"),
        ("def mean(x_n, s): return s * (x_n + rand(7)).mean()", "not_repeatable"),
        ("def mean(x_n, s): off(False); return s * x_n.mean()", "requires_grad_changed"),
    ],
)
def test_what_no_right_form_does_is_a_flag(code: str, flag: str) -> None:
    only_usual = MEAN.partition("[cases]")[0]
    assert flag in flags(seen_of(only_usual, code))
    assert not agrees(only_usual, code, RIGHT_MEAN)
    allowed = only_usual.replace("learns", f'allowed = ["{flag}"]\nlearns')
    assert flag not in flags(seen_of(allowed, code))


@pytest.mark.parametrize("code", ["", "def median(x_n, scale): return 0.0"])
def test_a_function_that_is_missing_is_no_pass(code: str) -> None:
    assert not agrees(MEAN, code, RIGHT_MEAN)


def test_a_method_that_is_missing_is_no_pass() -> None:
    code = RIGHT_COUNTER.replace("def add", "def count")
    assert not agrees(COUNTER, code, RIGHT_COUNTER)
    assert "no attribute 'add'" in seen_of(COUNTER, code).crashes["usual"].text


def test_a_scene_notes_a_row_for_each_turn() -> None:
    assert seen_of(COUNTER, RIGHT_COUNTER).arrays["usual/what is added"].shape == (3,)
    again = RIGHT_COUNTER.replace("float(x.sum())", "self.kept(x)") + (
        "\n    def kept(self, x):\n"
        "        self.x = getattr(self, 'x', x)\n"
        "        return float(self.x.sum())\n"
    )
    assert agrees(COUNTER, again, RIGHT_COUNTER)  # the same tensor comes each time
    first = again.replace("getattr(self, 'x', x)", "getattr(self, 'x', x.clone())")
    assert not agrees(COUNTER, first, RIGHT_COUNTER)


def test_rows_stay_when_a_later_turn_raises_something() -> None:
    code = RIGHT_COUNTER.replace("self.total = self.total +", "assert not self.total; self.total =")
    seen = seen_of(COUNTER, code)
    assert "usual" in seen.crashes and seen.arrays["usual/what is added"].shape == (1,)
    assert not agrees(COUNTER, code, RIGHT_COUNTER)


def test_a_scene_sees_graphs_and_gradients_that_stay_off() -> None:
    code = RIGHT_COUNTER.replace("float(x.sum())", "x.requires_grad_().sum()")
    assert "keeps_graphs" in flags(seen_of(COUNTER, code))
    code = "import torch" + RIGHT_COUNTER.replace(
        "x): self", "x):\n        torch.set_grad_enabled(False)\n        self"
    )
    assert "without_gradients" in flags(seen_of(COUNTER, code))


def test_names_of_a_case_hide_those_of_the_engine() -> None:
    tables = MEAN.replace("x_n, scale)", "x_n, number)").replace("scale = 2.0", "number = 2.0")
    seen = seen_of(tables, RIGHT_MEAN)
    assert "usual/loss" in seen.arrays and "usual" not in seen.crashes


def test_nan_is_a_number_where_a_file_asks_for_that() -> None:
    code = "def mean(x_n, scale): return scale * x_n.mean() * float('nan')"
    tables = MEAN.replace("gives", "finite = true\ngives")
    assert flags(seen_of(tables, code)) == {"not_finite"}


def test_functions_of_other_blanks_are_replaced_for_a_while() -> None:
    code = "def scaled(x): return x / 0\ndef mean(x_n, scale): return scaled(x_n).mean() * scale"
    tables = f'{MEAN}\n[instead]\n"any:scaled" = "lambda x: x"\n'
    assert agrees(tables, code, RIGHT_MEAN)


def test_a_double_binds_arguments_by_their_names() -> None:
    double = Double({"store(index, action, done=False)": "index + n", "size": "3 + 4"}, {"n": 0})
    assert double.store(5, done=True, action=2) == 5
    assert double.store(index=6, action=1) == 7
    assert double.calls.store == [[5, 2, 1], [6, 1, 0]]
    assert double.size == 7 and double.close() is None
    with pytest.raises(TypeError, match=r"store\(\) missing 1 required positional argument"):
        double.store(5)


@pytest.mark.parametrize(
    ("kind", "known"), [("probe", "gives"), ("scene", "call"), ("story", "log")]
)
def test_an_unknown_key_is_named_with_those_that_are_known(kind: str, known: str) -> None:
    tables = {kind: {"modul": "agents.td3_agent"}}
    with pytest.raises(TypeError, match=rf"\[{kind}\] has no key 'modul'; it may have .*{known}"):
        declared_probe(tables)


def test_a_double_that_is_called_for_ever_ends() -> None:
    double = Double({"step()": "0"}, {})
    with pytest.raises(RecursionError, match="step is called again and again"):
        for _ in range(10**6):
            double.step()


def test_few_rows_are_cut_along_the_axis_of_n() -> None:
    values = {"q_kn": np.zeros((2, 7)), "ob_no": np.zeros((7, 3)), "scale": 1.0, "x_k": np.zeros(7)}
    found = with_rows(values, 2)
    assert [np.shape(one) for one in found.values()] == [(2, 2), (2, 3), (), (7,)]
    assert with_rows({"x_n": np.arange(7)}, [6])["x_n"].tolist() == [6]


def test_letters_of_a_word_are_no_axes() -> None:
    values = {"q_net": np.zeros((5, 7)), "ob_n": np.zeros((7, 5, 3)), "hidden": np.zeros(7)}
    found = with_rows({**values, "actor_net": torch.nn.Linear(3, 2), "kind_n": "plain"}, 2)
    assert [np.shape(found[name]) for name in values] == [(5, 7), (2, 5, 3), (7,)]
    assert found["kind_n"] == "plain"


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (MEAN.replace("gives", "gvies"), "gvies"),
        (MEAN.replace("300 * x_n", "300 * y_n"), "y_n"),
        (MEAN.replace("large = {x_n", "large = {y_n"), "y_n"),
        (MEAN.replace('"signed(7)"', '"signed(7"'), r"never closed \(<signed\(7>"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tables: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        declared_probe(tomllib.loads(HEAD + tables)).cases(0)


HOMEWORKS = checks.names()
ALL = [asked for homework in HOMEWORKS for asked in questions(homework)]


@pytest.mark.parametrize("asked", ALL, ids=lambda asked: str(asked.blank))
@pytest.mark.slow
def test_the_solution_raises_nothing_in_any_case(asked: Question) -> None:
    """A probe that raises something in our own solution passes everything that does so too."""
    seen = cached(asked, 0, 0)[0]
    assert seen.numbers and not seen.raised


@pytest.mark.parametrize("homework", HOMEWORKS)
def test_what_lies_beside_a_students_code_has_no_answers(homework: str) -> None:
    plain: dict[str, Any] = json.loads(checks.as_json(homework))
    folder = checks.HOMEWORKS / homework
    assert plain
    for name, tables in plain.items():
        (file,) = folder.glob(f"*/{name}.toml")
        whole = checks.parsed(file)
        assert tables.keys() <= {*checks.SHOWN}
        assert whole.keys() - tables.keys(), "nothing was left out"
