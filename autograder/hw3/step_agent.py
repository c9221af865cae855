"""A student's DQN agent among fakes, and how one of the two blanks of its `step_env` is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autograder.hw3.step_world import (
    FRAME_SIZE,
    GREEDY,
    NO_ACTION,
    NUM_ACTIONS,
    Call,
    StepWorld,
    frame,
)
from autograder.probing import StandIn, Student, Trial

ACT, STEP = "hw3.dqn.act", "hw3.dqn.step"
STARTS, FREQUENCY, BATCH = 200, 2, 32  # learning_starts, learning_freq, batch_size
MOST_SETTINGS = 50
Notes = Callable[[Sequence[Call]], Mapping[str, Any]]
"""Says what is to be seen in the calls that came to their end."""


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
    """A schedule that is constant, and notes whether it is asked about another time than now."""

    def __init__(self, world: StepWorld, epsilon: float) -> None:
        """Notes it in the calls of `world`."""
        self.world, self.epsilon = world, epsilon

    def value(self, t: Any) -> float:
        """Returns epsilon."""
        agent = self.world.agent
        self.world.call.another_time |= agent is not None and bool(t != agent.t)
        return self.epsilon


def agent_params(**settings: Any) -> dict[str, Any]:
    """Returns settings for a DQNAgent, under older names too."""
    return {
        "env_name": "StepWorld-v0",
        "batch_size": BATCH,
        "num_actions": NUM_ACTIONS,
        "ac_dim": NUM_ACTIONS,
        "ob_dim": (FRAME_SIZE,),
        "input_shape": (FRAME_SIZE,),
        "learning_starts": STARTS,
        "learning_freq": FREQUENCY,
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
    agent.env = agent.actor = world
    agent.last_obs = frame(world.frames)
    agent.replay_buffer, agent.critic = world.buffer, world.critic
    agent.exploration = exploration
    return agent


def play(
    student: Student,
    seen: dict[str, Any],
    notes: Notes,
    world: StepWorld,
    times: Sequence[int],
    epsilon: float = 0.0,
) -> None:
    """Takes a step at each of some times, as an agent would that has played from the start."""
    agent = build(student, world, epsilon)
    world.calls.clear()
    world.buffer.num_in_buffer = times[0]
    try:
        for t in times:
            world.begin(agent, t)
            agent.num_param_updates = max(0, t - STARTS) // FREQUENCY
            with contextlib.suppress(CallDone):
                agent.step_env()
            world.end()
    finally:
        seen["acted"] = world.call.chosen is not None
        seen.update(notes([call for call in world.calls if call.after is not None]))
    del seen["acted"]  # it tells of the call that crashed alone


def owner_of(trial: Trial) -> str:
    """Tells which blank of `step_env` an exception belongs to; the second has an action."""
    crash = trial.crash
    acted = bool(trial.arrays.get("acted", False))
    chosen = crash is not None and ("action" in crash.names or ".step(" in crash.source)
    return STEP if acted or chosen else ACT


def act(local: Mapping[str, Any]) -> int:
    """Stands in for the first blank: stores the frame, unless that is done, and acts."""
    agent = local["self"]
    world: StepWorld = agent.env
    if not world.call.stored:
        put = world.buffer.store_frame
        agent.replay_buffer_idx = put(agent.last_obs)
    return GREEDY


def step(local: Mapping[str, Any]) -> None:
    """Stands in for the second blank, and for what is left of it where one of its lines crashed."""
    agent = local["self"]
    world: StepWorld = agent.env
    world.choose(local.get("action", NO_ACTION))
    agent.last_obs = world.next_frame()
    raise CallDone


def try_alone(
    student: Student, blank: str, name: str, experiment: Callable[[dict[str, Any]], None]
) -> None:
    """Runs an experiment for the sake of one blank, past the other one where that is in the way."""
    stand_ins = {ACT: StandIn(act, ("action",)), STEP: StandIn(step)}
    del stand_ins[blank]
    student.try_alone(name, experiment, blank, stand_ins, owner_of)
