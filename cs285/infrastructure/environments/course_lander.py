"""CS285's own lander: a pad at a random place, six actions, and rewards of its own."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
from gymnasium.envs.box2d.lunar_lander import (
    FPS,
    LEG_DOWN,
    SCALE,
    VIEWPORT_H,
    VIEWPORT_W,
    LunarLander,
)
from gymnasium.spaces import Box, Discrete
from gymnasium.utils import EzPickle

WIDTH, HEIGHT = VIEWPORT_W / SCALE, VIEWPORT_H / SCALE
"""Of the screen, in Box2D's metres."""
CORNERS = 11
"""Of the ground, equally far apart over the width of the screen."""
THROTTLE = 0.75
"""Of an engine that is on, in the terms of LunarLanderContinuous-v3."""
MAIN_FUEL, SIDE_FUEL = 0.30 * (1 + THROTTLE) / 2, 0.03 * THROTTLE
"""Reward that a step with an engine costs: the price of full power, times the power."""
CRASHED, LANDED = -100.0, 100.0


class CourseLander(LunarLander):
    """The task that CS285 (Fall 2020) registered as LunarLander-v3; Gymnasium's is another one.

    Bodies, engines, their noise, gravity (-10) and the push at the start are those of
    LunarLanderContinuous-v3, without wind.

    Actions: 0, 1, 2 have the main engine off, and 3, 4, 5 on, each with steering left, none,
    right. The main engine's power is 0.875, a side engine's 0.75, of 1.

    Observations, float32 of shape (9,), with half the screen's width, 10 m, as the unit of places:

    - 0, 1: x from the middle of the screen, y from where the body is on a pad;
    - 2, 3: velocity, times 10 m / 50 and 6.67 m / 50;
    - 4, 5: angle in rad, and 0.4 times its velocity in rad/s;
    - 6, 7: 1 where the first or second leg touches the ground, else 0;
    - 8: x of the pad's middle, one of -0.8, -0.6, ... 0.8.

    Rewards: the gain in `shaping`, less `MAIN_FUEL` and `SIDE_FUEL` for engines that are on. In
    place of it, -100 where the body touches the ground or leaves the screen sideways, and +100 on
    the pad: both legs down, or at rest, at the height of a pad or lower. All these end the episode.
    So does rest elsewhere, which pays nothing besides. Landings elsewhere do not end it.

    The limit of 1,000 steps is the registration's, a wrapper of Gymnasium. With the same random
    numbers and actions, 600 episodes were those of the original to the rounding of float32
    (homework_fall2020, hw3/cs285/envs/box2d/lunar_lander.py). It differs in this:

    - Its limit counted the step within `reset`, so an agent had 999. It also paid +100 if the limit
      came while the body was low over the pad with a leg in the air.
    - It drew the pad from NumPy's global generator, so `seed` did not determine it. All else came
      from a RandomState, so the same seed is another episode here.
    - Its observations were float64. It kept one Box2D world for all episodes, and had exhaust
      particles also where nobody looks; they touch nothing but the ground.
    - Its pictures had a bar for the time, and a red or green lander at the end.
    """

    lander: Any
    moon: Any
    potential: float | None = None
    """`shaping` of the present state; None within Gymnasium's `reset`, which takes a step."""

    def __init__(self, render_mode: str | None = None) -> None:
        """Makes the task.

        Args:
            render_mode: "rgb_array" for pictures of 400 x 600 x 3 bytes, "human" for a window.
        """
        super().__init__(render_mode, continuous=True)
        EzPickle.__init__(self, render_mode)  # what a copy is made with
        self.observation_space = Box(-np.inf, np.inf, (9,), np.float32)
        self.action_space = Discrete(6)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode: Gymnasium's, on a ground of its own."""
        mode, self.render_mode = self.render_mode, None  # no picture of Gymnasium's ground
        self.potential = None
        super().reset(seed=seed, options=options)
        self.render_mode = mode
        self._make_ground()
        state = self._state()
        self.potential = shaping(state)
        return np.array(state, np.float32), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes one step of 1/50 s, by one of the six actions."""
        physics: Any = super()
        before = self.potential
        if before is None:  # as Gymnasium's reset asks for it: all engines off
            result: tuple[np.ndarray, float, bool, bool, dict[str, Any]] = physics.step(action)
            return result
        assert self.action_space.contains(action), f"{action!r} is none of 0 to 5"
        main, side = action >= 3, int(action) % 3 - 1
        physics.step(THROTTLE * np.array([1 if main else -1, side]))
        state = self._state()
        self.potential = shaping(state)
        reward = self.potential - before - MAIN_FUEL * main - SIDE_FUEL * abs(side)

        at_rest = not self.lander.awake
        over_pad = self.helipad_x1 <= self.lander.position.x <= self.helipad_x2
        on_pad = over_pad and state[1] <= 0
        if self.game_over or abs(state[0]) >= 1:
            reward, terminated = CRASHED, True
        elif on_pad and (at_rest or (state[6] and state[7])):
            reward, terminated = LANDED, True
        else:
            terminated = at_rest
        return np.array(state, np.float32), float(reward), terminated, False, {}

    def _make_ground(self) -> None:
        """Replaces the ground by one with the pad at a random corner, the outermost two excepted.

        The pad reaches from the corner before to the corner after. The heights are Gymnasium's:
        uniform up to half of the screen, level around the pad, each the mean of three neighbours.
        """
        pad = int(self.np_random.integers(1, CORNERS - 1))
        heights = self.np_random.uniform(0, HEIGHT / 2, CORNERS + 1)
        heights[np.arange(pad - 2, pad + 3)] = self.helipad_y  # -1: the last one, as below
        smooth = 0.33 * (np.roll(heights, 1) + heights + np.roll(heights, -1))
        corners = [(WIDTH / (CORNERS - 1) * i, float(smooth[i])) for i in range(CORNERS)]
        self.helipad_x1, self.helipad_x2 = corners[pad - 1][0], corners[pad + 1][0]

        # As a whole: which contact comes first depends on the order in which Box2D frees edges.
        self.world.DestroyBody(self.moon)
        self.moon = self.world.CreateStaticBody()
        self.moon.CreateEdgeFixture(vertices=[(0, 0), (WIDTH, 0)])
        self.sky_polys = []
        for left, right in zip(corners[:-1], corners[1:], strict=True):
            self.moon.CreateEdgeFixture(vertices=[left, right], density=0, friction=0.1)
            self.sky_polys.append([left, right, (right[0], HEIGHT), (left[0], HEIGHT)])

    def _state(self) -> list[float]:
        """Returns the nine observations, not yet rounded to float32."""
        place, velocity, half = self.lander.position, self.lander.linearVelocity, WIDTH / 2
        return [
            (place.x - half) / half,
            (place.y - (self.helipad_y + LEG_DOWN / SCALE)) / half,
            velocity.x * half / FPS,
            velocity.y * (HEIGHT / 2) / FPS,
            self.lander.angle,
            20 * self.lander.angularVelocity / FPS,
            *(float(leg.ground_contact) for leg in self.legs),
            ((self.helipad_x1 + self.helipad_x2) / 2 - half) / half,
        ]


def shaping(state: list[float]) -> float:
    """Returns the potential whose gain is the reward (Ng, Harada and Russell, 1999).

    It is -100 for each unit of distance from the pad, of speed and of angle, in the units of the
    nine observations `state`, and +10 for each leg on the ground.
    """
    x, y, vx, vy, angle, _, first, second, pad = state
    return 10 * (first + second) - 100 * (hypot(x - pad, y) + hypot(vx, vy) + abs(angle))
