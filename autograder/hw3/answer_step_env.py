"""Answers about `DQNAgent.step_env`: what must happen to frames, actions and effects, and when."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from autograder.hw3.probe_step_env import ACT, EPSILON, KINDS, MANY, STARTS, STEP, owner_of
from autograder.hw3.step_world import (
    GREEDY,
    INDEX_STEP,
    NUM_ACTIONS,
    PAIR,
    RECENT,
    SEVERAL,
    STEPS,
    UNSEEDED,
    reward_of,
    script,
)
from autograder.judge import Judgement, judge_crash, tell
from autograder.probing import Observation, Trial
from autograder.recording import secret

REVERSED = 0.9  # share of greedy actions with epsilon 1
SIGMAS = 6.0  # a right student falls outside once in 10^9 runs


@dataclass(frozen=True)
class Call:
    """The events of one call of `step_env`, by kind: each a row of numbers."""

    before: float  # number of `last_obs` when it began
    after: float  # and when it returned; nan if it did not
    index: float  # `replay_buffer_idx` when it returned
    clock: float  # how far the agent's clock had moved by then
    events: tuple[tuple[str, tuple[float, ...]], ...]

    def of(self, kind: str) -> list[tuple[float, ...]]:
        """Returns the numbers of the events of one kind."""
        return [numbers for name, numbers in self.events if name == kind]

    def frames(self) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
        """Returns the frames that were stored before the environment's step, and after it."""
        stepped = self.place("step")
        stored = [(at, n) for at, (name, n) in enumerate(self.events) if name == "store_frame"]
        return [n for at, n in stored if at < stepped], [n for at, n in stored if at > stepped]

    @property
    def clock_at_step(self) -> float:
        """How far the agent's clock had moved when the environment was stepped."""
        stepped = self.of("step")
        return stepped[0][2] if stepped else self.clock

    def place(self, kind: str) -> int:
        """Returns when an event of a kind came first; past the end if it never did."""
        names = [name for name, _ in self.events]
        return names.index(kind) if kind in names else len(names)


Event = tuple[str, tuple[float, ...]]


def _of_stand_in(event: Event) -> list[Event]:
    """Returns an event; for the work of the second blank's stand-in what the blank would do."""
    kind, numbers = event
    if kind != "stood_in":
        return [event]
    return [("step", numbers), ("effect", (0.0, numbers[0], 0.0, 0.0))]


def read_calls(trial: Trial, stands_in: bool = False) -> list[Call]:
    """Reads a tape; `stands_in`: whether a stand-in may have worked for the second blank."""
    seen = trial.arrays
    if "kind" not in seen:
        return []
    calls, before = [], 1.0
    after = seen["after"].reshape(-1, 3)
    numbers = seen["numbers"].reshape(-1, 4)
    for call in range(int(seen["call"].max(initial=-1)) + 1):
        where = np.flatnonzero(seen["call"] == call)
        events = [(KINDS[seen["kind"][i]], tuple(numbers[i].tolist())) for i in where]
        if stands_in:
            events = [e for event in events for e in _of_stand_in(event)]
        last, index, clock = after[call] if call < len(after) else (np.nan, np.nan, 0.0)
        calls.append(Call(before, float(last), float(index), float(clock), tuple(events)))
        before = float(last)
    return calls


def trials_of(seen: Observation, blank: str) -> dict[str, Trial]:
    """Returns the trials that a blank is judged by."""
    short = blank.rpartition(".")[2]
    return {name[len(short) + 1 :]: t for name, t in seen.items() if name.startswith(short + ".")}


def _concerns(trial: Trial, blank: str) -> bool:
    return trial.crash is not None and owner_of(trial) == blank


def judge_act(seen: Observation, seed: int) -> Judgement:
    """Judges what is stored, what the actor sees, and when the action is random."""
    trials = trials_of(seen, ACT)
    verdict = Judgement()
    for name in ("greedy", "never", "random", "warm_up", "some"):
        if _concerns(trials[name], ACT):
            return judge_step_crash(trials[name], verdict)
    played = {name: read_calls(trial, True) for name, trial in trials.items()}
    calls = [call for call in played["greedy"] if not np.isnan(call.before)]
    if not calls:
        verdict.unknown.append("step_env did nothing that could be seen")
        return verdict
    for way in played.values():
        if verdict.passed:
            _judge_storing([call for call in way if not np.isnan(call.before)], verdict)
    _judge_greedy(calls, verdict)
    moved = [call.clock_at_step for call in calls]
    _judge_clock(moved, verdict)
    asked = [(i, call.of("value")[0][0]) for i, call in enumerate(calls) if call.of("value")]
    if not any(moved) and any(t != STARTS + 1 + i for i, t in asked):
        verdict.name("act.epsilon_of_another_time")
    never = [*calls, *played["never"]]
    _judge_chances(never, played["random"], played["warm_up"], played["some"], verdict)
    return verdict


def _judge_clock(moved: list[float], verdict: Judgement) -> None:
    """`train` counts the steps; nobody else moves the clock."""
    if any(moved):
        verdict.name("update.time_runs" if max(moved) > 0 else "update.time_stands")


def _judge_storing(calls: list[Call], verdict: Judgement) -> None:
    """Each call stores the frame that it acts on, and keeps its index."""
    if not any(call.of("store_frame") for call in calls):
        verdict.name("act.no_frame")
        return
    for call in calls:
        first, again = call.frames()
        stored = first or again  # what follows a first one is the step's own doing
        if len(stored) != 1:
            verdict.name("act.frame_count")
            return
        if stored[0][0] != call.before:
            stepped = call.of("step")
            following = bool(stepped) and stored[0][0] in (stepped[0][1], call.after)
            verdict.name("act.next_frame" if following else "act.wrong_frame")
            return
        if call.place("store_frame") > call.place("effect"):
            verdict.name("act.stored_late")
            return
        told = not np.isnan(call.index) and not (first and again)
        if told and call.index != stored[0][1]:
            verdict.name("act.index_lost")
            return


def _judge_greedy(calls: list[Call], verdict: Judgement) -> None:
    """With epsilon 0 the actor is shown the newest frames, and its action is taken."""
    asked = [call for call in calls if call.of("get_action")]
    shown = [(event[0], call.before) for call in asked for event in call.of("get_action")]
    if any(obs == before for obs, before in shown):
        verdict.name("act.no_history")
    elif any(obs != RECENT + before for obs, before in shown) and "act.no_frame" not in (
        verdict.mistakes
    ):
        stale = all(call.place("encode") < call.place("store_frame") for call in asked)
        if not {"act.next_frame", "act.wrong_frame"} & set(verdict.mistakes):
            verdict.name("act.stale_history" if stale else "act.wrong_observation")


def _actions(calls: list[Call]) -> np.ndarray:
    """Returns the actions that were chosen, as the environment was sent them.

    What is stored tells that best: the other blank may send something else.
    """
    chosen = []
    for call in calls:
        if sent := call.of("step"):
            stored = [effect[1] for effect in call.of("effect")]
            real = [action for action in stored if action in range(NUM_ACTIONS)]
            chosen.append(real[0] if real else sent[0][0])
    return np.array(chosen)


def _judge_chances(
    calls: list[Call],
    random_calls: list[Call],
    warm_up: list[Call],
    some: list[Call],
    verdict: Judgement,
) -> None:
    """Compares how often the greedy action is taken: with epsilon 0, 1 and between, and at first.

    A random action may or may not be allowed to be the greedy one: both are taught.
    """
    never, always = _actions(calls) == GREEDY, _actions(random_calls)
    if not never.size or not always.size:
        return
    at_one = float(np.mean(always == GREEDY))
    if at_one > REVERSED and not never.all():
        verdict.name("act.exploration_reversed")
        return
    if not never.any() and all(call.of("get_action") for call in calls):
        verdict.name("act.actor_ignored")
        return
    chance = 1 / NUM_ACTIONS
    if not never.all() or at_one > chance + slack(len(always), chance):
        verdict.name("act.epsilon")
        return
    early = _actions(warm_up) == GREEDY
    if len(early) and early.mean() > chance + slack(len(early), chance):
        verdict.name("act.no_warm_up")
    if set(always) | {GREEDY} != set(range(NUM_ACTIONS)):
        several = np.all(always == SEVERAL)
        verdict.name("act.several_actions" if several else "act.random_actions")
        return
    taken = _actions(some) == GREEDY
    low, high = 1 - EPSILON, 1 - EPSILON * (1 - chance)
    around = slack(MANY, EPSILON)
    if len(taken) >= MANY and not low - around <= float(taken.mean()) <= high + around:
        verdict.name("act.epsilon")


def slack(draws: int, chance: float) -> float:
    """Returns how far a share may lie from its chance."""
    return SIGMAS * float(np.sqrt(chance * (1 - chance) / draws))


def judge_step(seen: Observation, seed: int) -> Judgement:
    """Judges the step itself, what is stored of it, and how an episode ends."""
    trial = trials_of(seen, STEP)["greedy"]
    verdict = Judgement()
    if _concerns(trial, STEP):
        return judge_step_crash(trial, verdict)
    calls = read_calls(trial)
    stepped = [call for call in calls if call.of("step")]
    if trial.crash and not stepped:
        verdict.unknown.append(f"could not be judged: {tell(trial.crash)}")
        return verdict
    if not stepped:
        verdict.name("step.no_step")
        return verdict
    if any(len(call.of("step")) > 1 for call in stepped):
        verdict.name("step.more_steps")
        return verdict
    _judge_effects(stepped, seed, verdict)
    if all_alike([reset[1] for call in stepped for reset in call.of("reset")]):
        verdict.name("step.same_start")
    _judge_last_obs(stepped, seed, verdict)
    if any(all(call.frames()) for call in stepped):
        verdict.name("step.frame_stored")
    _judge_clock([c.clock - c.clock_at_step for c in stepped if not np.isnan(c.after)], verdict)
    return verdict


def all_alike(seeds: list[float]) -> bool:
    """Tells whether several resets were all given the same seed."""
    return len(seeds) > 1 and set(seeds) != {UNSEEDED} and len(set(seeds)) == 1


def _judge_effects(calls: list[Call], seed: int, verdict: Judgement) -> None:
    """The effect is stored at the frame's index, as it was."""
    if not any(call.of("effect") for call in calls):
        verdict.name("step.no_effect")
        return
    if any(len(call.of("effect")) != 1 for call in calls):
        verdict.name("step.effect_count")
        return
    effects = np.array([call.of("effect")[0] for call in calls])
    index = np.array([call.index for call in calls])
    done = ~np.isnan(index)
    if _arguments_swapped(calls, effects, seed):
        verdict.name("step.arguments")
        return
    shift = effects[done, 0] - index[done]
    if np.any(shift):
        near = np.all(np.abs(shift) <= 1) or np.all(np.abs(shift) == INDEX_STEP)
        verdict.name("step.index_shifted" if near else "step.wrong_index")
    taken = np.array([call.of("step")[0][0] for call in calls])
    if np.any(effects[:, 1] != taken):
        verdict.name("step.wrong_action")
    rewards = np.array([reward_of(seed, step) for step in range(len(calls))])
    if not np.allclose(effects[:, 2], rewards):
        verdict.name("step.reward")
    _judge_done(effects[:, 3] > 0, seed, verdict)


def _arguments_swapped(calls: list[Call], effects: np.ndarray, seed: int) -> bool:
    """Tells whether what was stored is right, but for the places in which it was handed over.

    One thing may have been left out for another that is nothing, such as the step's `info`.
    """
    taken = [call.of("step")[0][0] for call in calls]
    rewards = [reward_of(seed, step) for step in range(len(calls))]
    places = range(4)
    orders = [
        order
        for order in itertools.permutations(range(5), 4)
        if sum(what != place for place, what in zip(places, order, strict=True)) > 1
    ]
    index, nothing = [call.index for call in calls], np.zeros(len(calls))
    for _, ends in done_readings(len(calls), seed)[:2]:
        right = np.array([index, taken, rewards, ends, nothing], np.float64).T
        for order in orders:
            given = right[:, order]
            if np.allclose(effects[:, :3], given[:, :3]) and np.array_equal(
                effects[:, 3] > 0, given[:, 3] != 0
            ):
                return True
    return False


def _judge_done(stored: np.ndarray, seed: int, verdict: Judgement) -> None:
    """What is stored as done tells how it was read off a step."""
    for mistake, reading in done_readings(len(stored), seed):
        if np.array_equal(stored, reading):
            verdict.name(*([mistake] if mistake else []))
            return
    verdict.unknown.append(f"done was stored as {stored.astype(int).tolist()}")


@secret(lambda seed: itertools.product(range(1, STEPS + 1), [seed]))
def done_readings(steps: int, seed: int) -> list[tuple[str, np.ndarray]]:
    """Returns what may be stored as done in each step: the mistake, "" first, and the rows."""
    ends = np.array(script(seed)[:steps])
    terminated, ended = np.asarray(ends[:, 0]), np.asarray(ends.any(axis=1))
    return [
        ("", terminated),
        ("step.cut_is_done", ended),
        ("step.done_inverted", np.logical_not(terminated)),
        ("step.done_inverted", np.logical_not(ended)),
        ("step.truncated_is_done", ends[:, 1]),
        ("step.never_done", np.zeros(steps, bool)),
        ("step.end_forgotten", terminated & ~np.asarray(ends[:, 1])),
    ]


def _judge_last_obs(calls: list[Call], seed: int, verdict: Judgement) -> None:
    """`last_obs` is what to act on next: the frame that came, or the first of a fresh episode."""
    played = zip(calls, script(seed), strict=False)
    whole = [(call, end) for call, end in played if not np.isnan(call.after)]
    going = [call for call, end in whole if not any(end)]
    resets = [(bool(call.of("reset")), any(end), end) for call, end in whole]
    if any(call.after == PAIR for call, _ in whole):
        verdict.name("step.two_values")
        return
    if going and all(call.after == call.before for call in going):
        verdict.name("step.last_obs_kept")
    elif any(call.after != call.of("step")[0][1] for call in going if not call.of("reset")):
        verdict.name("step.last_obs")
    if any(reset and not ended for reset, ended, _ in resets):
        verdict.name("step.reset_early")
        return
    missed = [end for reset, ended, end in resets if ended and not reset]
    if missed:
        kept_on = all(not terminated for terminated, _ in missed)
        only_cut = {end for _, ended, end in resets if ended} - set(missed)
        verdict.name("step.no_reset_when_cut" if kept_on and only_cut else "step.no_reset")
        return
    for call, end in whole:
        if any(end) and call.after != call.of("reset")[-1][0]:
            verdict.name("step.reset_ignored")
            return


def judge_step_crash(trial: Trial, verdict: Judgement) -> Judgement:
    """Translates an exception in `step_env` into the mistake behind it, where known."""
    crash = trial.crash
    assert crash is not None
    if crash.blank:
        verdict.blank = True
        return verdict
    known = None
    if "unpack" in crash.text and ".step(" in crash.source:
        known = "step.five_values"
    elif "unpack" in crash.text and ".reset(" in crash.source:
        known = "step.two_values"
    elif crash.kind == "TypeError" and "store_effect()" in crash.text:
        known = "step.arguments"
    return judge_crash(crash, known, verdict)
