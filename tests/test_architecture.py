"""The shape of the source: who may import whom, and how much of it one algorithm takes to read."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

from tests import packages

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    [*ROOT.glob("cs285/**/*.py"), *ROOT.glob("scripts/*.py"), *ROOT.glob("studies/*.py")]
)
# scripts, studies -> agents -> critics, policies -> infrastructure; each may import those below.
CLUSTER = {"autograder.classroom.parallel", "autograder.classroom.parallel.cluster"}
LAYERS = {"scripts": 3, "studies": 3, "agents": 2, "critics": 1, "policies": 1, "infrastructure": 0}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def layer(path: Path) -> int:
    parts = path.relative_to(ROOT).parts
    return LAYERS[parts[1] if parts[0] == "cs285" else parts[0]]


def imports(path: Path) -> set[str]:
    """Dotted names of everything that a file imports, `from a import b` as both a and a.b."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: relative import"
            names.add(str(node.module))
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def imported_files(path: Path) -> set[Path]:
    """Our own files that a file imports."""
    candidates = {ROOT / (name.replace(".", "/") + ".py") for name in imports(path)}
    candidates |= {path.parent / f"{name}.py" for name in imports(path) if "." not in name}
    return {file for file in candidates if file in SOURCES}


def closure(path: Path) -> set[Path]:
    """The file and all of ours that it pulls in, directly or not."""
    found, waiting = set(), {path}
    while waiting:
        file = waiting.pop()
        found.add(file)
        waiting |= imported_files(file) - found
    return found


def code_lines(path: Path) -> int:
    """Lines that hold code: no blank lines, comments or docstrings."""
    text = path.read_text()
    lines: set[int] = set()
    skip = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*skip, tokenize.ENDMARKER):
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, int(node.end_lineno or 0) + 1))
    return len(lines)


@pytest.mark.parametrize("algorithm", ["ddpg", "td3", "sac", "ppo", "trpo"])
def test_an_algorithm_is_known_to_its_own_files_alone(algorithm: str) -> None:
    """Adding one changes no other: as code spells it, its name stands in files that bear it."""
    spelled = re.compile(rf"(?<![a-z]){algorithm}(?![a-z])")
    knowing = {name_of(file) for file in SOURCES if spelled.search(file.read_text())}
    assert knowing and all(algorithm in Path(name).stem for name in knowing), knowing


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_only_go_down(path: Path) -> None:
    for file in imported_files(path):
        if file.name != "__init__.py" and path.name != "__init__.py":
            # An algorithm's policy is a kind of policy: it may build on the one of all.
            base = file.parent == path.parent and file.name == "MLP_policy.py"
            same = layer(file) == layer(path) and (layer(file) in (0, 3) or base)
            assert layer(file) < layer(path) or same, f"{name_of(path)} imports {name_of(file)}"
    roots = {name.split(".")[0] for name in imports(path)}
    forbidden = {"autograder", "tests", "benchmarks"}
    if path.is_relative_to(ROOT / "cs285"):
        forbidden |= {"scripts", "studies"}
    if path.is_relative_to(ROOT / "studies"):  # what connects joblib with a cluster serves both
        assert {name for name in imports(path) if name.startswith("autograder")} <= CLUSTER
        forbidden -= {"autograder"}
    assert not roots & forbidden


def test_trainer_names_no_agent() -> None:
    text = (ROOT / "cs285/infrastructure/rl_trainer.py").read_text()
    names = [node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    agents = [node.name for path in ROOT.glob("cs285/agents/*.py") for node in classes(path)]
    assert {"DQNAgent", "ACAgent"} <= set(agents)
    assert not set(names) & set(agents)


def classes(path: Path) -> list[ast.ClassDef]:
    return [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ClassDef)]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_functions_and_files_are_short(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 360, f"{name_of(path)} is long"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            # The docstring tells, it does not compute: it does not count.
            first = (
                node.body[1].lineno if ast.get_docstring(node) and node.body[1:] else node.lineno
            )
            length = int(node.end_lineno or 0) - first + 1
            assert length <= 50, f"{name_of(path)}: {node.name} has {length} lines"


OURS = [
    file
    for top in ("autograder", "benchmarks", "cs285", "docs", "scripts", "studies", "tests")
    for file in sorted(ROOT.glob(f"{top}/**/*.py"))
]
BROAD = {"Exception", "BaseException"}


def broad_suppressions(text: str) -> list[int]:
    """Lines that suppress all exceptions, which no linter sees: `except` can say why."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [
        node.lineno
        for node in calls
        if ast.unparse(node.func).rpartition(".")[2] == "suppress"
        and any(ast.unparse(kind).rpartition(".")[2] in BROAD for kind in node.args)
    ]


def test_what_is_suppressed_is_named() -> None:
    found = {name_of(file): broad_suppressions(file.read_text()) for file in OURS}
    assert len(found) > 200
    assert not {name: lines for name, lines in found.items() if lines}


@pytest.mark.parametrize(
    ("call", "broad"),
    [
        ("contextlib.suppress(Exception)", True),
        ("suppress(OSError, BaseException)", True),
        ("contextlib.suppress(builtins.Exception)", True),
        ("contextlib.suppress(OSError, ValueError)", False),
    ],
)
def test_broad_suppressions_are_found(call: str, broad: bool) -> None:
    assert broad_suppressions(f"with {call}:\n    pass\n") == ([1] if broad else [])


NAMES = ["hw2", "hw3_dqn", "hw3_actor_critic"]
NAMES += ["hw4_ddpg", "hw4_td3", "hw4_sac", "hw5_ppo", "hw5_trpo"]


@pytest.mark.parametrize("script", [f"run_{name}.py" for name in NAMES])
def test_one_algorithm_is_quickly_read(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = {file for file in closure(ROOT / "scripts" / script) if file.name != "__init__.py"}
    lines = sum(code_lines(file) for file in files)
    total = sum(len(file.read_text().splitlines()) for file in files)
    with capsys.disabled():
        print(f"\n{script}: {len(files)} files, {lines} lines of code, {total} with comments")
    assert len(files) <= 15
    assert lines <= 2000


GRADER = packages.imports(ROOT)


def test_the_grader_imports_only_downward_and_in_no_circle() -> None:
    assert len(GRADER) > 150
    assert packages.wrong_arrows(GRADER) == []
    assert packages.circle(GRADER) == []


def test_the_grader_has_few_packages_and_no_loose_modules() -> None:
    assert packages.misplaced(ROOT) == []
    found = packages.packages(ROOT)
    assert len(found) <= packages.MOST_PACKAGES, found
    names = {Path(name).name for name in found} - {"autograder"}
    assert names == packages.LAYER.keys() - {"", "homeworks"}


def test_the_graders_files_are_short() -> None:
    files = packages.modules(ROOT, "autograder").values()
    assert not [name_of(file) for file in files if len(file.read_text().splitlines()) > 300]


PLANTED = {  # the name of a file in base -> a line of it that leads where it must not
    "upward.py": "from autograder.source import blanks",
    "lazy.py": "def f():\n    from autograder.source.blanks import strip",
    "by_name.py": "import importlib\nimportlib.import_module('autograder.source.blanks')",
    "typing_only.py": "if TYPE_CHECKING:\n    import autograder.source.blanks",
    "to_root.py": "from autograder.__main__ import main",
    "relative.py": "from .checks import names",
    "of_tests.py": "from tests.running import run",
    "of_an_agent.py": "from cs285.agents.dqn_agent import DQNAgent",
    "of_settings.py": "from cs285.infrastructure.training.config import UserError",
}


def plant(root: Path, files: dict[str, str]) -> dict[str, set[str]]:
    """Writes a grader of a few files; returns which module imports which."""
    usual = {"__main__.py": "", "base/checks.py": "", "source/blanks.py": ""}
    for name, text in {**usual, **files}.items():
        file = root / "autograder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        (file.parent / "__init__.py").touch()
    return packages.imports(root)


@pytest.mark.parametrize("name", PLANTED)
def test_wrong_arrows_are_found(name: str, tmp_path: Path) -> None:
    graph = plant(tmp_path, {f"base/{name}": PLANTED[name], "source/fine.py": "import cs"})
    found = packages.wrong_arrows(graph)
    assert len(found) == 1
    assert found[0].startswith(f"autograder.base.{Path(name).stem} imports ")


def test_an_arrow_to_the_side_is_found(tmp_path: Path) -> None:
    aside = {"isolation/box.py": "import autograder.misconceptions.names"}
    graph = plant(tmp_path, aside | {"misconceptions/names.py": ""})
    assert packages.wrong_arrows(graph) == [
        "autograder.isolation.box imports autograder.misconceptions.names"
    ]


@pytest.mark.parametrize(
    "back", ["import autograder.base.one", "__import__('autograder.base.one')"]
)
def test_circles_are_found(back: str, tmp_path: Path) -> None:
    graph = plant(tmp_path, {"base/one.py": "from autograder.base import two", "base/two.py": ""})
    assert packages.circle(graph) == []
    graph = plant(tmp_path, {"base/two.py": f"def f():\n    {back}"})
    assert {"autograder.base.one", "autograder.base.two"} == set(packages.circle(graph))


@pytest.mark.parametrize(
    "path",
    [
        "loose.py",
        "loose.json",
        "base/below/deep.py",
        "unknown/module.py",
        "homeworks/loose.py",
        "homeworks/hw3/loose.py",
        "homeworks/hw3/test_hw4.py",
        "homeworks/hw3/other/module.py",
        "homeworks/hw3/fakes/below/module.py",
    ],
)
def test_loose_files_are_found(path: str, tmp_path: Path) -> None:
    fine = ["homeworks/conftest.py", "homeworks/hw3/test_hw3.py", "homeworks/hw3/checks.json"]
    fine += ["homeworks/hw3/mutations/sync.toml", "homeworks/shared_mutations/generic.toml"]
    plant(tmp_path, dict.fromkeys(fine, ""))
    assert packages.misplaced(tmp_path) == []
    file = tmp_path / "autograder" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert packages.misplaced(tmp_path) == [path]


def test_packages_are_counted(tmp_path: Path) -> None:
    plant(tmp_path, {"homeworks/hw3/probes/sync.py": "", "base/below/deep.py": ""})
    assert packages.packages(tmp_path) == [
        "autograder",
        "autograder/base",
        "autograder/base/below",
        "autograder/source",
    ]
