"""The grader's names: none that was retired for a standard word comes back."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = ("autograder", "tests/autograder", "benchmarks")

WORDS = {  # a part of an identifier or of a file's name -> what is written instead
    "site": "mutation point",
    "sites": "mutation points",
    "way": "mutation, or equivalent form",
    "ways": "mutations, or equivalent forms",
    "variant": "mutant",
    "variants": "mutants",
    "family": "shared mutations",
    "families": "shared mutations",
    "mistake": "misconception",
    "fingerprint": "input sensitivity",
    "fingerprints": "digests",
    "world": "fake",
    "worlds": "fakes",
    "observed": "seen, or actual",
    "told": "message, or report",
    "tell": "describe, or report",
    "tells": "describe, or report",
    "say": "report",
    "says": "report",
    "said": "message",
    "manifest": "digests",
}
NAMES = {  # a whole identifier -> what is written instead; the word alone has other meanings
    "Answer": "MutationSet",
    "answer_of": "mutation_set_of",
    "Known": "RecordedOracle",
    "Predicted": "LiveOracle",
    "known_of": "oracle_for",
    "Observation": "Seen",
    "Handed": "JudgedRun",
    "HandedIn": "RunFolder",
    "handed": "run_folder, or judged_runs",
    "is_copy": "is_handout",
}
FILES = {  # the name of a module or folder of the grader -> where its content is now
    "answers": "mutations",
    "archives": "read_submission",
    "box": "sandbox_inside",
    "core": "misconceptions",
    "copies": "shared_runs",
    "duplicates": "run_sketch",
    "homework": "catalogue",
    "judge": "judgement, explain",
    "numbers": "close",
    "other_years": "wrong_handout",
    "plain": "text",
    "predictions": "live_oracle",
    "public_tree": "handout_files",
    "regions": "blanks",
    "relations": "wording",
    "sandbox": "sandbox_client",
    "spread": "parallel",
    "together": "blame",
}
KEYS = {  # the key of a table of mutations -> what is written instead
    "alone": "no_pairs",
    "calls": "line_contains",
    "drawn": "flags_first",
    "everywhere": "in_all_solutions",
    "family": "shared_file",
    "flags": "flags_last",
    "hides": "masks",
    "site": "point",
    "together": "interacts",
}
TRAINING = {  # a whole identifier of cs285 or of its scripts -> what is written instead
    "ArrayNetwork": "NumpyMLP",
    "Collector": "RolloutCollector",
    "EpisodeWatch": "EpisodeMonitor",
    "LeanAdam": "FusedAdam",
    "MeanAction": "DeterministicPolicy",
    "MostLikely": "DeterministicPolicy",
    "OnPolicyAgent": "Agent",
    "Over": "SelectorOfSelectors",
    "Record": "MemberScores",
    "SideBySide": "VectorEnv",
    "SteppingAgent": "Agent",
    "Stepper": "OffPolicyAgent",
    "WithoutNoise": "DeterministicPolicy",
    "begin": "init_actor_critic",
    "build_layers": "build_mlp",
    "descend": "gradient_step",
    "longest_step": "scale_to_trust_region",
    "random_steps": "start_steps",
    "soft_copy": "polyak_update",
}
OLD_HANDOUTS_ASK = {("cs285/infrastructure/pytorch_util.py", "LeanAdam")}


def parts(name: str) -> list[str]:
    """Returns the words of an identifier, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def identifiers(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields line and name of each identifier."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name):
            yield line, node.id
        elif isinstance(node, ast.Attribute):
            yield line, node.attr
        elif isinstance(node, ast.arg | ast.keyword):
            yield line, node.arg or ""
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield line, node.name
        elif isinstance(node, ast.alias):
            yield from ((line, name) for name in imported(node))


def imported(node: ast.alias) -> list[str]:
    """Returns the last part of what is imported, and what it is called here."""
    return [node.name.rpartition(".")[2], node.asname or ""]


def retired(name: str) -> str | None:
    """Returns the standard word for an identifier, if it is retired; a test's is a sentence."""
    if name.startswith("test_"):
        return None
    if name in NAMES:
        return NAMES[name]
    return next((WORDS[word] for word in parts(name) if word in WORDS), None)


def in_code(text: str, where: str) -> list[str]:
    """Returns a line for each retired identifier of a Python file."""
    return [
        f"{where}:{line}: {name}: write {instead}"
        for line, name in identifiers(ast.parse(text))
        if (instead := retired(name))
    ]


def in_path(path: str) -> list[str]:
    """Returns a line for a file whose name, or whose folder's, is retired."""
    found = []
    for name in path.split("/"):
        stem = name.partition(".")[0]
        instead = retired(stem)
        if path.startswith("autograder/"):
            instead = instead or FILES.get(stem)
        if instead:
            found.append(f"{path}: {name}: write {instead}")
    return found


def in_mutations(text: str, where: str) -> list[str]:
    """Returns a line for each retired key of a file of mutations; ids in it are free."""
    table = tomllib.loads(text)
    found = [key for key in table if key in KEYS]
    points = [*table.get("point", []), *table.get("at", {}).values()]
    options = [value for point in points for value in point.values() if isinstance(value, dict)]
    found += [key for one in (*points, *options) for key in ("family", "in") if key in one]
    return [f"{where}: {key}: write {KEYS.get(key, 'solution')}" for key in found]


def files(pattern: str) -> Iterator[tuple[str, Path]]:
    """Yields path and file of what lies in the places that are looked at."""
    for place in PLACES:
        for file in sorted((ROOT / place).rglob(pattern)):
            path = file.relative_to(ROOT).as_posix()
            if not any(part in path for part in ("__pycache__", "/tables/", "/old_files/")):
                yield path, file


def test_identifiers() -> None:
    found = [line for path, file in files("*.py") for line in in_code(file.read_text(), path)]
    assert not found, "\n".join(found)


def in_training(text: str, where: str) -> list[str]:
    """Returns a line for each retired identifier of a file of the training half."""
    return [
        f"{where}:{line}: {name}: write {TRAINING[name]}"
        for line, name in identifiers(ast.parse(text))
        if name in TRAINING and (where, name) not in OLD_HANDOUTS_ASK
    ]


def test_identifiers_of_the_training_half() -> None:
    sources = [file for place in ("cs285", "scripts") for file in (ROOT / place).rglob("*.py")]
    assert len(sources) > 60
    found = [
        line
        for file in sources
        for line in in_training(file.read_text(), file.relative_to(ROOT).as_posix())
    ]
    assert not found, "\n".join(found)


def test_a_retired_name_of_the_training_half_is_found() -> None:
    text = "class Stepper:\n    def go(self, random_steps):\n        soft_copy(random_steps)\n"
    assert len(in_training(text, "x.py")) == 4


def test_names_of_files() -> None:
    found = [line for path, file in files("*") if file.is_file() for line in in_path(path)]
    assert not found, "\n".join(found)


def test_keys_of_data() -> None:
    found = [line for path, f in files("*.toml") for line in in_mutations(f.read_text(), path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "def sites_of(): pass",
        "way = 1",
        "x.families",
        "f(told=1)",
        "class NamedMistake: pass",
        "from autograder.base import fingerprint",
        "from autograder import base as family",
        "def f(observed): pass",
        "f'{known_of(1)}'",
        "class VariantTree: pass",
    ],
)
def test_a_retired_identifier_is_found(code: str) -> None:
    assert in_code(code, "x.py")


@pytest.mark.parametrize("code", ["def test_it_is_told(): pass", "always = 1", "'a way to say it'"])
def test_other_words_are_free(code: str) -> None:
    assert not in_code(code, "x.py")


@pytest.mark.parametrize(
    "path",
    [
        "autograder/core/search.py",
        "autograder/homeworks/hw3/step_world.py",
        "autograder/homeworks/hw3/answers/x.toml",
        "tests/autograder/observed.py",
        "autograder/base/plain.py",
    ],
)
def test_a_retired_name_of_a_file_is_found(path: str) -> None:
    assert in_path(path)


@pytest.mark.parametrize(
    "text",
    [
        'alone = ["clipped"]',
        '[[site]]\nat = "x"',
        '[[point]]\nfamily = "td_target"',
        '[[point]]\nat = "x"\nin = "y"',
        '[at]\n"x".y = {in = "", code = "z"}',
        '[at]\n"x".in = ""',
        '[at]\n"x" = {family = "td_target"}',
    ],
)
def test_a_retired_key_is_found(text: str) -> None:
    assert in_mutations(text, "x.toml")
