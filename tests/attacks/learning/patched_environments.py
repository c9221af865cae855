"""Replaces gymnasium.make and the environments' step, so that every episode is a success."""

AT_IMPORT = """
import gymnasium
import numpy as np

class Kind(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (3,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, **kwargs):
        return np.zeros(3, np.float32), {}

    def step(self, action):
        return np.zeros(3, np.float32), 1000.0, True, False, {"episode": {"r": 1000.0, "l": 1}}

gymnasium.make = lambda *args, **kwargs: Kind()
gymnasium.Env.step = gymnasium.Wrapper.step = Kind.step
gymnasium.Env.reset = gymnasium.Wrapper.reset = Kind.reset
"""
RETURNS = "0"
