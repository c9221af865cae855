"""Playing a run's weights, and comparing what they reach with what its log claims."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from autograder.evidence import bound, policies
from autograder.evidence.files import UnreadableError, read_bytes
from autograder.evidence.play import Played, Player
from autograder.evidence.policies import Weights
from autograder.evidence.rules import RunQuestion
from autograder.evidence.run_folder import WEIGHTS, Run
from autograder.evidence.settings import Fault, eval_epsilon, evaluation_rule

MOST_EVALUATION, MOST_EPISODES = 20_000, 200  # of an evaluation that are repeated: steps, episodes
SLACK = 1e-3  # of a mean that is written in single precision


@dataclass(frozen=True)
class Claim:
    """A claim of a run's log, and what its weights reach."""

    message: str  # one line for the report
    reached: float  # the judge's mean return
    holds: bool  # whether the log's claim is true, as far as chance allows
    # Whether a claim that does not hold is a fault by itself: the log says that these very weights
    # reached it.
    certain: bool


def read_weights(
    question: RunQuestion, run: Run, name: str = WEIGHTS
) -> tuple[Weights | None, list[Fault]]:
    """Returns a run's weights, or what is wrong with them; `name` is that of the file."""
    try:
        wanted = policies.shapes(question, run.settings, run.last("Best_Member"))
        data = read_bytes(run.folder / name, policies.most_bytes(wanted))
        weights = policies.load_weights(data, wanted)
    except UnreadableError as error:
        gone = "evidence.missing" if "not there" in str(error) else "evidence.unreadable"
        return None, [(gone, str(error))]
    except policies.MisfitError as error:
        return None, [("evidence.weights_do_not_fit", f"{name}: {error}")]
    if layer := policies.untrained(question, weights):
        line = f"{name}: {layer} is as it was drawn at first"
        return None, [("evidence.weights_untrained", line)]
    return weights, []


def claim_faults(question: RunQuestion, run: Run) -> Iterator[Fault]:
    """Yields why a log's last row is no claim against which weights can be played.

    Numbers beyond what the task gives must not reach the bound: their sums overflow, and then any
    claim is likely.
    """
    task = question.task
    possible = {question.column: task.returns}
    if not question.dqn or math.isfinite(run.last("Eval_AverageReturn")):
        possible["Eval_AverageReturn"] = task.returns
        possible["Eval_AverageEpLen"] = (1, task.longest)
    for name, (least, most) in possible.items():
        number = run.last(name)
        if math.isnan(number):
            yield "evidence.missing", f"the last row of log.csv has no {name}"
        elif not least - SLACK <= number <= most + SLACK:
            line = f"{name} is {number:.6g} in the last row, and {task.env_name} gives"
            yield "evidence.impossible", f"{line} {least:g} to {most:g}"


def judge_claims(question: RunQuestion, run: Run, weights: Weights, seed: int) -> list[Claim]:
    """Plays a run's weights as its log says they were played; one claim for each way.

    Raises:
        UserError: If a package for the environment is missing here.
    """
    seed = zlib.crc32(f"{seed} {question.id} {run.folder.name}".encode("utf-8", "surrogateescape"))
    found = []
    if math.isfinite(run.last("Eval_AverageReturn")):
        policy = policies.make_policy(question, weights, eval_epsilon(run) or 0.0)
        # Evaluations of older versions showed the frames of earlier lives.
        across = "eval_epsilon" not in run.settings
        with closing(Player(question, policy, seed, across_lives=across)) as player:
            found.append(_evaluated(question, run, player, seed))
    if question.dqn:
        policy = policies.make_policy(question, weights, run.last("Exploration_Epsilon"))
        with closing(Player(question, policy, seed)) as player:
            found.append(_while_learning(question, run, player))
    return found


def _evaluated(question: RunQuestion, run: Run, player: Player, seed: int) -> Claim:
    """The claim of the last evaluation, which these very weights played."""
    claim, length = run.last("Eval_AverageReturn"), run.last("Eval_AverageEpLen")
    # Fewer steps or episodes are never to a run's loss: chance then explains more.
    if evaluation_rule(run) == "eval_batch_size":
        steps = min(int(run.settings["eval_batch_size"]), MOST_EVALUATION)
        episodes = question.settings.get("eval_episodes", 1)
    else:
        steps, episodes = 1, min(int(run.settings["eval_episodes"]), MOST_EPISODES)
    rng = np.random.default_rng([seed, 2])
    rule = (claim, length, steps, episodes)
    played = player.play(question.play.first)
    p_value = bound.evaluation_p_value(*rule, played, rng)
    if p_value < bound.DOUBTFUL:
        played = player.play(question.play.more)
        p_value = bound.evaluation_p_value(*rule, played, rng)
    chance = f", with epsilon {epsilon:g}," if (epsilon := eval_epsilon(run)) else ""
    message = f"the last evaluation{chance} claims {claim:.1f}, {_reached(played)}"
    if p_value < bound.DOUBTFUL:
        message += f"; chance of that or more: {p_value:.2g}, the bound is {bound.ALPHA:g}"
    return Claim(message, played.mean, p_value > bound.ALPHA, True)


def _while_learning(question: RunQuestion, run: Run, player: Player) -> Claim:
    """The claim of the last training episodes, which successive policies played."""
    claim, random = run.last("Train_AverageReturn"), question.task.random
    played = player.play(question.play.first)
    message = f"the last training episodes claim {claim:.1f}"
    proven = question.proof is None or played.mean - bound.NORMAL * played.error >= question.proof
    if proven and played.mean >= claim - bound.SHARE / 2 * max(0.0, claim - random):
        return Claim(f"{message}, {_reached(played)}", played.mean, True, False)
    played = player.play(question.play.more)
    least = bound.least_while_learning(claim, random, played)
    message += f", {_reached(played)}; the bound is {least:.1f}"
    return Claim(message, played.mean, played.mean >= least, False)


def _reached(played: Played) -> str:
    episodes = len(played.returns)
    return f"the weights reach {played.mean:.1f} +/- {played.error:.1f} in {episodes} episodes"
