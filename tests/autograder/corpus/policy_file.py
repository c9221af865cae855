"""Whole files of policies, as older handouts had them."""

# ruff: noqa: E501  (students' lines)

from __future__ import annotations

from tests.autograder.corpus import Entry, reference_files, right

FORWARD, ACT, UPDATE = "hw3.policy.forward", "hw3.policy.get_action", "hw3.policy.update"
PATH = "policies/MLP_policy.py"
OLDER_FILE = """
import abc
import itertools
from typing import Any

import numpy as np
import torch
from torch import distributions, nn, optim
from torch.nn import functional as F

from cs285.infrastructure import pytorch_util as ptu


class MLPPolicy(nn.Module, metaclass=abc.ABCMeta):

    def __init__(self, ac_dim, ob_dim, n_layers, size, discrete=False, learning_rate=1e-4,
                 training=True, nn_baseline=False, **kwargs):
        super().__init__(**kwargs)
        self.ac_dim = ac_dim
        self.ob_dim = ob_dim
        self.n_layers = n_layers
        self.discrete = discrete
        self.size = size
        self.learning_rate = learning_rate
        self.training = training
        self.nn_baseline = nn_baseline
        if self.discrete:
            self.logits_na = ptu.build_mlp(input_size=self.ob_dim, output_size=self.ac_dim,
                                           n_layers=self.n_layers, size=self.size)
            self.logits_na.to(ptu.device)
            self.mean_net = None
            self.logstd = None
            self.optimizer = optim.Adam(self.logits_na.parameters(), self.learning_rate)
        else:
            self.logits_na = None
            self.mean_net = ptu.build_mlp(input_size=self.ob_dim, output_size=self.ac_dim,
                                          n_layers=self.n_layers, size=self.size)
            self.logstd = nn.Parameter(
                torch.zeros(self.ac_dim, dtype=torch.float32, device=ptu.device))
            self.mean_net.to(ptu.device)
            self.logstd.to(ptu.device)
            self.optimizer = optim.Adam(
                itertools.chain([self.logstd], self.mean_net.parameters()), self.learning_rate)

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        if len(obs.shape) > 1:
            observation = obs
        else:
            observation = obs[None]
        observation = ptu.from_numpy(observation.astype(np.float32))
        action = self(observation)
        return ptu.to_numpy(action.sample())

    def update(self, observations, actions, **kwargs):
        raise NotImplementedError

    def forward(self, observation: torch.FloatTensor) -> Any:
        if self.discrete:
            return distributions.Categorical(logits=self.logits_na(observation))
        return distributions.Normal(self.mean_net(observation), torch.exp(self.logstd)[None])


class MLPPolicyAC(MLPPolicy):
    def update(self, obs_no, acs_na, advantages=None, acs_labels_na=None, qvals=None):
        obs_no = ptu.from_numpy(obs_no)
        acs_na = ptu.from_numpy(acs_na)
        advantages = ptu.from_numpy(advantages)
        logp = self(obs_no).log_prob(acs_na)
        if len(logp.shape) > 1:
            logp = logp.sum(-1)
        loss = -(logp * advantages).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()
"""


def _older(check: str, *changes: tuple[str, str]) -> Entry:
    whole = reference_files()[PATH]
    args = ((whole, OLDER_FILE), *changes)
    return right("", PATH, *args, check=check)


# Plain Normal in forward and a sum in update: right together, each wrong with another's other.
ENTRIES = [
    *(_older(check) for check in (ACT, UPDATE)),
    _older(ACT, ("ptu.to_numpy(action.sample())", "action.sample().numpy()")),
]
