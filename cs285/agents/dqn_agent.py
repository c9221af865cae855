"""DQN: Q-learning with a deep network, a replay buffer and a target network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from cs285.critics.dqn_critic import DQNCritic
from cs285.infrastructure.envs import RememberCut
from cs285.infrastructure.replay_buffer import Batch, MemoryOptimizedReplayBuffer
from cs285.policies.argmax_policy import ArgMaxPolicy


class DQNAgent:
    """Acts epsilon-greedily, remembers every step, and learns from random samples of its memory.

    Source: Mnih et al., 2015, "Human-level control through deep reinforcement learning",
    algorithm 1, https://www.nature.com/articles/nature14236.
    """

    def __init__(self, env: gym.Env[Any, Any], agent_params: Mapping[str, Any]) -> None:
        """Builds the critic, the policy and the memory, and begins the first episode.

        Args:
            env: The environment, with discrete actions; the agent steps it itself.
            agent_params: What `DQNCritic` reads, and
                optimizer_spec: for the critic;
                exploration: a schedule, its value(t) the chance of a random action at step t;
                replay_buffer_size: transitions; frame_history_len: frames in an observation;
                learning_starts: steps before the first update; learning_freq: steps from one
                update to the next; target_update_freq: updates from one copy of the network into
                the target to the next; num_critic_updates_per_agent_update: gradient steps on
                each batch; batch_size: transitions; seed.
        """
        self.env = RememberCut(env)
        self.num_actions = agent_params["ac_dim"]
        self.critic = DQNCritic(agent_params, agent_params["optimizer_spec"])
        self.actor = ArgMaxPolicy(self.critic)
        self.eval_policy = self.actor
        space = env.observation_space
        assert space.shape is not None
        names = ("replay_buffer_size", "frame_history_len", "seed")
        size, history, seed = (agent_params[name] for name in names)
        self.replay_buffer = MemoryOptimizedReplayBuffer(
            size, history, space.shape, space.dtype, seed
        )
        self.replay_buffer_idx = 0
        self.exploration = agent_params["exploration"]
        self.rng = np.random.default_rng([agent_params["seed"], 1])  # chooses random actions

        self.learning_starts = agent_params["learning_starts"]
        self.learning_freq = agent_params["learning_freq"]
        self.target_update_freq = agent_params["target_update_freq"]
        self.num_critic_updates = agent_params["num_critic_updates_per_agent_update"]
        self.batch_size = agent_params["batch_size"]
        self.t = 0  # calls of `train`, as many as environment steps
        self.num_param_updates = 0
        self.learned_from = np.empty(0)  # s of the last batch
        self.last_obs, _ = env.reset()

    def step_env(self) -> None:
        """Takes one step in the environment and stores it, so that memory ends with `last_obs`'s.

        The environment is left ready for the next step: reset, if this one ended an episode.
        """
        # Store the frame `self.last_obs`, then choose `action`: a random one with probability
        # epsilon = self.exploration.value(self.t), and always before self.learning_starts; else
        # the actor's choice for the recent observation. Keep the frame's index in
        # `self.replay_buffer_idx`.
        # HINT: the replay buffer stacks the newest frames: encode_recent_observation().
        # BEGIN SOLUTION hw3.dqn.act -> action
        self.replay_buffer_idx = self.replay_buffer.store_frame(self.last_obs)
        epsilon = self.exploration.value(self.t)
        if self.t < self.learning_starts or self.rng.random() < epsilon:
            action = int(self.rng.integers(self.num_actions))
        else:
            recent = self.replay_buffer.encode_recent_observation()
            action = int(self.actor.get_action(recent)[0])
        # END SOLUTION

        # Take the step and store its effect beside the frame, where "done" means that no future
        # counts: `terminated`. Then make `self.last_obs` the frame to act on next: after an
        # episode, whether it was terminated or truncated, that is the first of a fresh one.
        # HINT: env.step returns (next frame, reward, terminated, truncated, info).
        # BEGIN SOLUTION hw3.dqn.step
        self.last_obs, reward, terminated, truncated, _ = self.env.step(action)
        self.replay_buffer.store_effect(self.replay_buffer_idx, action, float(reward), terminated)
        if terminated or truncated:
            self.last_obs, _ = self.env.reset()
        # END SOLUTION
        if self.env.cut_frame is not None:  # the last transition needs its successor
            self.replay_buffer.end_path(self.env.cut_frame)

    def is_learning_step(self) -> bool:
        """Tells whether the next call of `train` updates the critic."""
        due = self.t >= self.learning_starts and self.t % self.learning_freq == 0
        return due and self.replay_buffer.can_sample(self.batch_size)

    def sample(self, batch_size: int) -> Batch:
        """Draws transitions for `train`, in its order; empty arrays where none are needed."""
        if not self.is_learning_step():
            nothing = np.empty(0)
            return nothing, nothing, nothing, nothing, nothing
        return self.replay_buffer.sample(batch_size)

    def train(
        self,
        ob_no: np.ndarray,
        ac_na: np.ndarray,
        re_n: np.ndarray,
        next_ob_no: np.ndarray,
        terminal_n: np.ndarray,
    ) -> dict[str, float]:
        """Learns from one batch, if this is a learning step; counts the step in any case.

        Args:
            ob_no: s. Shape (n, *ob_dim).
            ac_na: Actions taken. Shape (n,).
            re_n: Rewards. Shape (n,).
            next_ob_no: s'. Shape (n, *ob_dim).
            terminal_n: 1.0 where nothing counts after this step. Shape (n,).

        Returns:
            What the critic logs; empty if nothing was learned.
        """
        log: dict[str, float] = {}
        if self.is_learning_step():
            self.learned_from = ob_no
            for _ in range(self.num_critic_updates):
                # Let the critic take one gradient step on the batch; `log` is what it returns.
                # HINT: critic.update takes its arguments in another order than this method.
                # BEGIN SOLUTION hw3.dqn.update -> log
                log = self.critic.update(ob_no, ac_na, next_ob_no, re_n, terminal_n)
                # END SOLUTION

            # Bring the target network up to date at every self.target_update_freq-th update, the
            # first one (number 0 in self.num_param_updates) included.
            # BEGIN SOLUTION hw3.dqn.sync
            if self.num_param_updates % self.target_update_freq == 0:
                self.critic.update_target_network()
            # END SOLUTION
            self.num_param_updates += 1
        self.t += 1
        return log

    def add_to_replay_buffer(self, paths: Sequence[Any]) -> None:
        """Does nothing: `step_env` has stored the step already."""

    def scalars(self) -> dict[str, float]:
        """Returns what is worth a curve besides returns and losses.

        The values are max_a Q(s, a) of the last batch, by the present network.
        """
        rate = self.critic.learning_rate_scheduler.get_last_lr()[0]
        numbers = {"Exploration_Epsilon": self.exploration.value(self.t), "Learning_Rate": rate}
        numbers["Num_Param_Updates"] = self.num_param_updates
        if len(self.learned_from):
            q_n = self.critic.qa_values(self.learned_from).max(axis=1)
            numbers |= {"Q_Mean": float(q_n.mean()), "Q_Max": float(q_n.max())}
        return numbers

    def policy_state_dict(self) -> dict[str, torch.Tensor]:
        """Returns the Q-network's weights by name: all that acting needs."""
        return self.critic.q_net.state_dict()

    def state_dict(self) -> dict[str, Any]:
        """Returns all that training needs to go on exactly, as a state tree."""
        parts = {name: getattr(self, name).state_dict() for name in ("critic", "replay_buffer")}
        at = (self.t, self.num_param_updates, self.last_obs, self.learned_from)
        return parts | {"rng": self.rng.bit_generator.state, "at": at}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.critic.load_state_dict(state["critic"])
        self.replay_buffer.load_state_dict(state["replay_buffer"])
        self.rng.bit_generator.state = state["rng"]
        self.t, self.num_param_updates, self.last_obs, *more = state["at"]
        self.learned_from = more[0] if more else np.empty(0)  # of older versions, nothing
