"""Sums of rewards over time: the return of a path, reward-to-go, and GAE(lambda)."""

from __future__ import annotations

import numpy as np


def discounted_return(reward_n: np.ndarray, discount: float) -> float:
    """Returns the discounted sum of the rewards of one path.

    R = sum_t discount^t * r_t

    Args:
        reward_n: Rewards of the path, in the order received. Shape (n,).
        discount: gamma, per step.

    Source: Sutton and Barto, 2018, "Reinforcement Learning", equation 3.8.
    """
    rewards = np.asarray(reward_n, np.float64)
    # The return of the whole path, one number; the first reward is not discounted.
    # BEGIN SOLUTION hw2.returns.discounted_return -> total
    total = np.sum(discount ** np.arange(len(rewards)) * rewards)
    # END SOLUTION
    return float(total)


def reward_to_go(reward_n: np.ndarray, discount: float) -> np.ndarray:
    """Returns, for each step of one path, the discounted sum of what follows from it on.

    R_t = sum_{k >= t} discount^(k - t) * r_k

    Args:
        reward_n: Rewards of the path, in the order received. Shape (n,).
        discount: gamma, per step.

    Returns:
        R_t. Shape (n,), float64, reward units.

    Source: Sutton and Barto, 2018, "Reinforcement Learning", equation 3.9.
    """
    rewards = np.asarray(reward_n, np.float64)
    to_go_n = np.zeros(len(rewards))
    # Fill `to_go_n`: entry t is the sum over the steps t, t + 1, ..., discounted back to step t.
    # HINT: R_t follows from R_(t+1); a sum anew for each t takes a minute where this takes a blink.
    # BEGIN SOLUTION hw2.returns.reward_to_go
    later = 0.0
    for t in reversed(range(len(rewards))):
        later = rewards[t] + discount * later
        to_go_n[t] = later
    # END SOLUTION
    return to_go_n


def generalized_advantages(
    reward_n: np.ndarray,
    value_n: np.ndarray,
    next_value_n: np.ndarray,
    terminal_n: np.ndarray,
    path_ends_n: np.ndarray,
    discount: float,
    gae_lambda: float,
) -> np.ndarray:
    """Estimates advantages by GAE(lambda) for paths that were joined end to end.

    delta_t = r_t + discount * (1 - terminal_t) * V(s'_t) - V(s_t)
    A_t = sum_{k >= t, same path} (discount * lambda)^(k - t) * delta_k

    Two masks, two facts. After a terminal no future counts, so V(s') is left out. At the end of a
    path the sum ends: the next row belongs to another path. A path that was only cut ends there
    too, and its last s' keeps its value.

    Args:
        reward_n: r. Shape (n,).
        value_n: V(s). Shape (n,), reward units.
        next_value_n: V(s'). Shape (n,); what it says where `terminal_n` is 1 does not matter.
        terminal_n: 1.0 where nothing counts after this step. Shape (n,).
        path_ends_n: True at the last step of each path, whyever it ended. Shape (n,).
        discount: gamma, per step.
        gae_lambda: 0: one-step advantages, little variance; 1: whole returns minus V, no bias.

    Returns:
        A. Shape (n,), float64, reward units.

    Source: Schulman et al., 2016, https://arxiv.org/abs/1506.02438, equation 16.
    """
    # In float32 a long path would lose what its early steps are compared by.
    columns = (reward_n, value_n, next_value_n, terminal_n)
    rewards, values, next_values, terminals = (np.asarray(c, np.float64) for c in columns)
    adv_n = np.zeros(len(rewards))
    # Fill `adv_n` as the docstring says; nothing of one path may reach into another.
    # HINT: A_t follows from A_(t+1), where both are of one path.
    # BEGIN SOLUTION hw2.returns.gae
    delta_n = rewards + discount * (1.0 - terminals) * next_values - values
    later = 0.0
    for t in reversed(range(len(rewards))):
        if path_ends_n[t]:
            later = 0.0
        later = delta_n[t] + discount * gae_lambda * later
        adv_n[t] = later
    # END SOLUTION
    return adv_n
