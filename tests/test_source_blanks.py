"""The grammar of solution regions: what a release tool and a student can rely on."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.source import blanks

ROOT = Path(__file__).parent.parent
# The blanks of homework 3, by what the handout calls them.
HW3 = {
    "hw3.dqn.act": "store the frame and act",
    "hw3.dqn.step": "step and store the effect",
    "hw3.dqn.targets": "Bellman targets",
    "hw3.dqn.double_q": "double Q-learning",
    "hw3.dqn.update": "the call to the critic",
    "hw3.dqn.sync": "the target network's turn",
    "hw3.argmax.action": "greedy action",
    "hw3.critic.update": "bootstrapped critic",
    "hw3.ac.train": "actor-critic's train",
    "hw3.ac.advantage": "advantage",
    "hw3.policy.forward": "the policy's distribution",
    "hw3.policy.get_action": "the policy's action",
    "hw3.policy.update": "policy gradient step",
    "hw3.rollouts.sample_trajectory": "a step of a rollout",
    "hw3.trainer.collect": "collect paths",
    "hw3.trainer.train": "sample and train",
}
# Those of homework 2.
HW2 = {
    "hw2.returns.discounted_return": "return of a path",
    "hw2.returns.reward_to_go": "reward-to-go",
    "hw2.returns.gae": "GAE",
    "hw2.pg.q_values": "q-values of the paths",
    "hw2.pg.advantage": "advantages with and without a baseline",
    "hw2.pg.standardize": "advantages standardised",
    "hw2.pg.baseline": "the baseline's targets and steps",
    "hw2.policy.update": "policy gradient step",
    "hw2.value.update": "regression step of V(s)",
}
# Those of homework 5.
HW5 = {
    "hw5.ppo.advantage": "advantages and targets",
    "hw5.ppo.minibatches": "minibatches that cover the batch",
    "hw5.ppo.update": "the three losses and a step",
    "hw5.ppo.standardize": "advantages standardised in a minibatch",
    "hw5.ppo.clipped_loss": "clipped surrogate",
    "hw5.ppo.kl": "estimate of the divergence",
    "hw5.cg.step": "a step of conjugate gradient",
    "hw5.trpo.surrogate": "the surrogate objective",
    "hw5.trpo.fisher_product": "the Fisher matrix times a vector",
    "hw5.trpo.longest_step": "the step to the trust region's edge",
    "hw5.trpo.line_search": "the step shortened until it helps",
}

# And those of homework 4.
HW4 = {
    "hw4.policy.explore": "noise on actions",
    "hw4.critic.soft_copy": "soft copies",
    "hw4.ddpg.targets": "DDPG's targets",
    "hw4.ddpg.actor": "DDPG's actor",
    "hw4.td3.smoothing": "target policy smoothing",
    "hw4.td3.targets": "clipped double Q",
    "hw4.td3.critic": "the critics' loss",
    "hw4.td3.delay": "delayed updates",
    "hw4.squashed.sample": "the reparametrised sample",
    "hw4.squashed.log_prob": "the tanh correction",
    "hw4.sac.targets": "soft targets",
    "hw4.sac.backup": "single, double and clipped Q",
    "hw4.sac.actor": "SAC's actor",
    "hw4.sac.temperature": "the temperature",
}

# And those of homework 6.
HW6 = {
    "hw6.ucb.index": "UCB1's index",
    "hw6.window.update": "the sliding window",
    "hw6.exp3.probs": "EXP3's chances",
    "hw6.exp3.update": "EXP3's weights",
    "hw6.d3rb.choose": "the smallest bound",
    "hw6.d3rb.test": "a guess is doubled",
    "hw6.portfolio.scale": "returns into [0, 1]",
    "hw6.portfolio.choose": "between episodes only",
    "hw6.portfolio.credit": "credit to who played",
    "hw6.portfolio.learn": "all learn",
    "hw6.esbas.epoch": "the next epoch",
    "hw6.portfolio.regret": "what choosing cost",
}


@dataclass(frozen=True)
class Region(blanks.Region):
    """One blank, and the file it is in."""

    path: Path

    def __str__(self) -> str:
        return self.id


def find_regions(path: Path) -> list[Region]:
    """Parses the markers of one file; a stray, nested or malformed one is an error."""
    found = blanks.find_regions(path.read_text(), str(path))
    return [Region(**vars(region), path=path) for region in found]


REGIONS = [r for path in sorted(ROOT.glob("cs285/**/*.py")) for r in find_regions(path)]
every_region = pytest.mark.parametrize("region", REGIONS, ids=str)


def body(region: Region) -> list[ast.stmt]:
    """The outermost statements that lie in the region; each lies in it whole."""
    inside: list[ast.stmt] = []
    for node in ast.walk(ast.parse(region.path.read_text())):
        if not isinstance(node, ast.stmt) or not region.first < node.lineno < region.last:
            continue
        assert int(node.end_lineno or 0) < region.last, f"{region}: a statement reaches out"
        if node.col_offset == region.indent:
            inside.append(node)
    return inside


def function_of(region: Region) -> ast.FunctionDef:
    """The innermost function around the region."""
    around = [
        node
        for node in ast.walk(ast.parse(region.path.read_text()))
        if isinstance(node, ast.FunctionDef)
        and node.body[0].lineno < region.first
        and region.last <= int(node.end_lineno or 0) + 1
    ]
    return max(around, key=lambda node: node.lineno)


def names(nodes: list[ast.stmt], context: type[ast.expr_context]) -> set[str]:
    found = [n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)]
    return {n.id for n in found if isinstance(n.ctx, context)}


@pytest.mark.parametrize(
    ("homework", "blanks"), [("hw2", HW2), ("hw3", HW3), ("hw5", HW5), ("hw6", HW6)]
)
def test_homework_has_its_blanks_once_each(homework: str, blanks: dict[str, str]) -> None:
    ids = [region.id for region in REGIONS if region.id.startswith(f"{homework}.")]
    assert sorted(ids) == sorted(blanks)


def test_homework_4_has_its_blanks_once_each() -> None:
    ids = [region.id for region in REGIONS if region.id.startswith("hw4.")]
    assert sorted(ids) == sorted(HW4)


@every_region
def test_region_is_1_to_12_whole_statements(region: Region) -> None:
    assert body(region)
    assert 1 <= region.last - region.first - 1 <= 12


@every_region
def test_comment_before_it_says_what_to_write(region: Region) -> None:
    line = region.path.read_text().splitlines()[region.first - 2]
    assert line.strip().startswith("# ")
    assert len(line) - len(line.lstrip()) == region.indent


@every_region
def test_arrow_lists_exactly_what_is_read_later(region: Region) -> None:
    function = function_of(region)
    if region.outputs == ("return",):
        assert isinstance(body(region)[-1], ast.Return)
        return
    assigned = names(body(region), ast.Store)
    after = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node.lineno > region.last
    ]
    loops = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.For | ast.While)
        and node.lineno < region.first < int(node.end_lineno or 0)
    ]
    before = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and int(node.end_lineno or 0) < region.first
    ]
    read_later = names(after, ast.Load)
    for loop in loops:  # what the next turn of a loop reads, and the loop did not set before
        read_later |= names(loop.body, ast.Load) & names(before, ast.Store)
    assert set(region.outputs) == assigned & read_later


@every_region
def test_at_most_two_regions_a_function(region: Region) -> None:
    function = function_of(region)
    twins = [
        other
        for other in REGIONS
        if other.path == region.path and function_of(other).lineno == function.lineno
    ]
    assert len(twins) <= 2


@every_region
def test_file_compiles_with_the_region_blank(region: Region) -> None:
    lines = region.path.read_text().splitlines()
    blank = " " * region.indent + (
        "return TODO()"
        if region.outputs == ("return",)
        else f"{', '.join(region.outputs) or '_'} = TODO()"
    )
    lines[region.first - 1 : region.last] = [blank]
    compile("\n".join(lines), str(region.path), "exec")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# BEGIN SOLUTION hw3.a.b\nx = 1\n", "never closed"),
        ("x = 1\n# END SOLUTION\n", "END without BEGIN"),
        ("# BEGIN SOLUTION hw3.a.b\n# BEGIN SOLUTION hw3.a.c\n# END SOLUTION\n", "inside a region"),
        ("# BEGIN SOLUTION hw3.a\nx = 1\n# END SOLUTION\n", "malformed"),
        ("# BEGIN SOLUTION hw3.a.b\nx = 1\n  # END SOLUTION\n", "indented otherwise"),
    ],
)
def test_broken_markers_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "source.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=complaint):
        find_regions(path)
