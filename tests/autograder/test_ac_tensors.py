"""Whoever calls makes the tensors: a train, or a rollout, and methods that take tensors alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from autograder.base.judgement import Judgement
from tests.autograder.corpus import right, write
from tests.autograder.corpus.older_handouts import AC, POLICY, ROLLOUTS, VALUE, method
from tests.autograder.judging import CHECKS, judge_package

pytestmark = pytest.mark.slow

TRAIN = """
batch = [ptu.from_numpy(array) for array in (ob_no, ac_na, next_ob_no, re_n, terminal_n)]
obs, acs, next_obs, rewards, ends = batch
loss = {}
for _ in range(self.agent_params['num_critic_updates_per_agent_update']):
    loss['Critic_Loss'] = self.critic.update(*batch)
adv = self.estimate_advantage(obs, next_obs, rewards, ends)
for _ in range(self.agent_params['num_actor_updates_per_agent_update']):
    loss['Actor_Loss'] = self.actor.update(obs, acs, adv)
return loss
"""
ADVANTAGE = """
next_values = self.critic(next_ob_no) * (1 - terminal_n)
adv_n = (re_n + self.gamma * next_values - self.critic(ob_no)).detach()
if self.standardize_advantages:
    adv_n = (adv_n - adv_n.mean()) / (adv_n.std(unbiased=False) + 1e-8)
return adv_n
"""
CRITIC = """
for _ in range(self.num_target_updates):
    target = (reward_n + self.gamma * self(next_ob_no) * (1 - terminal_n)).detach()
    for _ in range(self.num_grad_steps_per_target_update):
        loss = self.loss(self(ob_no), target)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
return loss.item()
"""
ACTOR = """
loss = -(self(observations).log_prob(actions) * adv_n).mean()
self.optimizer.zero_grad()
loss.backward()
self.optimizer.step()
return loss.item()
"""
GET_ACTION = "return self(obs[None] if obs.ndim == 1 else obs).sample()"
ROLLOUT = """
import torch
ob, _ = env.reset()
obs, acs, rewards, next_obs, terminals = [], [], [], [], []
over = False
while not over:
    obs.append(ob)
    ac = policy.get_action(torch.tensor(ob, dtype=torch.float32)).numpy()[0]
    acs.append(ac)
    ob, rew, done, truncated, _ = env.step(ac)
    next_obs.append(ob)
    rewards.append(rew)
    terminals.append(done)
    over = done or truncated or len(obs) == max_path_length
return Path(obs, [], acs, rewards, next_obs, terminals)
"""
METHODS = {
    "hw3.ac.train": (AC, "ACAgent.train", TRAIN),
    "hw3.ac.advantage": (AC, "ACAgent.estimate_advantage", ADVANTAGE),
    "hw3.critic.update": (VALUE, "BootstrappedContinuousCritic.update", CRITIC),
    "hw3.policy.update": (POLICY, "MLPPolicyAC.update", ACTOR),
}


def judge(
    folder: Path,
    *changes: tuple[str, str],
    out: Sequence[str] = (),
    ids: Sequence[str] = tuple(METHODS),
) -> dict[str, Judgement]:
    """Judges `ids` of the methods, but for those in `out`, with texts replaced by others."""
    made: dict[str, list[tuple[str, str]]] = {}
    for check, (path, name, body) in METHODS.items():
        for old, new in changes:
            body = body.replace(old, new)
        if check not in out:
            made.setdefault(path, []).append(method(path, name, body))
    entries = [right("", path, *pairs, check="") for path, pairs in made.items()]
    checks = [check for check in CHECKS if check.id in ids]
    return judge_package(write(folder, entries), checks)


def test_methods_may_take_what_the_own_train_hands_over(tmp_path: Path):
    judgements = judge(tmp_path)
    assert all(judgement.passed for judgement in judgements.values()), judgements


def test_mistakes_in_them_are_named(tmp_path: Path):
    slips = ((".detach()", ""), (" * (1 - terminal_n)", ""), ("-(self", "(self"))
    judgements = judge(tmp_path, *slips)
    named = {name: sorted(judgement.ids) for name, judgement in judgements.items()}
    assert named == {
        "hw3.ac.train": [],
        "hw3.ac.advantage": ["advantage.carries_graph", "advantage.no_mask"],
        "hw3.critic.update": ["critic.no_mask", "critic.not_cut"],
        "hw3.policy.update": ["pg_update.wrong_way"],
    }


def test_methods_for_tensors_need_a_train_that_makes_them(tmp_path: Path):
    judgements = judge(tmp_path, out=["hw3.ac.train"])
    named = {name: judgement.ids for name, judgement in judgements.items()}
    assert named.pop("hw3.ac.train") == []
    assert set(map(tuple, named.values())) == {("crash.array_and_tensor",)}


def test_a_train_without_an_end_costs_no_other_method(tmp_path: Path):
    endless = ("batch = ", "while True:\n    pass\nbatch = ")
    judgements = judge(tmp_path, endless, ids=["hw3.policy.update"])
    assert judgements["hw3.policy.update"].ids == ["crash.array_and_tensor"]


def judge_pair(folder: Path, get_action: str, rollout: str) -> dict[str, list[str]]:
    """Returns the mistakes that are named in a policy's action and in a rollout."""
    entries = [
        right("", POLICY, method(POLICY, "MLPPolicy.get_action", get_action)),
        right("", ROLLOUTS, method(ROLLOUTS, "sample_trajectory", rollout)),
    ]
    ids = ("hw3.policy.get_action", "hw3.rollouts.sample_trajectory")
    checks = [check for check in CHECKS if check.id in ids]
    judgements = judge_package(write(folder, entries), checks)
    assert not any(judgement.unknown for judgement in judgements.values()), judgements
    return {name.split(".")[1]: judgement.ids for name, judgement in judgements.items()}


def test_a_rollout_may_hand_tensors_to_a_policy_that_answers_with_tensors(tmp_path: Path):
    assert judge_pair(tmp_path, GET_ACTION, ROLLOUT) == {"policy": [], "rollouts": []}


def test_mistakes_in_such_a_pair_are_named(tmp_path: Path):
    greedy = GET_ACTION.replace("sample()", "mode")
    seeded = ROLLOUT.replace("env.reset()", "env.reset(seed=5)")
    assert judge_pair(tmp_path, greedy, seeded) == {
        "policy": ["get_action.greedy"],
        "rollouts": ["rollout.same_start"],
    }


def test_a_rollout_that_hands_over_arrays_needs_a_policy_for_arrays(tmp_path: Path):
    arrays = ROLLOUT.replace("torch.tensor(ob, dtype=torch.float32)", "ob")
    assert judge_pair(tmp_path, GET_ACTION, arrays)["policy"] == ["crash.array_and_tensor"]
