"""The values of double Q-learning as a formula with switches, in NumPy."""

from __future__ import annotations

import itertools

import numpy as np

from autograder.hw3.critic_case import ACTIONS, BATCH, CriticCase, critic_case, lifted_case
from autograder.judge import Choice, Factor, every
from autograder.recording import secret

SELECT_NET = Factor("select_net", {"online": None, "target": "double_q.target_selects"})
SELECT_STATE = Factor("select_state", {"next": None, "present": "double_q.present_state_selects"})
EVAL_NET = Factor("eval_net", {"target": None, "online": "double_q.online_evaluates"})
EVAL_STATE = Factor("eval_state", {"next": None, "present": "double_q.present_state_valued"})
PICK = Factor("pick", {"argmax": None, "argmin": "double_q.worst_action"})
SHIFT = Factor("shift", {"0": None, "-1": "double_q.shifted", "1": "double_q.shifted"})
USE = Factor(
    "use",
    {
        "gather": None,
        "index": "double_q.index_as_value",
        "taken": "double_q.taken_action",
        "mean": "double_q.mean_over_actions",
    },
)
FACTORS = (SELECT_NET, SELECT_STATE, EVAL_NET, EVAL_STATE, PICK, SHIFT, USE)


@secret(lambda seed: itertools.product((critic_case(seed), lifted_case(seed)), every(*FACTORS)))
def double_value(case: CriticCase, choice: Choice) -> np.ndarray:
    """Returns the value of each next state, shape (BATCH,), as double DQN computes it."""
    select = case.online if choice["select_net"] == "online" else case.target
    select_states = case.next_state if choice["select_state"] == "next" else case.state
    scores = select[:, select_states].T
    best = scores.argmax(1) if choice["pick"] == "argmax" else scores.argmin(1)
    evaluate = case.target if choice["eval_net"] == "target" else case.online
    states = case.next_state if choice["eval_state"] == "next" else case.state
    rows = evaluate[:, states].T
    if choice["use"] == "index":
        return np.asarray(best, np.float64)
    if choice["use"] == "mean":
        return np.asarray(rows.mean(1))
    if choice["use"] == "taken":
        best = case.action
    return np.asarray(rows[np.arange(BATCH), (best + int(choice["shift"])) % ACTIONS])
