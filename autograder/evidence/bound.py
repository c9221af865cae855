"""How far below its claim a run's weights may play: two bounds, each with its false alarms.

**Evaluations.** A row with `Eval_AverageReturn` was played by the very weights that were saved with
it. If the log is honest, the judge's episodes and those of the log come from one distribution. Then
a fresh evaluation, drawn from all those episodes together, gives the claim or more with a
probability that is below `ALPHA` in one honest run of 1 / `ALPHA`, whatever the distribution is.
The draws repeat the evaluation's own rule: a number of episodes. Earlier versions had whole
episodes until there were enough steps, a rule under which long episodes weigh more.

**Means while learning.** DQN logs the mean of the last 100 training episodes, which many successive
policies played; the saved weights are the last of them. How far that one may fall below the mean
of all is no matter of arithmetic: DQN gets worse at times, and better again. The weights hold the
claim if they keep `SHARE` of what the claim is above random play. How often honest ones do not was
measured, see docs/instructor.md. A question sets the number of runs whose claims must hold.
"""

from __future__ import annotations

import math

import numpy as np

from autograder.evidence.play import Played

ALPHA = 1e-3
DOUBTFUL = 0.1  # below, the judge plays on before it says anything
DRAWS = 20_000
CHUNK = 2_000_000  # numbers drawn at a time
SHARE = 0.5
NORMAL = 3.09  # standard errors beyond which a normal mean lies once in 1000


def evaluation_p_value(
    claim: float, length: float, steps: int, episodes: int, played: Played, rng: np.random.Generator
) -> float:
    """Returns how often an evaluation gives at least what is claimed, if the claim is honest.

    The log claims a mean return, and a mean length of its episodes; an evaluation has at least so
    many steps, and whole episodes.
    """
    claimed = max(episodes, math.ceil(steps / length - 1e-6))
    returns = np.concatenate([played.returns, np.full(claimed, claim)])
    lengths = np.concatenate([played.lengths, np.full(claimed, length)])
    longest = max(episodes, math.ceil(steps / lengths.min()))  # most episodes of an evaluation
    left, reached = DRAWS, 0
    while left:
        count = min(left, max(1, CHUNK // longest))
        drawn = rng.integers(len(returns), size=(count, longest))
        before = np.cumsum(lengths[drawn], axis=1) - lengths[drawn]
        taken = (before < steps - 1e-6) | (np.arange(longest) < episodes)
        means = (returns[drawn] * taken).sum(axis=1) / taken.sum(axis=1)
        reached += int((means >= claim - 1e-6 * max(1.0, abs(claim))).sum())
        left -= count
    return (reached + 1) / (DRAWS + 1)


def least_while_learning(claim: float, random: float, played: Played) -> float:
    """Returns what the judge's mean must not fall below, where the claim is a mean over policies.

    `random` is the mean return of random play.
    """
    return claim - SHARE * max(0.0, claim - random) - NORMAL * played.error
