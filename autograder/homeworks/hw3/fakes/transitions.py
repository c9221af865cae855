"""The batch on which the parts of actor-critic are probed, and how a student's method takes it.

The critic is a table here too: observations are one-hot, so V(s) is one entry of it. The
transitions hang together, in shuffled order: nearly every next state is another row's present one,
so targets that are computed again are not what they were. And one state is left twice, so its error
shrinks faster than others do: gradients that pile up then point elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

from autograder.running.experiments import Moves, shifted
from autograder.running.made_of import Pieces, bellman
from autograder.running.probing import call_by_names

STATES, ACTIONS, BATCH = 17, 5, 7  # different primes: no two sizes can be taken for each other
TWICE = 2
LEFT = np.array([0, 1, TWICE, TWICE, 3, 4, 5])
REACHED = np.array([1, TWICE, 3, 6, 4, 5, 7])

# Of a batch of advantages, by row: whether the episode ended; the signs of the reward, of V(s') and
# of V(s). All pairs of signs stand among ends and among others, and the mean is far above 0. The
# first row stays where it is, and the last one: flags that are read backwards are others.
ENDS = np.array([1, 1, 1, 0, 0, 0, 0], np.float32)
SIGNS = np.array([[1, -1, 1, -1, 1, 1, 1], [1, -1, -1, 1, -1, 1, 1], [-1, -1, 1, 1, -1, -1, -1]])

LEVEL = 10.0  # far outside of what anybody clips to

# The names that the course's handouts of 2020 to 2023 give what a method takes, by its role.
NAMES = {
    "obs": "ob_no obs_no observations obs",
    "action": "ac_na acs_na actions action",
    "next_obs": "next_ob_no next_obs",
    "reward": "re_n reward_n rewards reward",
    "terminal": "terminal_n terminals dones done",
    "advantage": "adv_n advantages",
}
ROLES = {name: role for role, names in NAMES.items() for name in names.split()}
UPDATE_ORDER = ("obs", "action", "next_obs", "reward", "terminal")  # of the critic's update
ADVANTAGE_ORDER = ("obs", "next_obs", "reward", "terminal")  # of estimate_advantage
TRAIN_ORDER = ("obs", "action", "reward", "next_obs", "terminal")  # of the agent's train
ACTOR_ORDER = ("obs", "action", "advantage")  # of the actor's update


@dataclass(frozen=True, kw_only=True)
class Transitions:
    """A batch of transitions between known states."""

    states: ClassVar[int]  # that there are
    state: np.ndarray  # (BATCH,) their numbers
    next_state: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    terminal: np.ndarray
    gamma: float
    scale: np.ndarray | float = 1.0  # (states,) each state's number where one-hot vectors have 1

    def one_hot(self, numbers: np.ndarray) -> np.ndarray:
        """Returns observations of some states. Shape (n, states), float32."""
        return np.asarray((np.eye(self.states, dtype=np.float32) * self.scale)[numbers])

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns fresh arrays of the batch by role: what a student's method is given."""
        return {
            "obs": self.one_hot(self.state),
            "action": self.action.copy(),
            "next_obs": self.one_hot(self.next_state),
            "reward": self.reward.copy(),
            "terminal": self.terminal.copy(),
        }


@dataclass(frozen=True, kw_only=True)
class ValueCase(Transitions):
    """A table of values, a batch, and how critic and agent use them."""

    states: ClassVar[int] = STATES
    table: np.ndarray  # (STATES,) V of each state
    target_updates: int = 1
    grad_steps: int = 1  # on each set of targets
    exact: bool = True  # else only where a step leads each value: losses may differ
    standardize: bool = False  # advantages
    earlier: ValueCase | None = None  # what the same agent was asked before


Case = TypeVar("Case", bound=Transitions)


def value_case(seed: int) -> ValueCase:
    """Draws a case. All errors stay within (-1, 1), where Huber's loss is a parabola."""
    rng = np.random.default_rng([285, 4, seed])
    table = rng.uniform(0.4, 0.6, STATES)  # a mean well above 0: whatever is centred, shows
    states, rows = rng.permutation(STATES), rng.permutation(BATCH)
    # The state that is left twice: its two errors have one sign and do not cancel. The others'
    # rewards have the other sign and are more: no mean of rewards is near 0.
    reward = np.where(LEFT == TWICE, -0.5, 1.0) * rng.uniform(0.15, 0.25, BATCH)
    table[states[TWICE]] = 0.8
    ends = [row for row in range(1, BATCH - 1) if LEFT[rows[row]] != TWICE]  # of one sign too
    terminal = np.zeros(BATCH, np.float32)
    terminal[rng.permutation(ends)[:3]] = 1.0
    return ValueCase(
        table=table.astype(np.float32),
        state=states[LEFT][rows],
        next_state=states[REACHED][rows],
        action=rng.integers(ACTIONS, size=BATCH),
        reward=reward[rows].astype(np.float32),
        terminal=terminal,
        gamma=float(rng.uniform(0.66, 0.72)),  # not 4/7, the share of rows that go on
    )


def advantage_case(seed: int) -> ValueCase:
    """Draws a case in which no state stands twice."""
    rng = np.random.default_rng([285, 8, seed])
    sizes = rng.permuted(np.tile(np.linspace(0.3, 1.7, BATCH), (3, 1)), axis=1)
    rows = np.array([0, *rng.permutation(np.arange(1, BATCH - 1)), BATCH - 1])
    drawn = ((sizes + rng.uniform(0, 0.1, sizes.shape)) * SIGNS)[:, rows].astype(np.float32)
    states, table = rng.permutation(STATES), np.zeros(STATES, np.float32)
    table[states[: 2 * BATCH]] = drawn[1:].ravel()
    return replace(
        scaled(value_case(seed), seed),
        table=table,
        state=states[BATCH : 2 * BATCH],
        next_state=states[:BATCH],
        reward=drawn[0],
        terminal=ENDS[rows],
    )


def moves(case: Case) -> dict[str, Case]:
    """Returns the case with one input moved, by its name: in rows that go on, or one that ended.

    Of all states, one is nobody's.
    """
    row, end = (int(np.flatnonzero(case.terminal == flag)[0]) for flag in (0, 1))
    later = 1 + np.flatnonzero((case.terminal[1:] == 0) & (case.terminal[:-1] == 0))
    last = int(later[-1]) if later.size else row
    nowhere = int(np.setdiff1d(np.arange(case.states), [*case.state, *case.next_state])[0])

    return {
        "reward_n": shifted(case, "reward", row),
        "reward_n of a later row": shifted(case, "reward", last),
        "reward_n where an episode ended": shifted(case, "reward", end),
        "terminal_n": shifted(case, "terminal", row),
        "next_ob_no": shifted(case, "next_state", row, nowhere),
        "next_ob_no where an episode ended": shifted(case, "next_state", end, nowhere),
        "gamma": replace(case, gamma=case.gamma + 0.1),
    }


def moved_inputs(
    results: str,
    case: Case,
    below: Case,
    moves: Callable[[Case], dict[str, Case]],
    rows: Callable[..., Any] | None = None,
) -> Iterator[Moves]:
    """Moves each input; and in a case whose values are `below` 0, what comes next alone."""
    later = {name: moved for name, moved in moves(below).items() if name.startswith("next")}
    yield Moves(results, case, moves(case), rows)
    yield Moves(results, below, later, rows, " where next values are below 0")


def value_moves(case: ValueCase) -> dict[str, ValueCase]:
    """Returns the case with one value moved, by its name, where no state stands in two places."""
    row = int(np.flatnonzero(case.terminal == 0)[0])
    moved = {"V(s)": case.state[row], "V(s')": case.next_state[row]}
    one = np.eye(STATES, dtype=np.float32)
    return {name: replace(case, table=case.table + one[state]) for name, state in moved.items()}


def lifted(case: ValueCase, level: float = LEVEL) -> ValueCase:
    """Returns a case whose values are `level` higher, in which every error is what it was."""
    lift = level * (1 - case.gamma * (1 - case.terminal))
    reward = (case.reward + lift).astype(np.float32)
    return replace(case, table=case.table + np.float32(level), reward=reward)


def larger(case: ValueCase) -> ValueCase:
    """Returns a case whose values and rewards are `LEVEL` times as large."""
    level = np.float32(LEVEL)
    return replace(case, table=level * case.table, reward=level * case.reward)


def small_and_large(seed: int) -> Iterator[ValueCase]:
    """Yields a batch of small values and one of large ones, in which no state stands twice."""
    usual, other = advantage_case(seed), larger(advantage_case(seed + 1))
    small, level = replace(usual, scale=1.0), np.float32(LEVEL)
    yield replace(small, table=small.table / level, reward=small.reward / level)
    yield replace(other, scale=1.0, gamma=usual.gamma)
    yield chosen(replace(other, scale=1.0, gamma=usual.gamma), slice(2))


def pieces(case: ValueCase) -> Pieces:
    """Returns what targets and advantages may be made of."""
    present, later = case.table[case.state], case.table[case.next_state]
    below = np.append(present[1:], 0.0)
    values = {"`V(s')`": later, "`V(s)`": present, "`V(s)` of the row below": below}
    return bellman(case.reward, case.gamma, case.terminal, values)


def chosen(case: Case, rows: Any) -> Case:
    """Returns the case with some of its transitions, which index its arrays."""
    names = ("state", "next_state", "action", "reward", "terminal")
    return replace(case, **{name: getattr(case, name)[rows] for name in names})


def scaled(case: Case, seed: int) -> Case:
    """Returns a case that is observed in numbers of any size and either sign."""
    rng = np.random.default_rng([285, 9, seed])
    signs = rng.permuted(np.resize([1, -1], case.states))
    return replace(case, scale=(signs * rng.uniform(0.4, 2.6, case.states)).astype(np.float32))


def call(
    method: Callable[..., Any], canonical: Sequence[str], arrays: Mapping[str, np.ndarray]
) -> Any:
    """Calls a method with the arrays of its roles, which are `canonical` in the course's order."""
    return call_by_names(method, {NAMES[role]: arrays[role] for role in canonical})


def stand_in(
    original: Callable[..., Any], canonical: Sequence[str], called: Callable[[dict[str, Any]], Any]
) -> Callable[..., Any]:
    """Returns what takes the arguments of a student's own method, and hands them over by role.

    Parameters have the roles of their names if these are the course's, else those of their places.
    """
    own = inspect.signature(original)
    named = [ROLES.get(name, "") for name in own.parameters if name != "self"]
    roles = named if set(canonical) <= set(named) else canonical

    def method(*args: Any, **kwargs: Any) -> Any:
        first = [None] if "self" in own.parameters else []
        try:
            bound = own.bind(*first, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{original.__qualname__}(): {error}") from None
        bound.apply_defaults()
        given = dict(zip(roles, bound.args[len(first) :], strict=False))
        given |= {ROLES.get(name, ""): value for name, value in bound.kwargs.items()}
        return called({role: value for role, value in given.items() if role in canonical})

    return method


def odd_or_last(notes: Iterable[tuple[str, np.ndarray, np.ndarray]]) -> dict[str, np.ndarray]:
    """Returns what each argument was: the first time that it was not what it should be, if any.

    So it does not matter how often a method is called. `notes` are an argument's name, what was
    given and what should be, in any number format.
    """
    last, odd = dict[str, np.ndarray](), dict[str, np.ndarray]()
    for name, given, wanted in notes:
        last[name] = given
        if given.shape != wanted.shape or not np.allclose(given, wanted):
            odd.setdefault(name, given)
    return last | odd
