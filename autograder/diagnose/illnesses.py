"""The illnesses, a small function each: what it sees in a record, or nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from autograder.diagnose.findings import Evidence, Evidences, Sure, of_column, of_setting, returns
from autograder.diagnose.inputs import inputs_of, uses_relu
from autograder.diagnose.record import RunRecord
from autograder.diagnose.settings import step_size

LOSSES = (
    *("Training Loss", "Critic_Loss", "Actor_Loss", "Baseline_Loss", "Q_Mean", "Q_Max"),
    *("Critic_Gradient_Norm", "Actor_Gradient_Norm", "Gradient_Norm", "KL", "Entropy"),
)
NOTHING = 1e-6  # a loss that is smaller, in every row, is 0
UNMOVED = 0.003  # of a layer's numbers; see `Net.moved`
REWARDS = (1e-3, 100.0)  # a step, on average; Gymnasium's tasks lie between 0.01 and 20
DEAD = 0.95  # of a layer's units: healthy short runs of 256 ReLUs have up to 0.8, and learn
MOST_KL, MOST_CLIPPED = 0.15, 0.5
LEAST_EPISODES, LEAST_UPDATES, LEAST_ROWS, LEAST_COPIES = 5, 1000, 5, 3
MANY_EPISODES = 20  # fewer may be alike by chance: an untrained Acrobot's last 500 steps each


def reward_never_seen(record: RunRecord) -> Evidences:
    """All training episodes gave one and the same return."""
    low, high = record.column("Train_MinReturn"), record.column("Train_MaxReturn")
    episodes = record.most("Train_NumEpisodes")
    begun_well = record.run.settings.get("load") is not None
    if begun_well or not (len(low) and len(high)) or low.min() < high.max():
        return
    sure: Sure = "likely" if low.any() else "certain"
    if episodes >= (MANY_EPISODES if low.any() else LEAST_EPISODES):
        message = f"every one of {episodes:,.0f} episodes or more"
        ends = of_column(record, "Train_MinReturn", message), of_column(record, "Train_MaxReturn")
        yield sure, [*ends]


def reward_scale(record: RunRecord) -> Evidences:
    """Rewards a step that are far from those for which step sizes are made.

    Source: Henderson et al., 2018, section "Reward Scale".
    """
    size = record.reward
    if size > 0 and not REWARDS[0] <= size <= REWARDS[1]:
        message = f"up to {size:.3g} a step, usual are {REWARDS[0]:g} to {REWARDS[1]:g}"
        yield "likely", [of_column(record, "Train_AverageReturn", message)]


def target_frozen(record: RunRecord) -> Evidences:
    """The target network is where it was drawn, the one it follows is not."""
    updates, tau = record.updates, record.setting("tau")
    every = record.setting("target_update_freq")
    planned = record.setting("num_timesteps") / max(1.0, record.setting("learning_freq"))
    if tau == 0 or (updates >= LEAST_UPDATES and planned < every):
        name = "tau" if tau == 0 else "target_update_freq"
        message = f"no copy in {updates:,.0f} updates but the first"
        yield "certain", [of_setting(record, name, message), returns(record)]
    if not _copies(record.updates_of_nets, every, tau) >= LEAST_COPIES:
        return
    for name, net in record.nets.items():
        ours = record.nets.get(name.replace("_target", ""))
        if ours and ours is not net and net.moved < UNMOVED <= ours.moved / 3:
            message = f"{net.moved:.1%} of its numbers moved, {ours.moved:.1%} of those it follows"
            yield "certain", [Evidence(name, message), returns(record)]


def _copies(updates: float, every: float, tau: float) -> float:
    """Returns how often a target was copied by now; nan where no setting says it."""
    if every > 0:
        return updates / every
    return updates * tau if tau >= 0 else math.nan


def advantages_flat(record: RunRecord) -> Evidences:
    """The policy's loss is 0 in nearly every row, which only advantages of 0 make so.

    PPO's and TRPO's is also where the policy never moves; there the critic's residual, which is
    the advantage, must be 0 too.
    """
    loss, name = record.column("Actor_Loss"), "Explained_Variance"
    if record.agent.bootstraps or record.agent.portfolio or len(loss) < 2:
        return
    # Where nothing is left of entropy, log pi is 0, and so is what it is multiplied with.
    if (np.abs(loss) < NOTHING).mean() < 0.9 or _without_entropy(record):
        return
    rows, evidence_found = record.rows(name), [of_column(record, "Actor_Loss", "0 in every row")]
    if name in record.run.log:
        if not (np.isnan(rows) | (rows > 1 - 1e-9)).mean() > 0.9:
            return
        evidence_found.append(of_column(record, name))
    yield "certain", [*evidence_found, returns(record)]


def dead_units(record: RunRecord) -> Evidences:
    """A hidden layer of which no unit is alive, or hardly one where returns did not rise.

    Many healthy ReLU networks are half dead, or more: what is left is enough.
    """
    least = 1.0 if record.gain >= 1 else DEAD
    evidence_found = []
    for name, net in record.nets.items():
        if "_target" in name or not net.finite:
            continue
        inputs, played = inputs_of(record, net)
        share = net.dormant(uses_relu(record), inputs)
        if share >= least:
            kind = "observations" if played else "inputs that were made up"
            message = f"of a hidden layer's units give the same for all of {len(inputs)} {kind}"
            evidence_found.append(Evidence(name, f"{share:.0%} {message}"))
    if evidence_found:
        yield "likely", [*evidence_found, returns(record)]


def parameters_frozen(record: RunRecord) -> Evidences:
    """A network is where it was drawn, after updates that must have moved it."""
    found = _unmoved(record)
    if record.agent.portfolio:  # one that hardly plays, or is slow on purpose, ails nobody
        ours = [net for name, net in record.nets.items() if "_target" not in name]
        if len(found) < len(ours):
            found = []
    else:
        found += _same_policy(record)
    step = record.column("Step_Fraction")
    if len(step) > 1 and not step.any():
        found.append(of_column(record, "Step_Fraction", "the line search refuses every step"))
    counter = "Num_Param_Updates" if record.agent.bootstraps else "Step"
    if found:
        yield "certain", [*found, of_column(record, counter), returns(record)]


def _same_policy(record: RunRecord) -> Iterator[Evidence]:
    """Yields that the last policy is that of an earlier evaluation, if it is."""
    evaluations = record.column("Eval_AverageReturn")
    best = int(np.argmax(evaluations)) + 1 if len(evaluations) else 0
    if record.same_as_best and best < len(evaluations):
        message = f"to the bit as at evaluation {best} of {len(evaluations)}"
        yield Evidence("policy.safetensors", message)


def _unmoved(record: RunRecord) -> list[Evidence]:
    """Returns the networks that updates must have moved, and did not."""
    _, rate, _, _ = step_size(record)
    found: list[Evidence] = []
    updates = record.updates_of_nets
    if not updates:
        return found
    for name, net in record.nets.items():
        if "_target" in name or not net.finite or net.moved >= UNMOVED:
            continue
        must_have_moved = rate * math.sqrt(updates) > 0.1 / math.sqrt(net.width)
        if must_have_moved or not net.begun:
            message = f"{net.moved:.1%} of its numbers have left where they were drawn"
            found.append(Evidence(name, message))
    return found


def not_finite(record: RunRecord) -> Evidences:
    """A column that had numbers ends without one, or weights are not finite."""
    found = []
    for name in LOSSES:
        if name not in record.run.log:
            continue
        rows = record.rows(name)
        may_end_empty = record.agent.portfolio and name in ("Q_Mean", "Q_Max")  # a new DQN's
        if np.isinf(rows).any() or (np.isnan(rows[-1]) and not may_end_empty):
            found.append(of_column(record, name, f"then {rows[-1]:g}"))
    for name, net in record.nets.items():
        if not net.finite:
            found.append(Evidence(name, "contains weights that are not finite"))
    if found:
        yield "certain", found


def kl_out_of_range(record: RunRecord) -> Evidences:
    """The policy moves far within an iteration, in most of them: farther than was asked for."""
    kl, clipped = record.column("KL"), record.column("Clip_Fraction")
    evidence_found = []
    asked = record.run.settings.get("max_kl") or 0
    if len(kl) and np.median(kl) > max(MOST_KL, asked):
        evidence_found.append(
            of_column(record, "KL", f"median {np.median(kl):.3g}, usual is up to 0.05")
        )
    if len(clipped) and np.median(clipped) > MOST_CLIPPED:
        message = f"median {np.median(clipped):.2f}, usual is up to 0.3"
        evidence_found.append(of_column(record, "Clip_Fraction", message))
    if evidence_found:
        yield "likely", [*evidence_found, returns(record)]


def entropy_collapsed(record: RunRecord) -> Evidences:
    """Hardly any entropy left for half of the run and more, and returns that did not rise.

    A Gaussian of deviation 0.012 has -3 nats a component; SAC aims at -1.
    """
    if _without_entropy(record) and not record.gain >= 1:
        message = f"below {_floor(record):g} nats for half of the run"
        yield "likely", [of_column(record, "Entropy", message), returns(record)]


def _floor(record: RunRecord) -> float:
    """Returns the entropy below which a policy is sure of its actions, in nats."""
    actors = [net for name, net in record.nets.items() if "critic" not in name]
    if record.agent.name != "SAC" and record.column("Entropy").min(initial=0.0) >= 0:
        return 0.02  # actions are choices
    components = max([int(net.layers[-1][1].shape[2]) for net in actors] or [99])
    return -3.0 * (components / 2 if record.agent.name == "SAC" else components)


def _without_entropy(record: RunRecord) -> bool:
    entropy = record.column("Entropy")
    late = entropy[len(entropy) // 2 :]
    return len(entropy) > 1 and bool(late.max() < _floor(record))


def evaluation_differs(record: RunRecord) -> Evidences:
    """A step of evaluation pays more than 3 times what one of training does, or less than 1/3."""
    eval_n, train_n = _played(record, "Eval"), _played(record, "Train")
    if min(len(eval_n), len(train_n)) < LEAST_ROWS:
        return
    theirs, ours = _slope(eval_n), _slope(train_n)  # tasks that pay each step the same
    odd = max(abs(theirs), abs(ours)) > 3 * min(abs(theirs), abs(ours))
    if np.ptp(np.append(eval_n[:, 1], train_n[:, 1])) < 1:  # tasks of one length
        theirs, ours = float(np.median(eval_n[:, 0])), float(np.median(train_n[:, 0]))
        low, high = train_n[:, 0].min(), train_n[:, 0].max()
        far = 3 * (high - low) + 2 * abs(ours)
        odd = bool(((eval_n[:, 0] < low - far) | (eval_n[:, 0] > high + far)).all())
        odd |= _is_fraction(eval_n[:, 0], train_n[:, 0])
    if odd:
        message = (
            f"{theirs / ours:.2g} times training's" if ours else f"{theirs:.2g}, training's is 0"
        )
        evidence_found = [Evidence("evaluation's reward", message)]
        for name in ("AverageReturn", "AverageEpLen"):
            evidence_found += [of_column(record, f"{kind}_{name}") for kind in ("Eval", "Train")]
        yield "likely", evidence_found


def _is_fraction(eval_n: np.ndarray, train_n: np.ndarray) -> bool:
    """Returns whether evaluations have a like share of training's returns, less than a third.

    A share that varies is the price of exploring: noise costs what the mean action does not.
    """
    theirs, ours = np.abs(eval_n), np.abs(train_n)
    rows = min(len(theirs), len(ours))
    low, high = np.quantile(theirs[-rows:] / np.maximum(ours[-rows:], 1e-9), (0.1, 0.9))
    return bool(3 * theirs.max() < ours.min() and high < 3 * low)


def _played(record: RunRecord, kind: str) -> np.ndarray:
    """Returns mean return and mean length of each row that has both. Shape (n, 2)."""
    both = [record.rows(f"{kind}_AverageReturn"), record.rows(f"{kind}_AverageEpLen")]
    rows = np.stack(both, axis=1)
    played: np.ndarray = rows[np.isfinite(rows).all(axis=1)]
    return played


def _slope(played: np.ndarray) -> float:
    """Returns what one more step pays; nan where returns are no straight line over lengths."""
    value, length = (played - played.mean(axis=0)).T
    product, squares = value @ length, length @ length
    if not product**2 > 0.98 * squares * (value @ value):
        return math.nan
    return float(product / squares)
