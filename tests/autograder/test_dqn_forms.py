"""DQN's checks on whole files as older handouts had them, with what those import missing."""

from __future__ import annotations

import textwrap
from pathlib import Path

from autograder.hw3.checks import CHECKS
from autograder.judge import Judgement
from tests.autograder.corpus.older_handouts import DQN_UPDATE, GREEDY, STEP_ENV, TRAIN
from tests.autograder.judging import judge_package

AGENT, CRITIC, POLICY = "agents/dqn_agent.py", "critics/dqn_critic.py", "policies/argmax_policy.py"
IDS = (
    "dqn.act",
    "dqn.step",
    "dqn.targets",
    "dqn.double_q",
    "dqn.update",
    "dqn.sync",
    "argmax.action",
)


def method(signature: str, body: str) -> str:
    """Returns a method of a class."""
    lines = textwrap.dedent(body).strip("\n")
    return f"    def {signature}:\n{textwrap.indent(lines, ' ' * 8)}\n\n"


OLDER_AGENT = (
    """
import numpy as np

from cs285.infrastructure.dqn_utils import MemoryOptimizedReplayBuffer, PiecewiseSchedule
from cs285.policies.argmax_policy import ArgMaxPolicy
from cs285.critics.dqn_critic import DQNCritic


class DQNAgent(object):
    def __init__(self, env, agent_params):
        self.env = env
        self.agent_params = agent_params
        self.batch_size = agent_params['batch_size']
        self.last_obs = self.env.reset()
        self.num_actions = agent_params['ac_dim']
        self.learning_starts = agent_params['learning_starts']
        self.learning_freq = agent_params['learning_freq']
        self.target_update_freq = agent_params['target_update_freq']
        self.replay_buffer_idx = None
        self.exploration = agent_params['exploration_schedule']
        self.optimizer_spec = agent_params['optimizer_spec']
        self.critic = DQNCritic(agent_params, self.optimizer_spec)
        self.actor = ArgMaxPolicy(self.critic)
        lander = agent_params['env_name'].startswith('LunarLander')
        self.replay_buffer = MemoryOptimizedReplayBuffer(
            agent_params['replay_buffer_size'], agent_params['frame_history_len'], lander=lander)
        self.t = 0
        self.num_param_updates = 0

"""
    + method("step_env(self)", STEP_ENV)
    + method("train(self, ob_no, ac_na, re_n, next_ob_no, terminal_n)", TRAIN)
)
OLDER_CRITIC = (
    """
import torch
import torch.optim as optim
from torch import nn
from torch.nn import utils

from .base_critic import BaseCritic
from cs285.infrastructure import pytorch_util as ptu


class DQNCritic(BaseCritic):
    def __init__(self, hparams, optimizer_spec, **kwargs):
        super().__init__(**kwargs)
        self.env_name = hparams['env_name']
        self.ob_dim = hparams['ob_dim']
        if isinstance(self.ob_dim, int):
            self.input_shape = (self.ob_dim,)
        else:
            self.input_shape = hparams['input_shape']
        self.ac_dim = hparams['ac_dim']
        self.double_q = hparams['double_q']
        self.grad_norm_clipping = hparams['grad_norm_clipping']
        self.gamma = hparams['gamma']
        self.optimizer_spec = optimizer_spec
        network_initializer = hparams['q_func']
        self.q_net = network_initializer(self.ob_dim, self.ac_dim)
        self.q_net_target = network_initializer(self.ob_dim, self.ac_dim)
        self.optimizer = self.optimizer_spec.constructor(
            self.q_net.parameters(), **self.optimizer_spec.optim_kwargs)
        self.learning_rate_scheduler = optim.lr_scheduler.LambdaLR(
            self.optimizer, self.optimizer_spec.learning_rate_schedule)
        self.loss = nn.SmoothL1Loss()
        self.q_net.to(ptu.device)
        self.q_net_target.to(ptu.device)

"""
    + method("update(self, ob_no, ac_na, next_ob_no, reward_n, terminal_n)", DQN_UPDATE)
    + method(
        "update_target_network(self)",
        """
        for target_param, param in zip(self.q_net_target.parameters(), self.q_net.parameters()):
            target_param.data.copy_(param.data)
        """,
    )
    + method(
        "qa_values(self, obs)",
        """
        obs = ptu.from_numpy(obs)
        return ptu.to_numpy(self.q_net(obs))
        """,
    )
)
OLDER_POLICY = """
import numpy as np


class ArgMaxPolicy(object):
    def __init__(self, critic):
        self.critic = critic

""" + method("get_action(self, obs)", GREEDY)


def judge_files(folder: Path, files: dict[str, str]) -> dict[str, Judgement]:
    """Judges a submission that holds these files and no others."""
    for path, text in files.items():
        (folder / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cs285" / path).write_text(text)
    ids = {f"hw3.{name}" for name in IDS}
    return judge_package(folder / "cs285", [check for check in CHECKS if check.id in ids])


def test_older_files_are_judged_as_they_are(tmp_path: Path) -> None:
    files = {AGENT: OLDER_AGENT, CRITIC: OLDER_CRITIC, POLICY: OLDER_POLICY}
    judgements = judge_files(tmp_path, files)
    assert not {name: j for name, j in judgements.items() if not j.passed}


def test_mistakes_in_older_files_are_named(tmp_path: Path) -> None:
    agent = OLDER_AGENT.replace("self.last_obs = self.env.reset()\n\n", "self.env.reset()\n\n")
    agent = agent.replace("self.critic.update_target_network()", "pass")
    critic = OLDER_CRITIC.replace("self.q_net(next_ob_no).argmax", "qa_t_values.argmax")
    critic = critic.replace(" * (1 - terminal_n)", "")
    judgements = judge_files(tmp_path, {AGENT: agent, CRITIC: critic, POLICY: OLDER_POLICY})
    named = {name[4:]: j.mistakes for name, j in judgements.items() if not j.passed}
    assert named == {
        "dqn.step": ["step.reset_ignored"],
        "dqn.sync": ["sync.never"],
        "dqn.targets": ["target.no_mask"],
        "dqn.double_q": ["double_q.present_state_selects"],
    }


def test_parameters_may_be_reordered_with_their_caller(tmp_path: Path) -> None:
    agent = OLDER_AGENT.replace("ac_na, next_ob_no, re_n, term", "ac_na, re_n, next_ob_no, term")
    critic = OLDER_CRITIC.replace("next_ob_no, reward_n, term", "reward_n, next_ob_no, term")
    assert agent != OLDER_AGENT and critic != OLDER_CRITIC
    judgements = judge_files(tmp_path, {AGENT: agent, CRITIC: critic, POLICY: OLDER_POLICY})
    assert not {name: j for name, j in judgements.items() if not j.passed}
