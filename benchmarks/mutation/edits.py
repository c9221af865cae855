"""Changes of a syntax tree for a moment: where its nodes are, and its text with one changed."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Fields that hold no code which runs: types, and how a function is called.
SILENT = ("annotation", "returns", "decorator_list", "type_params", "args")
# Fields whose value can be wrapped in something else.
VALUES = ("value", "left", "right", "operand", "comparators", "args", "elts")


@dataclass(frozen=True)
class Reach:
    """The names that a mistake may put in the place of others.

    Attributes:
        names: Arguments and local variables.
        modules: What the file imports: never replaced, never wrapped.
        values: Attributes of `self` that are only read or written.
        objects: Attributes of `self` that have attributes of their own.
        methods: Of `self`.
    """

    names: tuple[str, ...]
    modules: frozenset[str]
    values: tuple[str, ...]
    objects: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Place:
    """Where a node is: a field of its parent, and the number in that field if it is a list."""

    parent: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.AST:
        """What is there."""
        held = getattr(self.parent, self.field)
        found: ast.AST = held if self.index is None else held[self.index]
        return found

    def put(self, node: ast.AST) -> None:
        """Replaces it."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def places(node: ast.AST) -> Iterator[Place]:
    """Yields the place of every node of code below one, parents first; docstrings left out."""
    for field, held in ast.iter_fields(node):
        if field in SILENT and not (field == "args" and isinstance(node, ast.Call)):
            continue
        parts = held if isinstance(held, list) else [held]
        for number, part in enumerate(parts):
            if isinstance(part, ast.AST) and not is_docstring(part):
                yield Place(node, field, number if isinstance(held, list) else None)
                yield from places(part)


def is_docstring(node: ast.AST) -> bool:
    """Tells whether a statement is nothing but a text."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def suites(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yields every list of statements below a node, the outermost first."""
    for part in ast.walk(node):
        for field in ("body", "orelse", "finalbody"):
            held = getattr(part, field, None)
            if isinstance(held, list) and held and isinstance(held[0], ast.stmt):
                yield held


def inner_suites(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Returns the lists of statements that stand directly within one."""
    fields = (getattr(statement, field, None) for field in ("body", "orelse", "finalbody"))
    return [held for held in fields if isinstance(held, list) and held]


def text_of(tree: ast.AST) -> str:
    """Returns a tree's source; a suite that has lost all its statements gets `pass`."""
    bodies: list[list[ast.stmt] | None] = [getattr(part, "body", None) for part in ast.walk(tree)]
    emptied = [body for body in bodies if body is not None and body == []]
    for body in emptied:
        body.append(ast.Pass())
    text = ast.unparse(ast.fix_missing_locations(tree))
    for body in emptied:
        body.clear()
    return text


def text_with_node(tree: ast.AST, place: Place, node: ast.AST) -> str:
    """Returns the source with another node in one place."""
    before = place.node
    place.put(node)
    text = text_of(tree)
    place.put(before)
    return text


def text_with_suite(tree: ast.AST, suite: list[ast.stmt], other: Sequence[ast.stmt]) -> str:
    """Returns the source with other statements in one suite."""
    before = suite[:]
    suite[:] = other
    text = text_of(tree)
    suite[:] = before
    return text


class _Fill(ast.NodeTransformer):
    """Puts an expression in the place of the name X."""

    def __init__(self, part: ast.expr) -> None:
        self.part = part

    def visit_Name(self, node: ast.Name) -> ast.AST:  # noqa: N802  (ast calls it so)
        """Replaces X."""
        return self.part if node.id == "X" else node


def built(template: str, part: ast.expr) -> ast.expr:
    """Returns a template such as `abs(X)` with an expression in the place of X."""
    filled: ast.expr = _Fill(part).visit(ast.parse(template, mode="eval").body)
    return filled


def is_value(place: Place, reach: Reach) -> bool:
    """Tells whether an expression stands where a number or an array may be changed on its way."""
    node = place.node
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript):
        return False
    if isinstance(node, ast.Name) and node.id in (reach.modules | {"self"}):
        return False
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(place.parent, ast.Attribute):  # of x.f: x, unless it is a plain object
        return isinstance(node, ast.Call | ast.BinOp)
    if isinstance(place.parent, ast.Expr | ast.Subscript | ast.Raise):
        return False
    return place.field in VALUES


def reach_of(function: ast.AST, whole: ast.Module, around: ast.AST | None) -> Reach:
    """Returns what is in reach within a function.

    Args:
        function: With its arguments and local variables.
        whole: The file.
        around: Its class, if it has one.
    """
    modules = imported_by(whole)
    stored = [n for n in ast.walk(function) if isinstance(n, ast.Name | ast.arg)]
    names = [n.arg if isinstance(n, ast.arg) else n.id for n in stored if _binds(n)]
    every = list(ast.walk(around or function))
    own = [n for n in every if isinstance(n, ast.Attribute) and _is_own(n)]
    methods = {n.name for n in every if isinstance(n, ast.FunctionDef)}
    inner = {id(n.value) for n in every if isinstance(n, ast.Attribute)}
    attributes = dict.fromkeys(node.attr for node in own if node.attr not in methods)
    objects = {node.attr for node in own if id(node) in inner}
    return Reach(
        tuple(n for n in dict.fromkeys(names) if n not in ("self", "_") and n not in modules),
        frozenset(modules | set(dir(builtins))),
        tuple(name for name in attributes if name not in objects),
        tuple(name for name in attributes if name in objects),
        tuple(sorted(name for name in methods if not name.startswith("__"))),
    )


@functools.lru_cache(maxsize=4)  # asked for every function of a file
def imported_by(whole: ast.Module) -> frozenset[str]:
    """Returns the names that a file imports."""
    imports = [n for n in ast.walk(whole) if isinstance(n, ast.Import | ast.ImportFrom)]
    return frozenset((a.asname or a.name).split(".")[0] for node in imports for a in node.names)


def _binds(node: ast.AST) -> bool:
    return isinstance(node, ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store)


def _is_own(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def pairs(number: int) -> list[tuple[int, int]]:
    """Returns the pairs of places in a list."""
    return list(itertools.combinations(range(number), 2))
