"""A file that chokes the compiler is refused, and no other."""

from __future__ import annotations

import encodings
import pkgutil
from pathlib import Path

import pytest

from autograder.running import compiling
from autograder.source.importing import Tree
from autograder.source.submission import read_source

CHOKES = "def f(): 0\n" * 30_000
FINE = "x = 1\n"


def tree_of(folder: Path, texts: dict[str, str]) -> Tree:
    for path, text in texts.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    return Tree(folder)


def test_the_rest_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SECONDS", 0.3)
    first, chokes, last = "agents/dqn_agent.py", "critics/dqn_critic.py", "policies/MLP_policy.py"
    tree = tree_of(tmp_path, {first: FINE, chokes: CHOKES, last: FINE})
    compiling.compile_files(tree)
    assert tree.refused == {(str(tmp_path / chokes), CHOKES)}
    assert {Path(file).name for file, _ in tree.codes} == {"dqn_agent.py", "MLP_policy.py"}
    with pytest.raises(SyntaxError, match="too long"):
        tree.compiled(CHOKES, str(tmp_path / chokes))
    assert not tree.to_compile()
    (tmp_path / chokes).write_text(FINE)
    assert [text for _, text in tree.to_compile()] == [FINE]


def test_many_such_files_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "SECONDS", 0.3)
    monkeypatch.setattr(compiling, "SECONDS_OF_ALL", 0.5)
    names = ("agents/ac_agent.py", "agents/dqn_agent.py", "critics/dqn_critic.py")
    tree = tree_of(tmp_path, dict.fromkeys(names, CHOKES) | {"policies/MLP_policy.py": FINE})
    compiling.compile_files(tree)
    assert tree.refused >= {(str(tmp_path / name), CHOKES) for name in names}
    assert CHOKES not in {text for _, text in tree.codes}


def test_a_source_in_any_encoding_is_text_or_no_python() -> None:
    codecs = {name for _, name, _ in pkgutil.iter_modules(encodings.__path__)} | {"none such"}
    refused = set()
    for name in codecs:
        try:
            assert read_source(f"# coding: {name}\nx = 1 # ".encode() + b"\xff\xfe\n")
        except SyntaxError:
            refused.add(name)
    assert {"undefined", "rot_13", "hex_codec", "idna", "utf_8"} < refused < codecs
