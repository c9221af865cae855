"""Policies' answers: no two mistakes can be taken for each other, and neighbours cost nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from autograder.hw3 import policy_gradient_formula as update_formula
from autograder.hw3.answer_policy_action import (
    MISTAKES,
    UNLIKELY,
    chances_of,
    source_of,
    surprise,
)
from autograder.hw3.checks import CHECKS
from autograder.hw3.mistakes_policy import MISTAKES as OF_POLICY
from autograder.hw3.mistakes_policy_update import MISTAKES as OF_UPDATE
from autograder.hw3.policy_case import ACTIONS, DRAWS, draw_case, other_advantage, update_case
from autograder.hw3.policy_gradient_formula import SAME, agrees, predict_update
from autograder.judge import Choice, Outcome, choices
from tests.autograder.corpus import Entry, homes, policy_file, policy_update, right, write, wrong
from tests.autograder.corpus import policy as corpus
from tests.autograder.judging import judge_package

FORWARD, ACT, UPDATE = "hw3.policy.forward", "hw3.policy.get_action", "hw3.policy.update"
CHECKED = [check for check in CHECKS if check.id in (FORWARD, ACT, UPDATE)]
PUBLIC, FRESH = range(5), range(1000, 1200)
ALL, SOME = [*PUBLIC, *FRESH], [*PUBLIC, *FRESH[:3]]
ALL_PAIRS = pytest.param(ALL, 2, marks=pytest.mark.slow, id="all-pairs")
MARGIN = 3.0  # times the judge's tolerance
ENTROPY = 0.05  # a bonus's share of a change

# Pairs of combinations that are one and the same thing: the judge names the fewest mistakes.
SAME_THING = [
    # The softmax of log-probabilities are the probabilities.
    ({"weight": "1"}, {"weight": "1", "density": "softmax of product"}),
    # Where all actions count, it is of no matter which was taken.
    ({"density": "all"}, {"density": "all", "action": "greedy"}),
    ({"density": "all"}, {"density": "all", "pairs": "advantage of state"}),
    (
        {"density": "all", "weight": "mean A"},
        {"density": "all", "pairs": "advantage of action"},
    ),
    (
        {"density": "all", "action": "greedy"},
        {"density": "all", "pairs": "advantage of state"},
    ),
]


def wrong_parts(choice: Choice, discrete: bool) -> dict[str, str]:
    factors = update_formula.factors(discrete)
    return {f.name: choice[f.name] for f in factors if choice[f.name] not in f.right}


def outcome_of(seed: int, discrete: bool, choice: Choice) -> Outcome:
    case = update_case(seed)
    return predict_update([case, other_advantage(case)], discrete, choice)


def directions(outcome: Outcome) -> np.ndarray:
    """Returns the unit vectors of the predicted changes, shape (2, parameters)."""
    changes = [outcome["a"], outcome["b"]]
    if outcome["entropy"].size:
        bonus = outcome["entropy"] / np.linalg.norm(outcome["entropy"])
        changes = [c + ENTROPY * np.linalg.norm(c) * bonus for c in changes]
    return np.array([c / max(float(np.linalg.norm(c)), 1e-12) for c in changes])


def close_pairs(vectors: np.ndarray, margin: float) -> Iterator[tuple[int, int]]:
    """Yields which rows of (n, parts, size) are close in every part."""
    far = np.zeros((len(vectors),) * 2)
    for part in vectors.swapaxes(0, 1):
        far = np.maximum(far, np.sqrt(np.maximum(2 - 2 * part @ part.T, 0)))
    for i, j in np.argwhere(np.triu(far < margin, 1)):
        yield int(i), int(j)


def confusions(seed: int, discrete: bool, most: int) -> list[tuple[dict[str, str], ...]]:
    """Returns combinations of up to `most` mistakes that look alike and are named differently."""
    combinations = list(choices(update_formula.factors(discrete), most))
    vectors = np.array([directions(outcome_of(seed, discrete, c)) for c in combinations])
    alike = []
    for i, j in close_pairs(vectors, MARGIN * SAME):
        a, b = combinations[i], combinations[j]
        if set(update_formula.named(a, discrete)) != set(update_formula.named(b, discrete)):
            alike.append((wrong_parts(a, discrete), wrong_parts(b, discrete)))
    return [pair for pair in alike if pair not in SAME_THING and pair[::-1] not in SAME_THING]


# Where each state's greedy action is nearly the one taken, whoever spreads the advantages over all
# rows looks the same with greedy actions: then the one mistake is named, and after it the other.
AT_TIMES = [({"pairs": "advantage of state"}, {"action": "greedy", "pairs": "advantage of state"})]
RARELY = 0.03  # of seeds


@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.parametrize(("seeds", "most"), [(ALL, 1), (SOME, 2), ALL_PAIRS])
def test_mistakes_in_an_update_differ(discrete: bool, seeds: Iterable[int], most: int) -> None:
    """Single mistakes over all seeds; pairs, 64,000 for each seed, too in slow tests."""
    found = [alike for seed in seeds for alike in confusions(seed, discrete, most)]
    assert not [alike for alike in found if alike not in AT_TIMES]
    assert len(found) <= RARELY * len(list(seeds))


@pytest.mark.parametrize("discrete", [True, False])
def test_no_mistake_looks_like_a_mixture_with_entropy(discrete: bool) -> None:
    factors = update_formula.factors(discrete)
    for seed in PUBLIC[:2]:
        single = [c for c in choices(factors, 1) if c["entropy"] == "none"]
        for a, b in itertools.permutations(single, 2):
            if not discrete and "greedy" in (a["action"], b["action"]):
                continue  # it moves only the spread, as entropy does
            seen = outcome_of(seed, discrete, a)
            mixed = outcome_of(seed, discrete, {**b, "entropy": "more"})
            assert not agrees((seen["a"], seen["b"]), mixed)


def draw(rng: np.random.Generator, chances: np.ndarray) -> np.ndarray:
    return rng.multinomial(DRAWS, chances).astype(np.int64)


def test_draws_tell_their_distribution() -> None:
    rng = np.random.default_rng(0)
    for seed in [*PUBLIC, *FRESH]:
        case = draw_case(seed)
        for how, mistake in (("p", None), *MISTAKES):
            counts = draw(rng, chances_of(case, how))
            passed = surprise(counts, chances_of(case)) < UNLIKELY
            assert passed == (mistake is None)
            assert mistake is None or source_of(counts, case) == mistake


def test_right_draws_hardly_ever_surprise() -> None:
    """Of 20,000 right students none comes near: the bound's own tail is 1e-12."""
    rng = np.random.default_rng(1)
    chances = chances_of(draw_case(0))
    surprises = np.array([surprise(draw(rng, chances), chances) for _ in range(20_000)])
    assert surprises.max() < UNLIKELY / 2
    assert abs(surprises.mean() - (ACTIONS - 1)) < 0.2  # half of chi-square's 2 (A - 1) degrees


def blank(check: str) -> Entry:
    body = f'from cs285.infrastructure.blanks import TODO\nreturn TODO("{check}")'
    return wrong("", check, (), body=body)


BODIES = {
    FORWARD: wrong("", FORWARD, "forward.spread_fixed", ("self.logstd.exp()", "1 + 0 * mean_na")),
    ACT: wrong("", ACT, "get_action.greedy", ("distribution.sample()", "distribution.mode")),
    UPDATE: wrong("", UPDATE, "pg_update.wrong_way", ("loss = -(", "loss = (")),
}
PLAIN = right("", FORWARD, body=corpus.PLAIN_FORWARD)
SUMS = right("", UPDATE, ("log_prob_n * ptu", "log_prob_n.reshape(len(adv_n), -1).sum(1) * ptu"))
CRASHING = wrong("", FORWARD, (), body="return self.logits_na.no_such_thing")
TENSORS = wrong(
    "",
    "hw3.ac.advantage",
    (),
    ("adv_n: np.ndarray = q_n", "adv_n = torch.tensor(q_n)"),
    ("self.critic.forward_np(ob_no)", "torch.tensor(self.critic.forward_np(ob_no))"),
)
UNCONVERTED = right("", UPDATE, ("ptu.from_numpy(adv_n)", "adv_n"))


@pytest.mark.parametrize(
    ("entries", "named"),
    [
        (list(BODIES.values()), {i: e.mistakes for i, e in BODIES.items()}),
        ([blank(FORWARD)], {FORWARD: "blank"}),
        ([blank(ACT)], {ACT: "blank"}),
        ([blank(FORWARD), blank(ACT)], {FORWARD: "blank", ACT: "blank"}),
        ([blank(FORWARD), BODIES[UPDATE]], {FORWARD: "blank", UPDATE: BODIES[UPDATE].mistakes}),
        ([CRASHING], {FORWARD: ("crash.no_attribute",)}),
        ([PLAIN], {FORWARD: ("forward.components_apart",)}),
        ([PLAIN, SUMS], {}),
        ([SUMS], {}),
        ([TENSORS, UNCONVERTED], {}),
        ([UNCONVERTED], {UPDATE: ("crash.array_and_tensor",)}),
    ],
)
def test_neighbours(tmp_path: Path, entries: list[Entry], named: dict[str, object]) -> None:
    judgements = judge_package(write(tmp_path, entries), CHECKED)
    for check, judgement in judgements.items():
        expected = named.get(check, ())
        assert judgement.blank == (expected == "blank")
        assert bool(judgement.unknown) == (expected == "unknown")
        if isinstance(expected, tuple):
            assert tuple(judgement.mistakes) == expected


def test_blank_update(tmp_path: Path) -> None:
    body = f'from cs285.infrastructure.blanks import TODO\nloss = TODO("{UPDATE}")'
    judgements = judge_package(write(tmp_path, [wrong("", UPDATE, (), body=body)]), CHECKED)
    assert {i for i, j in judgements.items() if not j.passed} == {UPDATE}
    assert judgements[UPDATE].blank


@pytest.mark.parametrize("seed", [0, 1, 2, 77])
def test_the_reference_passes_with_any_seed(seed: int) -> None:
    assert all(j.passed for j in judge_package(None, CHECKED, seed).values())


def test_every_mistake_is_in_the_corpus() -> None:
    entries = [*corpus.ENTRIES, *policy_update.ENTRIES, *policy_file.ENTRIES]
    named = {mistake for entry in entries for mistake in entry.mistakes}
    assert (OF_POLICY | OF_UPDATE).keys() <= named
    assert {FORWARD, ACT, UPDATE} <= homes().keys()
