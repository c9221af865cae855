"""Operators on expressions: each yields what may stand in the place of one node."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from benchmarks.mutation.edits import Place, Reach, built, pairs

ExpressionOperator = Callable[[Place, Reach], Iterator[ast.AST]]

UNWRAPPED = ("detach", "item", "squeeze", "unsqueeze", "long", "float", "numpy", "cpu", "copy")
GROUPS = (
    ("max", "min", "mean", "sum", "median"),
    ("argmax", "argmin", "max"),
    ("exp", "log", "abs"),
    ("sample", "rsample", "mode", "mean"),
    ("squeeze", "unsqueeze"),
    ("log_prob", "prob", "entropy"),
    ("append", "extend"),
    ("Normal", "Laplace"),
    ("from_numpy", "to_numpy", "observations_from_numpy"),
    ("forward_np", "forward", "qa_values"),
    ("random", "integers", "standard_normal"),
    ("step", "zero_grad", "reset"),
    ("zeros", "ones", "empty"),
)
ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult,),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
}
COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE, ast.Eq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.Eq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


def operands(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """Operands swapped, or one of them alone."""
    node = place.node
    if isinstance(node, ast.BinOp):
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield ast.BinOp(node.right, node.op, node.left)
        yield from (node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def arithmetic(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """Another operation, or the same in the other order of brackets."""
    node = place.node
    if not isinstance(node, ast.BinOp | ast.AugAssign):
        return
    for other in ARITHMETIC.get(type(node.op), ()):
        if isinstance(node, ast.BinOp):
            yield ast.BinOp(node.left, other(), node.right)
        else:
            yield ast.AugAssign(node.target, other(), node.value)
    left = node.left if isinstance(node, ast.BinOp) else None
    if isinstance(node, ast.BinOp) and isinstance(left, ast.BinOp):  # (a o b) p c -> a o (b p c)
        yield ast.BinOp(left.left, left.op, ast.BinOp(left.right, node.op, node.right))


def arguments(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """Arguments swapped."""
    node = place.node
    if isinstance(node, ast.Call | ast.Tuple | ast.List):
        held = node.args if isinstance(node, ast.Call) else node.elts
        for a, b in pairs(len(held)):
            other = held[:]
            other[a], other[b] = held[b], held[a]
            if isinstance(node, ast.Call):
                yield ast.Call(node.func, other, node.keywords)
            else:
                yield type(node)(other, node.ctx)


def argument_dropped(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """An argument left out, or one too many."""
    node = place.node
    if isinstance(node, ast.Call):
        for i in range(len(node.args)):
            yield ast.Call(node.func, node.args[:i] + node.args[i + 1 :], node.keywords)
        for i in range(len(node.keywords)):
            yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
        if node.args:
            yield ast.Call(node.func, [*node.args, node.args[-1]], node.keywords)


def keyword(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """An argument given by a name that it does not have."""
    node = place.node
    if isinstance(node, ast.Call):
        if node.args and not isinstance(node.args[-1], ast.Starred):
            named = ast.keyword("value", node.args[-1])
            yield ast.Call(node.func, node.args[:-1], [*node.keywords, named])
        for i, old in enumerate(node.keywords):
            others = {"dim": "axis", "axis": "dim", "logits": "probs"}
            new = ast.keyword(others.get(old.arg or "", f"{old.arg}s"), old.value)
            yield ast.Call(node.func, node.args, [*node.keywords[:i], new, *node.keywords[i + 1 :]])


def constant(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A constant by one, or another one; a flag turned."""
    node = place.node
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int | float):
            for other in (node.value + 1, node.value - 1, 10 * node.value, node.value / 2):
                yield ast.Constant(other)


def comparison(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A comparison turned, or its sides swapped."""
    node = place.node
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARED[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)
        yield ast.Compare(node.comparators[0], node.ops, [node.left])


def condition(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A condition negated, always true, or never."""
    tested = place.field == "test" or isinstance(place.parent, ast.BoolOp)
    if tested and isinstance(place.node, ast.expr):
        yield ast.UnaryOp(ast.Not(), place.node)
        yield ast.Constant(True)
        yield ast.Constant(False)


def and_or(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """`and` for `or`, or one of its sides left out; one way of two taken."""
    node = place.node
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for i in range(len(node.values)):
            rest = node.values[:i] + node.values[i + 1 :]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse, ast.IfExp(node.test, node.orelse, node.body))


def axis(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """Another axis, or none."""
    node = place.node
    if isinstance(node, ast.keyword) and node.arg in ("dim", "axis"):
        for other in (0, 1, -1, -2, None):
            yield ast.keyword(node.arg, ast.Constant(other))


def name(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A name replaced by another in reach."""
    node = place.node
    if isinstance(node, ast.Name) and node.id in reach.names:
        for other in reach.names:
            yield ast.Name(other, node.ctx)


def attribute(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A network, an observation, a number or a flag of `self` exchanged for another."""
    node = place.node
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        for pool in (reach.values, reach.objects, reach.methods):
            for other in pool if node.attr in pool else ():
                yield ast.Attribute(node.value, other, node.ctx)


def call(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """Another function of the same kind, or none."""
    node = place.node
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        for group in (group for group in GROUPS if node.attr in group):
            for other in group:
                yield ast.Attribute(node.value, other, node.ctx)
    if isinstance(node, ast.Call):
        if len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
            yield node.args[0]
        if isinstance(node.func, ast.Attribute) and isinstance(
            node.func.value, ast.Call | ast.Name
        ):
            yield node.func.value


def detach_removed(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A call such as `.detach()` left out."""
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in UNWRAPPED:
            yield node.func.value


def loop(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """A loop by one, or once, or backwards."""
    node = place.node
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and node.args:
        for template in ("X + 1", "X - 1", "1", "2 * X"):
            last = built(template, node.args[-1])
            yield ast.Call(node.func, [*node.args[:-1], last], [])
        yield built("reversed(X)", node)
    elif place.field == "iter" and isinstance(node, ast.expr):
        for template in ("list(X)[1:]", "list(X)[:-1]", "list(X)[::-1]"):
            yield built(template, node)


def subscript(place: Place, reach: Reach) -> Iterator[ast.AST]:
    """All in the place of a part, or another part."""
    node = place.node
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            yield ast.Subscript(node.value, ast.Constant(-1 - node.slice.value), node.ctx)


EXPRESSIONS: dict[str, ExpressionOperator] = {
    "axis": axis,
    "loop by one": loop,
    "detach removed": detach_removed,
    "operands": operands,
    "arithmetic": arithmetic,
    "arguments swapped": arguments,
    "argument dropped": argument_dropped,
    "keyword": keyword,
    "constant": constant,
    "comparison": comparison,
    "condition": condition,
    "and, or": and_or,
    "name": name,
    "attribute": attribute,
    "call": call,
    "subscript": subscript,
}
