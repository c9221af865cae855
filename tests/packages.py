"""The packages of the grader: who imports whom, and what lies where it should not."""

from __future__ import annotations

import ast
import graphlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

LAYERS = (  # from the bottom; a package imports from lower layers alone
    ("base",),
    ("source",),
    ("running",),
    ("isolation", "misconceptions"),
    ("grading",),
    ("authoring", "homeworks", "evidence", "symptoms"),
    ("diagnose", "classroom"),
    ("reports", "release", "gradescope", "student"),
    ("commands",),
    ("",),  # the root
)
LAYER = {package: number for number, layer in enumerate(LAYERS) for package in layer}
OUTSIDE = {"tests", "benchmarks", "scripts", "studies"}
BY_AUTHORS = {"tests", "benchmarks"}  # `author`, which runs in a checkout, judges by these
MOST_PACKAGES = 17  # outside of homeworks/, with the root
AT_THE_ROOT = {"__init__.py", "__main__.py"}
IN_HOMEWORKS = re.compile(
    r"(__init__|conftest)\.py"
    r"|shared_mutations/(__init__\.py|\w+\.toml)"
    r"|(hw\d+)/(__init__\.py|test_\3\.py|checks\.json)"
    r"|hw\d+/(probes|blanks|stories|fakes|runs)/\w+\.(py|toml|json)"
)
KINDS = {".py", ".toml", ".json", ".sql"}  # code, and the tables that it reads


def modules(root: Path, top: str) -> dict[str, Path]:
    """Returns the modules of a package at any depth, by dotted name."""
    found = {}
    for file in sorted((root / top).rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported_names(tree: ast.Module) -> Iterator[str]:
    """Yields the dotted names that a file imports, wherever in it, or asks `import_module` for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = "." * node.level + (node.module or "")
            yield from (f"{above}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            name, first = ast.unparse(node.func).rpartition(".")[2], node.args[0]
            if name in ("import_module", "__import__") and isinstance(first, ast.Constant):
                yield str(first.value)


def imports(root: Path, top: str = "autograder") -> dict[str, set[str]]:
    """Returns which modules of a package each of them imports; of other names, their beginnings."""
    files = modules(root, top)
    graph: dict[str, set[str]] = {}
    for module, file in files.items():
        names = set(imported_names(ast.parse(file.read_text(encoding="utf-8"))))
        graph[module] = {_module_of(name, files) for name in names} - {module}
    return graph


def _module_of(name: str, files: Mapping[str, Path]) -> str:
    """Returns the module in which a name is; another package's or a relative name as it is."""
    shorter = name.rpartition(".")[0]
    return shorter if name not in files and shorter in files else name


def package_of(module: str) -> str:
    """Returns the package at the root of `autograder` in which a module is; "" for the root."""
    _, _, inside = module.partition(".")
    return inside.split(".")[0] if inside.split(".")[0] in LAYER else ""


def wrong_arrows(graph: Mapping[str, set[str]]) -> list[str]:
    """Returns the imports that lead upward or to the side, out of the project, or are relative."""
    found = []
    for module, names in sorted(graph.items()):
        for name in sorted(names):
            top, mine, its = name.split(".")[0], package_of(module), package_of(name)
            upward = name in graph and mine != its and LAYER[its] >= LAYER[mine]
            outside = top in OUTSIDE and not (mine == "authoring" and top in BY_AUTHORS)
            relative = top == ""
            # Only what judges training runs plays by the course's own code.
            plays = mine == "evidence" and name.startswith("cs285.infrastructure.")
            if upward or outside or relative or (top == "cs285" and not plays):
                found.append(f"{module} imports {name}")
    return found


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Returns modules that import each other in a circle; empty if there is none."""
    ours = {module: names & graph.keys() for module, names in graph.items()}
    try:
        graphlib.TopologicalSorter(ours).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def misplaced(root: Path) -> list[str]:
    """Returns the files of `autograder/` that lie where none of their kind may."""
    return [
        path
        for file in sorted((root / "autograder").rglob("*"))
        if file.suffix in KINDS
        and not _in_place(path := file.relative_to(root / "autograder").as_posix())
    ]


def _in_place(path: str) -> bool:
    package, *inside = path.split("/")
    if not inside:
        return path in AT_THE_ROOT
    if package == "homeworks":
        return IN_HOMEWORKS.fullmatch("/".join(inside)) is not None
    if package == "symptoms" and inside[0] == "measured":  # a table for each blank
        return len(inside) == 2 and path.endswith(".json")
    return package in LAYER and len(inside) == 1


def packages(root: Path) -> list[str]:
    """Returns the folders of `autograder/` that have modules, but for those of homeworks."""
    folders = {file.parent.relative_to(root) for file in modules(root, "autograder").values()}
    return sorted(f.as_posix() for f in folders if f.parts[1:2] != ("homeworks",))
