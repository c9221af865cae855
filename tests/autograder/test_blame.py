"""Parts that are right alone and crash together: whose fault it is; right ones never do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.checks import Check
from autograder.base.judgement import Judgement
from autograder.base.results import FAILED, GRADER_ERROR, PASSED, Verdict
from autograder.base.seen import PROBE, Seen
from autograder.grading.grader import Grader
from autograder.grading.judging import judge_seen, judged
from autograder.misconceptions.wording import in_words
from autograder.running.declared import load
from autograder.running.see import see
from autograder.running.session import WorkerError
from autograder.source.submission import Tree
from tests.autograder.corpus import Entry, write, wrong
from tests.autograder.judging import CHECKS, judge_package

Judged = Callable[[Check, Seen, int], Judgement]
BY_ID = {check.id: check for check in CHECKS}
WHOLE = [check for check in CHECKS if check.parts]
ACT, ROLLOUT = "hw3.policy.get_action", "hw3.rollouts.sample_trajectory"
ARGMAX = "hw3.argmax.action"
LARGE = "assert self.ob_dim > 4"  # as it is where a policy is judged alone
DYING = wrong("", ACT, "", ("action_dist", f"{LARGE}\naction_dist"))
BYTES = "self.q_net(next_ob_no - 0 * next_ob_no.mean())"
UNFRAMED = "next_ob_no.reshape(-1, next_ob_no.shape[1]))"
GREEDY = ("int(self.actor.get_action(recent)[0])", "self.actor.get_action(recent)")


# Of each: the entry, a part of the student's line that is quoted, and of what was raised there.
DIES = [
    (DYING, LARGE, "Assertion"),
    (wrong("", "hw3.dqn.double_q", "", ("self.q_net(next_ob_no)", BYTES)), BYTES, "Byte"),
    (wrong("", "hw3.dqn.targets", "", ("next_ob_no).max", f"{UNFRAMED}.max")), UNFRAMED, "shape"),
    (wrong("", "hw3.dqn.act", "", GREEDY), "self.env.step(action)", "invalid"),
    (wrong("", "hw3.dqn.act", "", ("int(self.rng", "float(self.rng")), "env.step(", "invalid"),
    (wrong("", "hw3.policy.forward", "", ("if self", f"{LARGE}\nif self")), LARGE, "Assertion"),
]  # fmt: skip
# Forms of the corpus that are right alone, and of which training dies; by which blank is to blame.
DEAD = {
    # The older Gym, which no environment here speaks.
    "- agents/dqn_agent.py right self.replay_buffer_idx = self.replay_buf": "hw3.dqn.step",
    "- infrastructure/rollouts.py right ob = env.reset() obs, acs, rewards, next": ROLLOUT,
    "- infrastructure/rollouts.py right rollout_done = done or len(acs) >= max_p": ROLLOUT,
    "- infrastructure/rollouts.py right terminals.append(done)": ROLLOUT,
    # `FusedAdam.step` takes no closure.
    "- critic.update right loss = self.optimizer.step(closure)": "hw3.critic.update",
    "- policy.update right def closure(): self.optimizer.zero_grad(": "hw3.policy.update",
    # Actions of a form that neither the given code nor an environment takes.
    "- dqn.act right self.replay_buffer_idx = self.replay_buf": "hw3.dqn.act",
    "- policies/argmax_policy.py right if len(obs.shape) > 3: observation = obs": ARGMAX,
    "- trainer.collect right paths, envsteps_this_batch = rollouts.sa": "hw3.trainer.collect",
}


def blamed(folder: Path, entry: Entry, wholes: Sequence[Check] = WHOLE) -> dict[str, Judgement]:
    """Returns what is wrong where the parts of a submission run together, by blank."""
    tree = Tree(write(folder, [entry]))
    found: dict[str, Judgement] = {}
    for check in wholes:
        seen = see(tree, check, 0)
        assert PROBE not in seen.crashes
        found = judge_seen(check, seen, 0).blamed | found
    return found


@pytest.mark.parametrize(
    ("entry", "line", "raised"), DIES, ids=lambda value: getattr(value, "blank", value)
)
@pytest.mark.slow
def test_right_alone_and_dead_together(
    tmp_path: Path, entry: Entry, line: str, raised: str
) -> None:
    alone = judge_package(write(tmp_path, [entry]), [BY_ID[entry.blank]])
    assert alone[entry.blank].passed
    wholes = [check for check in WHOLE if entry.blank in check.parts]
    found = blamed(tmp_path, entry, wholes)
    assert set(found) == {entry.blank}
    text = " ".join([*map(in_words, found[entry.blank].unknown), *found[entry.blank].notes])
    assert line in text.partition('"')[2]
    assert raised in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raises", "whose"),
    [
        (f'{LARGE}, "the sums are nan"', ACT),
        ("if self.ob_dim < 5: torch.distributions.Normal(torch.tensor(float('nan')), 1.0)", ""),
    ],
)
def test_a_nan_that_a_library_meets_may_come_from_anywhere(
    tmp_path: Path, raises: str, whose: str
) -> None:
    """A complaint of the student's own has a line, whatever it says: else a word would be free."""
    entry = wrong("", ACT, "", ("action_dist", f"{raises}\naction_dist"))
    wholes = [check for check in WHOLE if ACT in check.parts]
    found = blamed(tmp_path, entry, wholes)
    assert set(found) == {whose}
    assert "nan" in " ".join([*map(in_words, found[whose].unknown), *found[whose].notes])


def test_where_nothing_shows_who_it_is_nobody_pays(tmp_path: Path) -> None:
    """The line is of given code that was changed, beside a blank."""
    package = write(tmp_path, [])
    file = package / "critics" / "bootstrapped_continuous_critic.py"
    changed = "if self.ob_dim < 5: raise ValueError('only here')\n        value_n"
    file.write_text(file.read_text().replace("value_n", changed, 1))
    assert "only here" in file.read_text()
    (check,) = (check for check in WHOLE if "hw3.critic.update" in check.parts)
    found = judge_seen(check, see(Tree(package), check, 0), 0).blamed
    assert list(found) == [""]
    text = " ".join([*map(in_words, found[""].unknown), *found[""].notes])
    assert "Nothing shows whose fault it is" in text and "only here" in text


def trainings(check: Check) -> Sequence[str]:
    """Returns the names of a check's trainings."""
    return [*load(check.full_probe.partition(":")[0]).trainings]


@pytest.mark.slow
def test_the_reference_runs() -> None:
    for check in WHOLE:
        seen = see(Tree(None), check, 0)
        assert not seen.crashes
        assert seen.cases == {*trainings(check)}
        assert judge_seen(check, seen, 0).passed


# The grader


class Here:
    """A worker in this very process, which fails by itself in the checks `failing`."""

    def __init__(self, package: Path, *failing: str) -> None:
        """Judges a package."""
        self.tree, self.failing, self.asked = Tree(package), failing, list[str]()

    def text_of(self, path: str) -> str | None:
        """Returns the text of a file."""
        return self.tree.student(path)

    def see(
        self,
        check: Check,
        seed: int,
        limit: float,
        alone: bool = False,
        texts: Mapping[str, str] | None = None,
    ) -> Seen:
        """Runs a check's probe."""
        self.asked.append(check.id)
        if check.id in self.failing:
            raise WorkerError("it is gone")
        self.tree.replace(texts or {})
        seen = see(self.tree, check, seed, alone)
        self.tree.replace({})
        return seen


def verdicts(folder: Path, *entries: Entry) -> dict[str, Verdict]:
    """Judges actor-critic's parts, alone and together."""
    return verdicts_of(Here(write(folder, entries)))


def verdicts_of(worker: Here, judged: Judged = judged) -> dict[str, Verdict]:
    """Judges what a worker works on."""
    whole = WHOLE[1]
    checks = [check for check in CHECKS if check is whole or check.id in whole.parts]
    grader = Grader(worker, 0, judged=judged)  # type: ignore[arg-type]
    return {verdict.id: verdict for verdict in grader.judge(checks)}


def test_whoever_is_to_blame_loses_the_points(tmp_path: Path) -> None:
    found = verdicts(tmp_path, DYING)
    failed = found.pop(ACT)
    assert (failed.verdict, failed.points) == (FAILED, 0)
    assert "AssertionError" in failed.message
    assert "where your whole agent trained" in failed.message
    assert {verdict.verdict for verdict in found.values()} == {PASSED}


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a handout, which has no solution."""
    monkeypatch.setattr("autograder.grading.grader.has_solution", lambda homework: False)


@pytest.mark.usefixtures("at_home")
def test_what_is_wrong_alone_explains_all_else(tmp_path: Path) -> None:
    advantage = wrong("", "hw3.ac.advantage", "", ("self.gamma * ", ""))
    found = verdicts(tmp_path, DYING, advantage)
    assert [v.id for v in found.values() if v.verdict != PASSED] == ["hw3.ac.advantage"]


def test_where_the_solution_is_a_blank_pays_whatever_others_are(tmp_path: Path) -> None:
    """Ours stand in the places of what is wrong alone: its points depend on its own text."""
    advantage = wrong("", "hw3.ac.advantage", "", ("self.gamma * ", ""))
    found = verdicts(tmp_path, DYING, advantage)
    lost = {v.id for v in found.values() if v.verdict != PASSED}
    assert lost == {"hw3.ac.advantage", ACT}
    assert "where your whole agent trained" in found[ACT].message


CARRIES = """
if self.ob_dim < 5:
    import sys
    tree = next(one.tree for one in sys.meta_path if hasattr(one, "tree"))
    text = tree.replaced["agents/ac_agent.py"].partition("def estimate_advantage")[2][:450]
    raise type(text, (Exception,), {})(text)
action_dist"""


def test_no_words_of_a_process_that_had_our_bodies_are_shown(tmp_path: Path) -> None:
    """Else one blank could read out to its student what ours is in the others."""
    advantage = wrong("", "hw3.ac.advantage", "", ("self.gamma * ", ""))
    found = verdicts(tmp_path, wrong("", ACT, "", ("action_dist", CARRIES)), advantage)
    assert found[ACT].verdict == FAILED
    assert "raise type(text" in found[ACT].message, "the line is the student's own"
    assert not [v.id for v in found.values() if "critic.forward_np" in v.message]


def test_two_that_only_a_training_shows_both_pay(tmp_path: Path) -> None:
    rate = "self.optimizer.param_groups[0]['lr'] *= 0.9"
    loop = "for _ in range(self.num_target_updates):"
    critic = wrong("", "hw3.critic.update", "", (loop, f"{rate}\n{loop}"))
    found = verdicts(tmp_path, DYING, critic)
    assert {v.id for v in found.values() if v.verdict != PASSED} == {"hw3.critic.update", ACT}


@pytest.mark.usefixtures("at_home")
def test_nothing_is_judged_twice_nor_run_together_while_a_part_is_wrong(tmp_path: Path) -> None:
    noted: list[str] = []

    def noting(check: Check, seen: Seen, seed: int) -> Judgement:
        noted.append(check.id)
        return judged(check, seen, seed)

    advantage = wrong("", "hw3.ac.advantage", "", ("self.gamma * ", ""))
    worker = Here(write(tmp_path, [advantage]))
    verdicts_of(worker, noting)
    assert sorted(noted) == sorted(worker.asked) == sorted(WHOLE[1].parts)


def test_an_error_of_ours_in_one_part_is_not_the_others(tmp_path: Path) -> None:
    found = verdicts_of(Here(write(tmp_path, []), "hw3.ac.advantage"))
    errors = {v.id for v in found.values() if v.verdict == GRADER_ERROR}
    assert errors == {"hw3.ac.advantage", WHOLE[1].id}
    assert [v.verdict for v in found.values()].count(PASSED) == len(found) - len(errors)


@pytest.mark.slow
@pytest.mark.usefixtures("at_home")
def test_an_empty_part_says_nothing_of_others(tmp_path: Path) -> None:
    found = verdicts(tmp_path, DYING, wrong("", ROLLOUT, "", body=f'TODO("{ROLLOUT}")'))
    assert [v.id for v in found.values() if v.verdict != PASSED] == [ROLLOUT]


@pytest.mark.slow
def test_given_code_that_dies_has_a_line_of_its_own(tmp_path: Path) -> None:
    broken = wrong("", "infrastructure/rollouts.py", "", ("return self.batch\n", "return 1 / 0\n"))
    found = verdicts(tmp_path, broken)
    failed = found.pop("hw3.given.beside_actor_critic")
    assert failed.verdict == FAILED
    assert "return 1 / 0" in failed.message
    assert {verdict.verdict for verdict in found.values()} == {PASSED}


@pytest.mark.slow
def test_check_runs_them_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, [DYING])
    assert main(["check", "hw3", "--submission", str(tmp_path)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert " 96 /100" in out
    assert LARGE in out
    assert "beside" not in out.partition("total")[0]
