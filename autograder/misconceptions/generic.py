"""Mutations that any blank may have: one quantity with another sign, clipped, dropped, and so on.

A blank's file names its quantities; `shared_mutations/generic.toml` has the changes and words:

    [generic]
    noise = {array = "torch.randn_like(mean_na)", is = "the noise"}
    clip = {number = "self.settings.noise_clip", is = "the bound of the noise"}
    sum = {operation = "reward_n + future_n", is = "the sum of reward and future"}
"""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from autograder.base.results import Misconception
from autograder.misconceptions.mutations import Mutation, MutationPoint

FILE = Path(__file__).parent.parent / "homeworks" / "shared_mutations" / "generic.toml"
KINDS = ("array", "number", "operation")
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.Pow: "**",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
}  # fmt: skip


@functools.cache
def shared() -> Mapping[str, Any]:
    """Returns the changes of each kind of quantity, and their words."""
    found: Mapping[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found


def points(
    table: Mapping[str, Any], prefix: str, reference: str, names: Mapping[str, str]
) -> list[MutationPoint]:
    """Returns a mutation point for each quantity of a table `[generic]`.

    Args:
        table: Name of a quantity -> its kind with its code, and what it is called.
        prefix: Stands before the ids of mistakes.
        reference: What a student is to read.
        names: What `$name` stands for in the code.

    Raises:
        ValueError: If a quantity has no kind, or an operation is none.
    """
    found = []
    for name, quantity in table.items():
        kind = next((kind for kind in KINDS if kind in quantity), None)
        if kind is None or "is" not in quantity:
            raise ValueError(f"[generic] {name}: needs `is` and one of {', '.join(KINDS)}")
        code = Template(quantity[kind]).substitute(names)
        mutations = _mutations(f"{prefix}.{name}", kind, code, quantity["is"], reference)
        found.append(MutationPoint(code, tuple(mutations)))
    return found


def _mutations(start: str, kind: str, code: str, called: str, reference: str) -> Iterator[Mutation]:
    named = {"it": called, "It": called[0].upper() + called[1:]}
    parts = {"AT": code, **(_sides(code) if kind == "operation" else {})}
    for change, text in shared()[kind].items():
        title, explanation = (Template(t).substitute(named) for t in shared()["words"][change])
        id = f"{start}_{change}"
        words = Misconception(id, title, explanation, reference)
        yield Mutation(Template(text).substitute(parts), id, words, no_pairs=True)


def _sides(code: str) -> dict[str, str]:
    """Returns both sides of an operation, and its sign.

    Raises:
        ValueError: If it is no operation of two things.
    """
    tree = ast.parse(code.strip(), mode="eval").body
    if isinstance(tree, ast.BinOp) and type(tree.op) in OPERATORS:
        left, right, operator = tree.left, tree.right, OPERATORS[type(tree.op)]
    elif isinstance(tree, ast.Compare) and type(tree.ops[0]) in OPERATORS:
        left, right, operator = tree.left, tree.comparators[0], OPERATORS[type(tree.ops[0])]
    else:
        raise ValueError(f"[generic]: {code!r} is no operation of two things")
    return {"A": ast.unparse(left), "B": ast.unparse(right), "operator": operator}
