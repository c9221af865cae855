"""Whole agents beside ours: right forms pass, dead ones cost the blank that is to blame."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from autograder.base.checks import Check
from autograder.base.results import FAILED, PASSED
from autograder.base.seen import Seen
from autograder.grading.grader import Grader
from autograder.misconceptions import search, stories, story_events
from autograder.misconceptions.catalogue import question
from autograder.misconceptions.live_oracle import BESIDE as BESIDE_SEEDS
from autograder.misconceptions.live_oracle import table_of
from autograder.running import story
from autograder.running.given_code import loses_code, restored
from autograder.running.see import see
from autograder.running.session import Session
from autograder.running.story_traces import PROJECTIONS
from autograder.source.submission import Tree
from tests.autograder.beside import dead_agents, right_agents
from tests.autograder.beside.whole import BESIDE, blamed, text_of
from tests.autograder.corpus import Entry, all_entries, some, write, wrong
from tests.autograder.judging import CHECKS, judge_package, table_from
from tests.autograder.test_blame import DEAD as DIES

LOOP = "- infrastructure/rl_trainer.py right all_logs = [] for _ in range(self.params"
# Forms of the corpus that are right alone and whose agent learns something else; and the blank.
DIFFERS = {
    # The norm of the gradient is clipped at 0.5, which nobody asks for.
    "- critic.update right loss.backward() nn.utils.clip_grad_norm_": "hw3.critic.update",
    # Actions are tensors, which environments refuse: the first evaluation dies.
    "V17 argmax.action right import torch action = torch.topk(torch.a": "hw3.argmax.action",
    # One action alone has no axis: the first evaluation dies.
    "- argmax.action right .argmax(axis=1).squeeze()": "hw3.argmax.action",
    # It learns before `updates_due`: a memory without transitions has no batch.
    LOOP: "hw3.trainer.train",
}


@pytest.mark.slow
@pytest.mark.parametrize("entry", right_agents.ENTRIES, ids=lambda entry: entry.source)
def test_fresh_right_agents_train_as_ours_does(tmp_path: Path, entry: Entry) -> None:
    assert blamed(tmp_path, [entry]) == {}


@pytest.mark.slow
@pytest.mark.parametrize("entry", dead_agents.ENTRIES, ids=lambda entry: entry.source)
def test_fresh_dead_agents_cost_the_blank_that_kills_them(tmp_path: Path, entry: Entry) -> None:
    assert list(blamed(tmp_path, [entry])) == [entry.blank]


RIGHT = [entry for entry in all_entries() if not entry.misconceptions]


@pytest.mark.slow
@pytest.mark.parametrize("entry", some(RIGHT, 6), ids=lambda entry: entry.name)
def test_right_forms_of_the_corpus_train_as_ours_does(tmp_path: Path, entry: Entry) -> None:
    wholes = [check for check in BESIDE if entry.judged_by in check.parts]
    allowed = {"", DIES.get(entry.name, ""), DIFFERS.get(entry.name, "")}
    assert blamed(tmp_path, [entry], wholes).keys() <= allowed


@pytest.mark.slow
def test_a_phase_of_the_copies_and_a_footprint_are_no_mistakes(tmp_path: Path) -> None:
    phase = wrong(
        "", "hw3.dqn.sync", "", ("self.num_param_updates %", "(self.num_param_updates + 2) %")
    )
    footprint = right_agents.ENTRIES[3]
    assert blamed(tmp_path, [phase, footprint], BESIDE[:1]) == {}


@pytest.mark.slow
def test_another_period_is_one(tmp_path: Path) -> None:
    later = "(self.target_update_freq + (self.num_param_updates > 9))"
    period = wrong("", "hw3.dqn.sync", "", ("self.target_update_freq", later))
    found = blamed(tmp_path, [period], BESIDE[:1])
    assert list(found) == ["hw3.dqn.sync"]
    text = text_of(found["hw3.dqn.sync"])
    assert "DQN on vectors: trained with ours beside it: equal until update" in text
    assert "The first difference is in the target. In update" in text
    assert "Look at: hw3.dqn.sync (" in text


A_PATH_MORE = """
paths, envsteps_this_batch = [], 0
while envsteps_this_batch <= batch_size:
    path = rollouts.sample_trajectory(self.env, collect_policy, self.params["ep_len"])
    paths.append(path)
    envsteps_this_batch += rollouts.get_pathlength(path)
"""


@pytest.mark.slow
def test_a_path_more_costs_whoever_asks_for_it(tmp_path: Path) -> None:
    """Each path is right in itself; the rollout that is one too many has nobody to be like."""
    more = wrong("", "hw3.trainer.collect", "", body=A_PATH_MORE)
    found = blamed(tmp_path, [more], BESIDE[1:2])
    assert list(found) == ["hw3.trainer.collect"]
    assert "handed something else to `sample_traject" in text_of(found["hw3.trainer.collect"])


@pytest.mark.slow
def test_a_path_that_is_too_long_costs_the_rollout(tmp_path: Path) -> None:
    """The batch is full sooner, so that fewer paths are asked for, which is not the cause."""
    long = wrong(
        "",
        "hw3.rollouts.sample_trajectory",
        "",
        ("max_path_length", "max_path_length + 1"),
    )
    found = blamed(tmp_path, [long], BESIDE[1:2])
    assert list(found) == ["hw3.rollouts.sample_trajectory"]


OFF = "torch.set_grad_enabled(False)\naction: np.ndarray"
HELD = "self.optimizer.param_groups[0]['params'] = list(self.critic_network.parameters())[:1]"


@pytest.mark.slow
def test_gradients_left_off_cost_whoever_left_them(tmp_path: Path) -> None:
    entry = wrong("", "hw3.argmax.action", "", ("action: np.ndarray", OFF))
    found = blamed(tmp_path, [entry])
    assert list(found) == ["hw3.argmax.action"]
    assert "gradients are switched off for everybody" in text_of(found["hw3.argmax.action"])


@pytest.mark.parametrize(
    "line", ["self.optimizer.param_groups[0]['lr'] *= 0.9", HELD], ids=["rate", "weights"]
)
@pytest.mark.slow
def test_the_students_own_optimizer_is_observed(tmp_path: Path, line: str) -> None:
    loop = "for _ in range(self.num_target_updates):"
    entry = wrong("", "hw3.critic.update", "", (loop, f"{line}\n{loop}"))
    alone = judge_package(write(tmp_path / "alone", [entry]), [_check(entry.blank)])
    assert alone[entry.blank].passed
    found = blamed(tmp_path, [entry])
    assert list(found) == ["hw3.critic.update"]
    assert "changed the weights of a network" in text_of(found["hw3.critic.update"])


def _check(id: str) -> Check:
    return next(check for check in CHECKS if check.id == id)


def test_our_own_files_are_as_they_were_given() -> None:
    """Else all would train twice; who has filled all blanks may delete the import of `TODO`."""
    tree = Tree()
    tree.homework = "hw3"
    assert not restored(tree, tree.given)


@pytest.mark.slow
def test_the_agents_own_actor_may_play(tmp_path: Path) -> None:
    name = "trainer.collect right self.agent.actor"
    entries = [entry for entry in all_entries("hw3") if name in entry.name]
    assert entries
    for entry in entries:
        assert not blamed(tmp_path, [entry], BESIDE[1:2])


def test_given_code_that_went_with_a_blank_is_known() -> None:
    given = 'def f():\n    a = 1\n    # a hint\n    TODO("hw3.dqn.act")\n    return a\n'
    assert not loses_code(given, given.replace('TODO("hw3.dqn.act")', "a += 1"))
    assert not loses_code(given, given.replace('# a hint\n    TODO("hw3.dqn.act")', "a += 1"))
    assert loses_code(given, "def f():\n    return 2\n")


@pytest.mark.slow
def test_given_files_that_were_altered_cost_no_points(tmp_path: Path) -> None:
    networks = wrong("", "infrastructure/pytorch_util.py", "", ("nn.Tanh", "nn.Sigmoid"))
    found = blamed(tmp_path, [networks], BESIDE[1:])
    assert list(found) == [""]
    assert "equal with the files that were given" in text_of(found[""])


@pytest.mark.slow
def test_points_are_taken_once(tmp_path: Path) -> None:
    with_one = write(tmp_path, [dead_agents.ENTRIES[8]])
    session = Session(with_one)
    try:
        found = {verdict.id: verdict for verdict in Grader(session, 0).judge(CHECKS)}
    finally:
        session.close()
    lost = [verdict for verdict in found.values() if verdict.verdict != PASSED]
    assert [(v.id, v.verdict) for v in lost] == [("hw3.critic.update", FAILED)]
    assert "trained with ours beside it" in lost[0].message


# The rule, on numbers alone

DQN, ACTOR_CRITIC = (question(check) for check in BESIDE)
ARGMAX, CALL = "hw3.argmax.action", "ArgMaxPolicy.get_action"


def rows(*values: float, late: int = 0, width: int = 1, caller: int = -1) -> np.ndarray:
    """Returns a row for each update; `late` is its place among the rows of the update."""
    return np.array(
        [[time, 10 * time + late, caller, *[value] * width] for time, value in enumerate(values)]
    )


def net(*values: float) -> np.ndarray:
    return rows(*values, late=5, width=PROJECTIONS)


OURS = {
    f"{CALL} given": rows(1, 2, 3, 4, late=1),
    f"{CALL} returned": rows(1, 2, 3, 4, late=2),
    f"{CALL} left behind": rows(0, late=3),
    "batch": rows(5, 6, 7, 8, late=4),
    "online weights": net(0, 1, 10, 20),
}


def verdict(monkeypatch: pytest.MonkeyPatch, **theirs: np.ndarray) -> dict[str, str]:
    """Judges a training that is as ours but for some streams; returns the text for each blank."""
    named = {"net": "online weights", "batch": "batch"}
    new = {named.get(n, f"{CALL} {n.replace('_', ' ')}"): array for n, array in theirs.items()}
    monkeypatch.setattr(stories.Agent, "references", lambda self, training: iter([OURS]))
    judgement = stories.judge(DQN, training(OURS | new))
    return {blank: text_of(found) for blank, found in judgement.blamed.items()}


def training(streams: Mapping[str, np.ndarray]) -> Seen:
    """Returns what is seen of one training; others would be nobody's."""
    return Seen({f"DQN on vectors/{stream}": array for stream, array in streams.items()})


def test_what_only_leads_never_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    left = np.array([[0, 3, -1, 1.0]])
    assert verdict(monkeypatch, returned=rows(9, 9, 9, 9, late=2), left_behind=left) == {}


def test_a_difference_counts_by_the_distance_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing else differs, nothing shows whose it is."""
    assert verdict(monkeypatch, net=net(0, 1, 10.09, 20)) == {}
    for wrong_net in (net(0, 1, 10.2, 20), net(0, 1, np.nan, 20), net(0, 1, 10)):
        found = verdict(monkeypatch, net=wrong_net)
        assert found.keys() == {""}
        assert "nothing shows whose fault that is" in found[""]


def test_where_the_difference_jumps_most_is_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_net, returned = net(0, 1, 10, 30), rows(1, 2, 3, 9, late=2)
    cause = verdict(monkeypatch, net=wrong_net, returned=returned)
    assert cause.keys() == {ARGMAX}
    assert f"`{CALL}` was given what ours was given, and returned something" in cause[ARGMAX]
    given = rows(1, 2, 3, 9, late=1)  # by given code: no part was running
    assert verdict(monkeypatch, net=wrong_net, returned=returned, given=given).keys() == {""}
    by_a_part = rows(1, 2, 3, 9, late=1, caller=1)
    found = verdict(monkeypatch, net=wrong_net, returned=returned, given=by_a_part)
    assert found.keys() == {"hw3.dqn.act"}
    later = rows(1, 2, 3, 9, late=6)  # after what decides
    assert verdict(monkeypatch, net=wrong_net, returned=later).keys() == {""}


def test_what_grows_slowly_is_led_back_to_where_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = rows(1, 2.001, 3.01, 4.3, late=2)
    assert verdict(monkeypatch, net=net(0, 1, 10, 30), returned=slow).keys() == {ARGMAX}
    rounding = rows(1, 2 + 1e-6, 3, 4, late=2)
    assert verdict(monkeypatch, net=net(0, 1, 10, 30), returned=rounding).keys() == {""}


def test_what_a_call_left_behind_names_the_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    left = np.array([[0, 3, -1, 1.0]])
    found = verdict(monkeypatch, net=net(0, 1, 10, 30), left_behind=left)
    assert found.keys() == {ARGMAX}
    assert "after that gradients are switched off" in found[ARGMAX]


def test_a_call_that_did_not_happen_is_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = OURS | {f"{CALL} given": rows(1, 2, 3, 4, late=1, caller=1)}
    monkeypatch.setattr(stories.Agent, "references", lambda self, training: iter([ours]))
    skipped = {
        name: np.delete(ours[name], 2, axis=0) for name in (f"{CALL} given", f"{CALL} returned")
    }
    theirs = ours | skipped | {"online weights": net(0, 1, 20, 30)}
    assert stories.judge(DQN, training(theirs)).blamed.keys() == {"hw3.dqn.act"}


@pytest.mark.parametrize(
    "odd",
    [np.zeros((4, 0)), np.zeros(3), np.zeros((2, 2, 2)), np.zeros((0, 2)), np.array([[True]])],
)
def test_forged_records_pass_nothing(monkeypatch: pytest.MonkeyPatch, odd: np.ndarray) -> None:
    assert verdict(monkeypatch, net=odd) != {}
    assert verdict(monkeypatch, net=net(0, 1, 20, 20), returned=odd) != {}


# Other machines, and handouts


@pytest.mark.slow
@pytest.mark.parametrize("check", BESIDE, ids=lambda check: question(check).name)
def test_rounding_leads_nobody_astray(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    """Relative noise of 1e-7 on all weights after each update stays far below the tolerance."""
    usual = story.Story._watch

    def noisy(self: story.Story, student_agent: Any, notes: Any) -> None:
        inner, drawn = student_agent.train, torch.Generator().manual_seed(3)

        def train(*batch: Any) -> Any:
            log = inner(*batch)
            for network in self.networks.values():
                for weight in operator.attrgetter(network["at"])(student_agent).parameters():
                    weight.data.mul_(1 + 1e-7 * torch.randn(weight.shape, generator=drawn))
            return log

        student_agent.train = train
        usual(self, student_agent, notes)

    monkeypatch.setattr(story.Story, "_watch", noisy)
    monkeypatch.setattr(story_events, "TOLERANCE", story_events.TOLERANCE / 10)
    assert stories.judge(question(check), see(Tree(None), check, 0)).blamed == {}


@pytest.mark.slow
def test_a_table_judges_as_our_own_run_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table_of(ACTOR_CRITIC, BESIDE_SEEDS)
    assert len(data) < 2e6
    table = table_from(data)
    monkeypatch.setattr(search, "read_table", lambda blank: table)
    assert blamed(tmp_path / "right", [right_agents.ENTRIES[7]], BESIDE[1:]) == {}
    found = blamed(tmp_path / "dead", [dead_agents.ENTRIES[8]], BESIDE[1:])
    assert list(found) == ["hw3.critic.update"]
