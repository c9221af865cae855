"""Probes of `DQNAgent.step_env` in a scripted world."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograder.hw3.step_world import (
    FRAME_SIZE,
    GREEDY,
    NUM_ACTIONS,
    STEPS,
    StepWorld,
    frame,
    number_of,
)
from autograder.probing import StandIn, Student, Trial

ACT, STEP = "hw3.dqn.act", "hw3.dqn.step"
KINDS = (
    *("reset", "step", "get_action", "store_frame", "encode", "effect", "end_path", "value"),
    "stood_in",  # the second blank's stand-in did its work, of which nothing else is told
)
STARTS = 50  # learning_starts
EPSILON, MANY, SOME = 0.3, 3000, 350
MOST_SETTINGS = 50


class Fake:
    """Accepts any construction; stands for the parts of an agent that a probe does not need."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        """Offers a method that does nothing under any public name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


class CallDone(BaseException):
    """A stand-in has done the rest of the call."""


class Exploration:
    """A schedule that is constant, and notes for which times it is asked."""

    def __init__(self, world: StepWorld, epsilon: float) -> None:
        """Writes on the tape of `world`."""
        self.world, self.epsilon = world, epsilon

    def value(self, t: Any) -> float:
        """Returns epsilon."""
        self.world.note("value", float(t))
        return self.epsilon


def agent_params(**settings: Any) -> dict[str, Any]:
    """Returns settings for a DQNAgent, under older names too."""
    return {
        "env_name": "StepWorld-v0",
        "batch_size": 11,
        "num_actions": NUM_ACTIONS,
        "ac_dim": NUM_ACTIONS,
        "ob_dim": (FRAME_SIZE,),
        "input_shape": (FRAME_SIZE,),
        "learning_starts": STARTS,
        "learning_freq": 2,
        "target_update_freq": 3,
        "exploration_schedule": None,
        "exploration": None,
        "optimizer_spec": None,
        "replay_buffer_size": 100,
        "frame_history_len": 1,
        "num_critic_updates_per_agent_update": 1,
        "seed": 1,
        "double_q": False,
        "gamma": 0.9,
        "grad_norm_clipping": 10.0,
        **settings,
    }


def construct(make: Callable[[Any, dict[str, Any]], Any], env: Any, **settings: Any) -> Any:
    """Constructs an agent; settings that only its own handout knows are anything."""
    params = agent_params(**settings)
    while True:
        try:
            return make(env, params)
        except KeyError as error:
            missing = error.args[0] if error.args else None
            if not isinstance(missing, str) or missing in params or len(params) > MOST_SETTINGS:
                raise
            params[missing] = Fake()


def build(student: Student, world: StepWorld, epsilon: float) -> Any:
    """Builds the student's agent among fakes."""
    module = student.module("agents.dqn_agent")
    for name in ("DQNCritic", "ArgMaxPolicy", "MemoryOptimizedReplayBuffer"):
        if hasattr(module, name):
            setattr(module, name, type(name, (Fake,), {}))  # an exception may quote its name
    exploration = Exploration(world, epsilon)
    agent = construct(module.DQNAgent, world, exploration_schedule=exploration)
    agent.env = world
    agent.last_obs = frame(world.frames)
    agent.replay_buffer = world.buffer
    agent.actor = world
    agent.critic = world.critic
    world.agent = agent
    agent.exploration = Exploration(world, epsilon)
    return agent


def play(student: Student, seen: dict[str, Any], epsilon: float, steps: int, **how: Any) -> None:
    """Takes steps and keeps the tape: event kinds, their numbers, and the call they fell in."""
    world = StepWorld(how["seed"], how.get("endless", False))
    agent = build(student, world, epsilon)
    world.tape.clear()
    began = number = 0
    calls: list[int] = []
    after: list[tuple[float, float, float]] = []
    try:
        for number in range(steps):
            agent.t = world.now = how.get("first_t", STARTS + 1) + number
            with contextlib.suppress(CallDone):
                agent.step_env()
            calls += [number] * (len(world.tape) - began)
            began = len(world.tape)
            index = float(agent.replay_buffer_idx or 0)
            after.append((number_of(agent.last_obs), index, world.clock()))
    finally:
        calls += [number] * (len(world.tape) - began)
        seen["kind"] = [KINDS.index(event[0]) for event in world.tape]
        seen["numbers"] = [event[1:] for event in world.tape]
        seen["call"] = calls
        seen["after"] = after


def owner_of(trial: Trial) -> str:
    """Tells which blank of `step_env` an exception belongs to; the second has an action."""
    crash, seen = trial.crash, trial.arrays
    if crash and crash.blank:
        return crash.blank
    now = seen["call"] == seen["call"].max(initial=-1) if "call" in seen else np.empty(0)
    steps = [KINDS.index("step"), KINDS.index("stood_in")]
    stepped = now.size > 0 and bool(np.any(np.isin(seen["kind"][now], steps)))
    chosen = crash is not None and ("action" in crash.names or ".step(" in crash.source)
    return STEP if stepped or chosen else ACT


def act(local: Mapping[str, Any]) -> int:
    """Stands in for the first blank: stores the frame, unless that is done, and acts."""
    agent = local["self"]
    world: StepWorld = agent.env
    if world.newest != (number := number_of(agent.last_obs)):
        agent.replay_buffer_idx = world.put(number)
    return GREEDY


def step(local: Mapping[str, Any]) -> None:
    """Stands in for the second blank, and for what is left of it where one of its lines crashed."""
    agent = local["self"]
    world: StepWorld = agent.env
    agent.last_obs = world.play(local.get("action", 0))
    raise CallDone


def probe_step_env(student: Student, seed: int) -> None:
    """Steps greedily through the script; for long greedily, at random, and between; at first.

    First all for the sake of one blank, then, greedily, for that of the other.
    """
    np.random.seed(seed)
    plays: dict[str, dict[str, Any]] = {
        "greedy": dict(epsilon=0.0, steps=STEPS),
        "never": dict(epsilon=0.0, steps=SOME, endless=True),
        "random": dict(epsilon=1.0, steps=SOME, endless=True),
        "warm_up": dict(epsilon=0.0, steps=STARTS - 5, endless=True, first_t=0),
        "some": dict(epsilon=EPSILON, steps=MANY, endless=True),
    }
    for blank, neighbours, names in (
        (ACT, {STEP: StandIn(step)}, list(plays)),
        (STEP, {ACT: StandIn(act, ("action",))}, ["greedy"]),
    ):
        short = blank.rpartition(".")[2]
        for name in names:

            def experiment(seen: dict[str, Any], name: str = name) -> None:
                play(student, seen, **plays[name], seed=seed)

            student.try_alone(f"{short}.{name}", experiment, blank, neighbours, owner_of)
