"""Which blank makes which number of a training, for agents that train beside ours."""

from __future__ import annotations

from autograder.misconceptions.question import Question
from autograder.misconceptions.trainings import Agent, Stream, kept

EXPLORE, COPY, SAMPLE = "hw4.policy.explore", "hw4.critic.soft_copy", "hw3.trainer.train"
ACTS = (
    Stream("get_action returns", "the action while learning", (EXPLORE,)),
    Stream("steps", "the action in the environment", (EXPLORE,), decides=True),
    Stream("batch", "the batch", (SAMPLE,), decides=True),
)
"""What comes first in a step of any of these agents."""
REPORTS = (
    Stream("evaluation", "the evaluation", (SAMPLE,), decides=True),
    Stream("log", "the log's names", (SAMPLE,), decides=True),
    Stream("train_agent returns", "the number of logs", (SAMPLE,), decides=True),
    Stream("returns", "the log's returns", (SAMPLE,), decides=True),
)
"""What comes last."""
PARTS = {"get_action": (EXPLORE,), "polyak_update": (COPY,), "train_agent": (SAMPLE,)}


def copies(*blanks: str) -> tuple[Stream, ...]:
    """Returns the streams of both target networks, whose blanks may be those of a turn as well."""
    return tuple(
        Stream(f"target {name}", f"the target {name}", (COPY, *blanks), decides=True, moved=True)
        for name in ("critic", "actor")
    )


TARGETS, ACTOR = "hw4.ddpg.targets", "hw4.ddpg.actor"
DDPG = Agent(
    Question("hw4.given.beside_ddpg", "beside_ddpg"),
    (
        *ACTS,
        Stream("targets returns", "the target", (TARGETS,)),
        Stream("policy_loss returns", "the actor's loss", (ACTOR,)),
        Stream("critic", "the critic", (TARGETS,), decides=True, moved=True),
        Stream("actor", "the actor", (ACTOR,), decides=True, moved=True),
        *copies(),
        *REPORTS,
        kept(TARGETS, ACTOR, COPY, EXPLORE),
    ),
    {**PARTS, "targets": (TARGETS,), "policy_loss": (ACTOR,)},
    "update",
)

SMOOTHING, CLIPPED = "hw4.td3.smoothing", "hw4.td3.targets"
TWIN, DELAY = "hw4.td3.critic", "hw4.td3.delay"
TD3 = Agent(
    Question("hw4.given.beside_td3", "beside_td3"),
    (
        *ACTS,
        Stream("smoothed_action returns", "the target policy's action", (SMOOTHING,)),
        Stream("targets returns", "the target", (CLIPPED,)),
        Stream("twin_critic_loss returns", "the critics' loss", (TWIN,)),
        Stream("is_actors_turn returns", "the actor's turn", (DELAY,)),
        Stream("critic", "the critic", (TWIN, CLIPPED, SMOOTHING), decides=True, moved=True),
        Stream("actor", "the actor", (DELAY,), decides=True, moved=True),
        *copies(DELAY),
        *REPORTS,
        kept(TWIN, CLIPPED, SMOOTHING, DELAY, COPY, EXPLORE),
    ),
    {
        **PARTS,
        "smoothed_action": (SMOOTHING,),
        "targets": (CLIPPED,),
        "twin_critic_loss": (TWIN,),
        "is_actors_turn": (DELAY,),
    },
    "update",
)


SQUASH, DENSITY = "hw4.squashed.sample", "hw4.squashed.log_prob"
BACKUP, SOFT = "hw4.sac.backup", "hw4.sac.targets"
SOFT_ACTOR, TEMPERATURE = "hw4.sac.actor", "hw4.sac.temperature"
SAC = Agent(
    Question("hw4.given.beside_sac", "beside_sac"),
    (
        Stream("squash returns", "the sample of the policy", (SQUASH,), delayed=True),
        Stream("steps", "the action in the environment", (SQUASH,), decides=True),
        Stream("batch", "the batch", (SQUASH, SAMPLE), decides=True),  # it has actions
        Stream("squashed_log_prob returns", "the log-probability", (DENSITY,)),
        Stream("backup_values returns", "the value in the target", (BACKUP,)),
        Stream("soft_targets returns", "the target", (SOFT,)),
        Stream("soft_policy_loss returns", "the actor's loss", (SOFT_ACTOR,)),
        Stream("temperature_loss given", "the temperature's logarithm", (TEMPERATURE,)),
        Stream("critic", "the critic", (SOFT, BACKUP, DENSITY, SQUASH), decides=True, moved=True),
        Stream("actor", "the actor", (SOFT_ACTOR, DENSITY, SQUASH), decides=True, moved=True),
        copies()[0],
        *REPORTS,
        kept(SOFT, BACKUP, SOFT_ACTOR, TEMPERATURE, DENSITY, SQUASH, COPY),
    ),
    {
        "polyak_update": (COPY,),
        "train_agent": (SAMPLE,),
        "squash": (SQUASH,),
        "squashed_log_prob": (DENSITY,),
        "backup_values": (BACKUP,),
        "soft_targets": (SOFT,),
        "soft_policy_loss": (SOFT_ACTOR,),
        "temperature_loss": (TEMPERATURE,),
    },
    "update",
)
