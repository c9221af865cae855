"""The shape of the source: who may import whom, and how much of it one algorithm takes to read."""

from __future__ import annotations

import ast
import functools
import graphlib
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
CLUSTER = {"autograder.classroom.parallel", "autograder.classroom.parallel.cluster"}
# Each may import what has a lower number; scripts and studies also their own kind.
LAYERS = {
    "scripts": 10,
    "studies": 10,
    "library": 9,
    "experiments": 8,
    "agents": 7,
    "critics": 6,
    "policies": 6,
    "infrastructure/rl_trainer": 5,
    "infrastructure/training": 4,
    "infrastructure/environments": 3,
    "infrastructure/logging": 3,
    "infrastructure/numpy_mlp": 3,
    "configs": 2,
    "infrastructure/matrix_library": 3,
    "infrastructure/own_networks": 3,
    "infrastructure/replay": 3,
    "infrastructure/pytorch_util": 2,
    "infrastructure/rollouts": 2,
    "infrastructure/base": 1,
    "infrastructure/blanks": 1,
    "infrastructure/compiled": 2,
    "infrastructure/fast_torch": 1,
}
# Within these, one file may build on another, in no circle.
OPEN = ("scripts", "studies", "experiments", "agents", "policies", "configs")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def package(path: Path) -> str:
    """The key of `LAYERS` that a file belongs to."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "cs285" else parts
    return "/".join(parts[:2]) if parts[0] == "infrastructure" else parts[0]


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
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names.add(imported_by_name(node.args[0]))
    return names


def imported_by_name(name: ast.expr) -> str:
    """The name that `import_module` gets, as far as it is written: "scripts." of f"scripts.{x}"."""
    first = name.values[0] if isinstance(name, ast.JoinedStr) else name
    return str(first.value).rstrip(".") if isinstance(first, ast.Constant) else "?"


@functools.cache
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
    here = package(path)
    for file in imported_files(path):
        if file.name == "__init__.py" or path.name == "__init__.py":
            continue
        there = package(file)
        beside = LAYERS[here] == LAYERS[there] and (here in OPEN or here == there)
        assert LAYERS[there] < LAYERS[here] or beside, f"{name_of(path)} imports {name_of(file)}"
    roots = {name.split(".")[0] for name in imports(path)}
    forbidden = {"autograder", "tests", "benchmarks"}
    if path.is_relative_to(ROOT / "cs285"):
        forbidden |= {"scripts", "studies"}
    if path.is_relative_to(ROOT / "studies"):  # what connects joblib with a cluster serves both
        assert {name for name in imports(path) if name.startswith("autograder")} <= CLUSTER
        forbidden -= {"autograder"}
    assert not roots & forbidden


def test_no_file_imports_itself_by_way_of_others() -> None:
    files = [path for path in SOURCES if path.name != "__init__.py"]
    arrows = {path: [f for f in imported_files(path) if f != path and f in files] for path in files}
    graphlib.TopologicalSorter(arrows).prepare()  # raises a CycleError that names the circle


def loaded_by_path(path: Path) -> set[str]:
    """Names of what runs a file without an import statement; the layers above do not see these."""
    loaders = {"spec_from_file_location", "SourceFileLoader", "run_path", "exec"}
    nodes = list(ast.walk(ast.parse(path.read_text())))
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    found |= {node.id for node in nodes if isinstance(node, ast.Name)}
    found |= {a.name for node in nodes if isinstance(node, ast.ImportFrom) for a in node.names}
    return found & loaders


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_nothing_is_loaded_by_its_path(path: Path) -> None:
    assert not loaded_by_path(path)


@pytest.mark.parametrize(
    "text",
    [
        "import runpy\nrunpy.run_path('scripts/run.py')",
        "from importlib.util import spec_from_file_location",
        "from importlib.util import spec_from_file_location as find",
        "from importlib import util\nutil.spec_from_file_location('a', 'scripts/run.py')",
        "exec(open('scripts/run.py').read())",
    ],
)
def test_loading_by_path_is_found(text: str, tmp_path: Path) -> None:
    (file := tmp_path / "planted.py").write_text(text)
    assert loaded_by_path(file)


def test_the_readme_says_how_algorithms_are_found() -> None:
    readme = " ".join((ROOT / "README.md").read_text().split())
    registry = ROOT / "cs285/experiments/registry.py"
    assert ("no registries" in readme) != registry.exists() and "found by its file" in readme


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


@pytest.mark.slow
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


# An algorithm -> its agent and its experiment, the most files and lines that reading it may take,
# and the most lines of the agent's own file. Lines hold code, no docstrings and comments.
READING = {
    "DQN": ("dqn_agent", "dqn", 16, 1500, 130),
    "Actor-critic": ("ac_agent", "actor_critic", 16, 1200, 130),
    "Policy gradient": ("pg_agent", "vpg", 16, 1200, 200),
    "DDPG": ("ddpg_agent", "ddpg", 16, 1200, 130),
    "TD3": ("td3_agent", "td3", 16, 1200, 130),
    "SAC": ("sac_agent", "sac", 16, 1200, 130),
    "PPO": ("ppo_agent", "ppo", 16, 1500, 200),
    "TRPO": ("trpo_agent", "trpo", 16, 1500, 200),
    "Portfolio": ("portfolio_agent", "portfolio", 16, 1500, 200),
}
# What the settings of all algorithms share: a reader needs the algorithm's own.
SHARED_SETTINGS = ("settings", "errors")
# In this order one reads: first the settings and the wiring, last the tools.
ORDER = ("configs", "experiments", "agents", "critics", "policies", "infrastructure/replay")
ORDER += ("infrastructure/rl_trainer", "infrastructure/rollouts", "infrastructure/training")
ORDER += ("infrastructure/numpy_mlp",)
ORDER += ("infrastructure/pytorch_util", "infrastructure/fast_torch")
ORDER += ("infrastructure/environments", "infrastructure/base")


def to_read(algorithm: str) -> list[Path]:
    """The files of an algorithm in the order of reading: all that its agent's file imports, the
    trainer, and the experiment, which is the wiring that the script starts."""
    agent, experiment, *_ = READING[algorithm]
    own = ROOT / f"cs285/agents/{agent}.py"
    files = {*closure(own), ROOT / "cs285/infrastructure/rl_trainer.py"}
    files |= {ROOT / f"cs285/experiments/{experiment}.py"}
    named = [file for file in files if file.stem not in ("__init__", *SHARED_SETTINGS)]
    return sorted(named, key=lambda file: (ORDER.index(package(file)), file != own, file))


def reading_line(algorithm: str) -> str:
    """The row of docs/architecture.md about an algorithm."""
    files = to_read(algorithm)
    names = [file.relative_to(ROOT / "cs285").with_suffix("").as_posix() for file in files]
    lines = [code_lines(file) for file in files]
    steps = ", ".join(f"`{name}` {count}" for name, count in zip(names, lines, strict=True))
    return f"| {algorithm} | {len(files)} | {sum(lines):,} | {steps} |"


@pytest.mark.parametrize("algorithm", READING)
@pytest.mark.slow
def test_one_algorithm_is_quickly_read(algorithm: str, capsys: pytest.CaptureFixture[str]) -> None:
    agent, experiment, most_files, most_lines, most_of_agent = READING[algorithm]
    files = to_read(algorithm)
    lines = sum(code_lines(file) for file in files)
    every = {f for f in closure(ROOT / f"cs285/experiments/{experiment}.py") if f.name[:2] != "__"}
    own = code_lines(ROOT / f"cs285/agents/{agent}.py")
    with capsys.disabled():
        print(
            f"\n{algorithm}: {len(files)} files, {lines} lines of code, {own} in its agent; "
            f"by imports from the script {len(every)}, {sum(map(code_lines, every))}"
        )
    assert len(files) <= most_files and lines <= most_lines and own <= most_of_agent


@pytest.mark.parametrize("algorithm", READING)
def test_the_reading_lists_are_as_the_code_is(algorithm: str) -> None:
    text = " ".join((ROOT / "docs/architecture.md").read_text().split())
    assert reading_line(algorithm) in text, f"write: {reading_line(algorithm)}"


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


def test_the_page_lists_the_graders_packages_from_the_bottom() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.partition("### Its packages")[2].partition("###")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(listed) == sorted(packages.LAYER.keys() - {""})
    floors = [packages.LAYER[name] for name in listed]
    assert floors == sorted(floors)


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
    "of_settings.py": "from cs285.infrastructure.base.config import UserError",
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
    fine += ["homeworks/hw3/blanks/sync.toml", "homeworks/shared_mutations/generic.toml"]
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
