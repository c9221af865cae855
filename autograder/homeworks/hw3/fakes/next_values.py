"""What a Q-learner may take for the value of the next state: right and wrong, all together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from autograder.homeworks.hw3.fakes import critic
from autograder.homeworks.hw3.fakes.critic import CriticCase
from autograder.homeworks.hw3.fakes.transitions import chosen
from autograder.running.made_of import Pieces, bellman

ONLINE_LOWER, TARGET_LOWER = 0.3, 0.2  # so that the best action's value may be the nearest to 0
MANY = 30.0  # times the usual values: far beyond whatever anybody clips to
NAMES = ("reward_n", "self.gamma", "terminal_n")


def cases(seed: int, double_q: bool) -> Iterator[CriticCase]:
    """Yields small values; large ones, mostly below 0; and two rows, in which few actions occur."""
    usual = replace(critic.critic_case(seed), double_q=double_q)
    other = replace(critic.critic_case(seed + 1), double_q=double_q, gamma=usual.gamma)
    low = {"online": other.online - ONLINE_LOWER, "target": other.target - TARGET_LOWER}
    numbers = {name: MANY * array for name, array in (low | {"reward": other.reward}).items()}
    yield usual
    yield replace(other, **numbers)
    yield chosen(replace(other, target=MANY * other.target), slice(2))


def pieces(case: CriticCase) -> Pieces:
    """Returns reward, discount, mask, and what the next state may be worth."""
    predicted = {"the prediction itself": case.online[case.action, case.state]}
    values = next_values(case)
    return bellman(case.reward, case.gamma, case.terminal, values, NAMES, predicted)


def next_values(case: CriticCase) -> dict[str, np.ndarray]:
    """Returns what may be made of both networks' values, in words."""
    online, target = case.online[:, case.next_state], case.target[:, case.next_state]
    rows = np.arange(len(case.state))
    here, there = online.argmax(0), target.argmax(0)
    both = (online + target) / 2
    largest = target.max(0)
    shares = np.exp(target - largest)
    own = np.exp(online - online.max(0))
    present, old = case.online[:, case.state], case.target[:, case.state]
    return {
        "`q_net_target`'s largest value in the next state": target.max(0),
        "`q_net_target`'s value of `q_net`'s best action": target[here, rows],
        "`q_net`'s largest value in the next state": online.max(0),
        "`q_net`'s value of `q_net_target`'s best action": online[there, rows],
        "the mean of both networks' largest values": (online.max(0) + target.max(0)) / 2,
        "the mean of both networks' values of `q_net`'s best action": both[here, rows],
        "the largest mean of both networks' values": both.max(0),
        "`q_net_target`'s value of the action that is best by the sum of both networks": target[
            both.argmax(0), rows
        ],
        "the smaller of both networks' largest values": np.minimum(online.max(0), target.max(0)),
        "the larger of both networks' largest values": np.maximum(online.max(0), target.max(0)),
        "the smaller of both networks' values of `q_net`'s best action": np.minimum(
            target[here, rows], online[here, rows]
        ),
        "the larger of both networks' values of `q_net`'s best action": np.maximum(
            target[here, rows], online[here, rows]
        ),
        "`q_net_target`'s mean value over all actions": target.mean(0),
        "`q_net`'s mean value over all actions": online.mean(0),
        "`q_net_target`'s second-best value": np.sort(target, 0)[-2],
        "`q_net_target`'s value of `q_net`'s second-best action": target[
            np.argsort(online, 0)[-2], rows
        ],
        "`q_net_target`'s value of `q_net`'s worst action": target[online.argmin(0), rows],
        "`q_net_target`'s smallest value": target.min(0),
        "`q_net_target`'s mean value, weighted by a softmax of its values": (shares * target).sum(0)
        / shares.sum(0),
        "`q_net_target`'s mean value, weighted by a softmax of `q_net`'s values": (
            own * target
        ).sum(0)
        / own.sum(0),
        "`q_net_target`'s value of the action that is largest by its absolute value": target[
            abs(target).argmax(0), rows
        ],
        "`q_net_target`'s value of the action whose `q_net` value is largest without its sign": (
            target[abs(online).argmax(0), rows]
        ),
        "`q_net_target`'s value of the action that was taken": target[case.action, rows],
        "`q_net_target`'s largest value in the present state": old.max(0),
        "`q_net`'s value of the present state and the action that was taken": present[
            case.action, rows
        ],
        "the logarithm of the sum of e to the power of `q_net_target`'s values": largest
        + np.log(np.exp(target - largest).sum(0)),
        "the number of the best action": there.astype(np.float64),
    }
