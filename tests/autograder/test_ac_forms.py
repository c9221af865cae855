"""Actor-critic's checks on whole files that run here: with bases of their own, other contracts."""

from __future__ import annotations

from pathlib import Path

from autograder.base.judgement import Judgement
from autograder.source.blanks import strip
from tests.autograder.corpus import reference_files
from tests.autograder.judging import CHECKS, judge_package

OLDER_CRITIC = """
import torch
from torch import nn, optim

from .base_critic import BaseCritic
from cs285.infrastructure import pytorch_util as ptu


class BootstrappedContinuousCritic(nn.Module, BaseCritic):
    def __init__(self, hparams):
        super().__init__()
        self.gamma = hparams['gamma']
        self.num_target_updates = hparams['num_target_updates']
        self.num_grad_steps_per_target_update = hparams['num_grad_steps_per_target_update']
        self.critic_network = ptu.build_mlp(
            hparams['ob_dim'], 1, n_layers=hparams['n_layers'], size=hparams['size'])
        self.critic_network.to(ptu.device)
        self.loss = nn.MSELoss()
        self.optimizer = optim.Adam(self.critic_network.parameters(), hparams['learning_rate'])

    def forward(self, obs):
        return self.critic_network(obs).squeeze(1)

    def forward_np(self, obs):
        return ptu.to_numpy(self(ptu.from_numpy(obs)))

    def update(self, ob_no, ac_na, next_ob_no, reward_n, terminal_n):
        for i in range(self.num_grad_steps_per_target_update * self.num_target_updates):
            if i % self.num_grad_steps_per_target_update == 0:
                v_tp1 = self.forward_np(next_ob_no) * (1 - terminal_n)
                target = ptu.from_numpy(reward_n + self.gamma * v_tp1)
            loss = self.loss(self.forward(ptu.from_numpy(ob_no)), target)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()
"""
OLDER_AGENT = """
from collections import OrderedDict

import numpy as np

from .base_agent import BaseAgent
from cs285.critics.bootstrapped_continuous_critic import BootstrappedContinuousCritic
from cs285.policies.MLP_policy import MLPPolicyAC


class ACAgent(BaseAgent):
    def __init__(self, env, agent_params):
        super(ACAgent, self).__init__()
        self.env = env
        self.agent_params = agent_params
        self.gamma = self.agent_params['gamma']
        self.standardize_advantages = self.agent_params['standardize_advantages']
        self.actor = MLPPolicyAC(
            self.agent_params['ac_dim'], self.agent_params['ob_dim'],
            self.agent_params['n_layers'], self.agent_params['size'],
            self.agent_params['discrete'], self.agent_params['learning_rate'])
        self.critic = BootstrappedContinuousCritic(self.agent_params)

    def train(self, ob_no, ac_na, re_n, next_ob_no, terminal_n):
        for _ in range(self.agent_params['num_critic_updates_per_agent_update']):
            critic_loss = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
        advantage = self.estimate_advantage(ob_no, next_ob_no, re_n, terminal_n)
        for _ in range(self.agent_params['num_actor_updates_per_agent_update']):
            actor_loss = self.actor.update(ob_no, ac_na, advantage)
        loss = OrderedDict()
        loss['Critic_Loss'] = critic_loss
        loss['Actor_Loss'] = actor_loss
        return loss

    def estimate_advantage(self, ob_no, next_ob_no, re_n, terminal_n):
        vs, next_vs = self.critic.forward_np(ob_no), self.critic.forward_np(next_ob_no)
        adv_n = re_n + self.gamma * next_vs * (1 - terminal_n) - vs
        if self.standardize_advantages:
            adv_n = (adv_n - np.mean(adv_n)) / (np.std(adv_n) + 1e-8)
        return adv_n
"""
OLDER_BASES = {
    "critics/base_critic.py": "class BaseCritic(object):\n    pass\n",
    "agents/base_agent.py": "class BaseAgent(object):\n    def __init__(self, **kwargs):\n"
    "        super(BaseAgent, self).__init__(**kwargs)\n",
}
CRITIC, AGENT = "critics/bootstrapped_continuous_critic.py", "agents/ac_agent.py"
IDS = ("hw3.critic.update", "hw3.ac.train", "hw3.ac.advantage")


def judge_files(folder: Path, files: dict[str, str]) -> dict[str, Judgement]:
    """Judges a submission that holds these files and no others."""
    for path, text in files.items():
        (folder / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cs285" / path).write_text(text)
    return judge_package(folder / "cs285", [check for check in CHECKS if check.id in IDS])


def test_older_files_are_judged_as_they_are(tmp_path: Path):
    files = OLDER_BASES | {CRITIC: OLDER_CRITIC, AGENT: OLDER_AGENT}
    judgements = judge_files(tmp_path, files)
    assert all(judgement.passed for judgement in judgements.values()), judgements


def test_a_base_that_is_missing_is_named(tmp_path: Path):
    judgements = judge_files(tmp_path, {CRITIC: OLDER_CRITIC, AGENT: OLDER_AGENT})
    assert all(j.ids == ["crash.no_module"] for j in judgements.values()), judgements
    assert any("import BaseCritic" in note for note in judgements[IDS[0]].notes)


def test_mistakes_in_older_files_are_named(tmp_path: Path):
    critic = OLDER_CRITIC.replace(" * (1 - terminal_n)", "")
    agent = OLDER_AGENT.replace("ob_no, ac_na, next_ob_no, re_n", "ob_no, ac_na, re_n, next_ob_no")
    agent = agent.replace("self.actor.update(ob_no, ac_na, advantage)", "0.0")
    judgements = judge_files(tmp_path, OLDER_BASES | {CRITIC: critic, AGENT: agent})
    named = {name: sorted(judgement.ids) for name, judgement in judgements.items()}
    assert named == {
        "hw3.critic.update": ["critic.no_mask"],
        "hw3.ac.train": ["ac_train.critic_swapped", "ac_train.no_actor_update"],
        "hw3.ac.advantage": [],
    }


def test_a_critic_of_columns_goes_with_an_agent_that_knows(tmp_path: Path):
    critic = OLDER_CRITIC.replace("return self.critic_network(obs).squeeze(1)",
                                  "return self.critic_network(obs)")  # fmt: skip
    critic = critic.replace("forward_np(next_ob_no)", "forward_np(next_ob_no)[:, 0]")
    critic = critic.replace(
        "ptu.from_numpy(ob_no)), target)", "ptu.from_numpy(ob_no))[:, 0], target)"
    )
    agent = OLDER_AGENT.replace("(ob_no), self", "(ob_no)[:, 0], self")
    agent = agent.replace("forward_np(next_ob_no)", "forward_np(next_ob_no)[:, 0]")
    judgements = judge_files(tmp_path, OLDER_BASES | {CRITIC: critic, AGENT: agent})
    assert all(judgement.passed for judgement in judgements.values()), judgements


def test_blanks_cost_themselves_alone(tmp_path: Path):
    judgements = judge_files(tmp_path, {
        path: strip(reference_files()[path]) for path in (CRITIC, AGENT)
    })  # fmt: skip
    assert all(judgement.blank for judgement in judgements.values()), judgements
    assert not any(j.ids or j.unknown for j in judgements.values())
    only_critic = judge_files(tmp_path, {AGENT: reference_files()[AGENT]})
    assert {name for name, judgement in only_critic.items() if not judgement.passed} == {IDS[0]}


def test_updates_may_answer_with_logs_if_both_sides_agree(tmp_path: Path):
    path = "policies/MLP_policy.py"
    number = reference_files()[path]
    log = number.replace("return float(loss.item())", "return {'Training Loss': loss.item()}")
    loss = "loss['Actor_Loss'] = actor_loss"
    files = OLDER_BASES | {CRITIC: OLDER_CRITIC}
    files[AGENT] = OLDER_AGENT.replace(loss, f"{loss}['Training Loss']")
    assert judge_files(tmp_path / "agree", files | {path: log})["hw3.ac.train"].passed
    assert not judge_files(tmp_path / "not", files | {path: number})["hw3.ac.train"].passed
