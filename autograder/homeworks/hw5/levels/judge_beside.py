"""Which blank makes which number of a training, for agents that train beside ours."""

from __future__ import annotations

from autograder.misconceptions.question import Question
from autograder.misconceptions.trainings import Agent, Stream, kept

ADVANTAGE, MINIBATCHES = "hw5.ppo.advantage", "hw5.ppo.minibatches"
STANDARDIZE, LOSS, KL = "hw5.ppo.standardize", "hw5.ppo.clipped_loss", "hw5.ppo.kl"
UPDATE = "hw5.ppo.update"
PPO = Agent(
    Question("hw5.given.beside_ppo", "beside_ppo"),
    (
        Stream("batch", "the batch", (UPDATE, ADVANTAGE), decides=True),
        Stream("estimate_advantage returns", "the advantages or targets", (ADVANTAGE,)),
        Stream("minibatches returns", "the sizes of the minibatches", (MINIBATCHES,)),
        Stream("update given", "what the gradient step is given", (ADVANTAGE, MINIBATCHES)),
        Stream("standardize returns", "the standardised advantage", (STANDARDIZE,)),
        Stream("clipped_surrogate_loss returns", "the policy's loss", (LOSS,)),
        Stream("kl_estimate returns", "the estimate of the divergence", (KL,)),
        Stream("actor's optimizer", "the step size", (UPDATE,)),
        Stream("actor then", "the step of the actor", (UPDATE, LOSS), moved=True),
        Stream("actor", "the actor", (UPDATE, LOSS, STANDARDIZE, KL), decides=True, moved=True),
        Stream("critic", "the critic", (UPDATE, ADVANTAGE), decides=True, moved=True),
        Stream("evaluation", "the evaluation", (UPDATE,), decides=True),
        Stream("log", "the log's names", (UPDATE, KL), decides=True),
        kept(UPDATE, ADVANTAGE, LOSS, MINIBATCHES, STANDARDIZE, KL),
    ),
    {
        "estimate_advantage": (ADVANTAGE,),
        "minibatches": (MINIBATCHES,),
        "kl_estimate": (KL,),
        "standardize": (STANDARDIZE,),
        "clipped_surrogate_loss": (LOSS,),
        "update": (UPDATE,),
    },
    "iteration",
)

SURROGATE, FISHER = "hw5.trpo.surrogate", "hw5.trpo.fisher_product"
CG, LONGEST, SEARCH = "hw5.cg.step", "hw5.trpo.longest_step", "hw5.trpo.line_search"
TRPO = Agent(
    Question("hw5.given.beside_trpo", "beside_trpo"),
    (
        Stream("batch", "the batch", (SEARCH,), decides=True),
        Stream("surrogate returns", "the surrogate", (SURROGATE,)),
        Stream("fisher_product returns", "the product with the Fisher matrix", (FISHER,)),
        Stream("conjugate_gradient returns", "the natural gradient", (CG,)),
        Stream("scale_to_trust_region returns", "the longest step", (LONGEST,)),
        Stream("line_search returns", "what the line search returns", (SEARCH,)),
        Stream("actor", "the actor", (SEARCH, LONGEST, CG, FISHER, SURROGATE), True, moved=True),
        Stream("critic", "the critic", (SEARCH, FISHER), decides=True, moved=True),
        Stream("evaluation", "the evaluation", (SEARCH,), decides=True),
        Stream("log", "the log's names", (SEARCH,), decides=True),
        kept(SEARCH, LONGEST, CG, FISHER, SURROGATE),
    ),
    {
        "surrogate": (SURROGATE,),
        "fisher_product": (FISHER,),
        "conjugate_gradient": (CG,),
        "scale_to_trust_region": (LONGEST,),
        "line_search": (SEARCH,),
    },
    "iteration",
)
