"""Which blank makes which number of a training, for policy gradient beside ours."""

from __future__ import annotations

from autograder.misconceptions.question import Question
from autograder.misconceptions.trainings import Agent, Stream, kept

RETURN, TO_GO, GAE = (f"hw2.returns.{n}" for n in ("discounted_return", "reward_to_go", "gae"))
Q, ADVANTAGE, SCALE = "hw2.pg.q_values", "hw2.pg.advantage", "hw2.pg.standardize"
POLICY, VALUE, BASELINE = "hw2.policy.update", "hw2.value.update", "hw2.pg.baseline"
CLIPS = "Your code clips the gradient, which nobody asks for."


PG = Agent(
    Question("hw2.given.beside_pg", "beside_pg"),
    (
        Stream("discounted_return returns", "the return of a path", (RETURN,)),
        Stream("reward_to_go returns", "the reward-to-go", (TO_GO,)),
        Stream("q_values returns", "the q-values", (Q, RETURN, TO_GO)),
        Stream("estimate_advantage given", "what advantages are asked of", (Q,)),
        Stream("generalized_advantages given", "what GAE is asked of", (ADVANTAGE,)),
        Stream("generalized_advantages returns", "the result of GAE", (GAE,)),
        Stream("standardize given", "the array of advantages", (ADVANTAGE,)),
        Stream("standardize returns", "the standardised advantages", (SCALE,)),
        Stream("estimate_advantage returns", "the array of advantages", (ADVANTAGE,)),
        Stream("actor.update given", "what the policy is given", (ADVANTAGE,)),
        Stream("actor clip given", CLIPS, (POLICY,), unasked=True),
        Stream("actor's optimizer", "the policy's learning rate", (POLICY,)),
        Stream("actor then", "the step of the policy", (POLICY,), moved=True),
        Stream("critic.update given", "what the baseline is given", (BASELINE,)),
        Stream("critic clip given", CLIPS, (VALUE,), unasked=True),
        Stream("critic's optimizer", "the baseline's learning rate", (VALUE,)),
        Stream("critic then", "the step of the baseline", (VALUE,), moved=True),
        Stream("actor", "the policy", (POLICY, ADVANTAGE, Q, GAE), True, moved=True),
        Stream("critic", "the baseline", (VALUE, BASELINE, Q), True, moved=True),
        Stream("log", "the log's names", (BASELINE, POLICY), decides=True),
        kept(POLICY, VALUE, BASELINE, ADVANTAGE, Q),
    ),
    {
        "discounted_return": (RETURN,),
        "reward_to_go": (TO_GO,),
        "generalized_advantages": (GAE,),
        "q_values": (Q,),
        "standardize": (SCALE,),
        "estimate_advantage": (ADVANTAGE,),
        "actor.update": (POLICY,),
        "critic.update": (VALUE,),
        "fit_baseline": (BASELINE,),
    },
    "update",
)
