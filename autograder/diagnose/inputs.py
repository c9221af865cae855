"""What a run's networks say of the steps that were played, where a checkpoint has kept those."""

from __future__ import annotations

import numpy as np

from autograder.diagnose.memory import Memory
from autograder.diagnose.nets import Net, made_up
from autograder.diagnose.record import RunRecord

MOST = 512  # steps that a network is asked about: more change nothing
MOST_MIXED = 20  # inputs whose products are features
RECOGNISED = 0.9  # of pairs; 0.5 is chance


def uses_relu(record: RunRecord) -> bool:
    """Returns whether hidden units are ReLUs; else they are tanh."""
    default = "tanh" if record.agent.on_policy else "relu"
    return bool(record.run.settings.get("activation", default) == "relu")


def inputs_of(record: RunRecord, net: Net) -> tuple[np.ndarray, bool]:
    """Returns inputs for a network, shape (n, in), and whether they were really seen."""
    memory = record.snapshot.memory
    if memory is not None:
        parts = [memory.obs]
        if net.inputs > memory.obs.shape[1] and memory.actions.ndim == 2:
            parts.append(memory.actions)
        found = np.concatenate(parts, axis=1)
        if found.shape[1] == net.inputs and np.isfinite(found).all():
            return found[:: max(1, len(found) // MOST)], True
    return made_up(net.inputs), False


def values_of(record: RunRecord) -> np.ndarray | None:
    """Returns what the critic says of each step in memory; None where that cannot be asked.

    That is Q(s, a), of several critics the mean.
    """
    memory = record.snapshot.memory
    names = [n for n in record.nets if n.startswith("critic.") and "_target" not in n]
    if memory is None or len(names) != 1 or not record.nets[names[0]].finite:
        return None
    net = record.nets[names[0]]
    if net.inputs == memory.obs.shape[1]:
        q = net.outputs(uses_relu(record), memory.obs).mean(axis=0)
        chosen = memory.actions.astype(int)
        if memory.actions.ndim == 1 and 0 <= chosen.min() and chosen.max() < q.shape[1]:
            of_chosen: np.ndarray = q[np.arange(len(q)), chosen]
            return of_chosen
    elif memory.actions.ndim == 2 and net.inputs == memory.obs.shape[1] + memory.actions.shape[1]:
        inputs = np.concatenate([memory.obs, memory.actions], axis=1)
        found: np.ndarray = net.outputs(uses_relu(record), inputs).mean(axis=0)[:, 0]
        return found
    return None


def ends_show(memory: Memory) -> bool:
    """Returns whether the steps that end an episode can be recognised by state and action.

    A quadratic classifier is fitted to one half of the steps, and orders the other half: an end
    must come before another step in `RECOGNISED` of all pairs.
    """
    ends = memory.terminals
    inputs = np.concatenate([memory.obs, memory.actions.reshape(len(memory), -1)], axis=1)
    inputs = (inputs - inputs.mean(axis=0)) / (inputs.std(axis=0) + 1e-6)
    columns = [np.ones((len(inputs), 1)), inputs, inputs**2]
    if inputs.shape[1] <= MOST_MIXED:
        columns.append(np.einsum("ni,nj->nij", inputs, inputs).reshape(len(inputs), -1))
    features = np.concatenate(columns, axis=1)
    fitted = np.random.default_rng(0).random(len(features)) < 0.5
    if not (np.isfinite(features).all() and ends[fitted].any() and ends[~fitted].any()):
        return False
    weight = np.where(ends, 1.0 / ends.sum(), 1.0 / (~ends).sum())[fitted, None]
    a, y = features[fitted], ends[fitted, None].astype(float)
    square = (a * weight).T @ a + 1e-3 * np.eye(a.shape[1])
    score = features[~fitted] @ np.linalg.solve(square, (a * weight).T @ y)[:, 0]
    ranks = score.argsort().argsort()
    ours, others = ends[~fitted].sum(), (~ends[~fitted]).sum()
    pairs = ranks[ends[~fitted]].sum() - ours * (ours - 1) / 2
    return bool(pairs >= RECOGNISED * ours * others)
