"""The greedy policy: which action it takes, and what is mistaken for one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.core.question import Question, Site, site, wrong
from autograder.judge import Judgement
from autograder.mistakes import Mistake
from autograder.probing import Observation
from autograder.recording import nothing, secret

ALGORITHM = "Mnih et al. 2015, algorithm 1"
ARGMAX = "NumPy documentation, numpy.argmax"
VALUES = "self.critic.qa_values(observation)"


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution can be written otherwise."""
    return [
        site(
            VALUES,
            wrong(
                "argmax.target_net",
                Mistake(
                    "The policy acts on the target network's values.",
                    "Those are thousands of steps old: what was learned since is not acted on.",
                    ALGORITHM,
                ),
                "ptu.to_numpy(self.critic.q_net_target(ptu.from_numpy(observation)))",
            ),
            wrong(
                "argmax.of_observation",
                Mistake(
                    "The largest entry of the observation is taken for the best action.",
                    "Which action is best, the critic knows.",
                    ALGORITHM,
                ),
                "observation.reshape(1, -1)",
            ),
        ),
        site(
            f"{VALUES}.argmax(axis=1)",
            wrong(
                "argmax.no_batch",
                Mistake(
                    "A single observation reaches the network without the axis of a batch.",
                    "With vectors that may happen to work. Images have an axis less than the "
                    "network expects.",
                    "PyTorch documentation, torch.nn.Conv2d",
                ),
                "self.critic.qa_values(obs).argmax(axis=1)",
                "self.critic.qa_values(obs).argmax()",
                "self.critic.q_net(ptu.from_numpy(obs)).argmax(1)",
            ),
            wrong(
                "argmax.not_repeatable",
                Mistake(
                    "The greedy policy answers the same question differently.",
                    "It is to be greedy: exploration happens elsewhere, and not when the agent is "
                    "evaluated.",
                    ALGORITHM,
                ),
                f"torch.distributions.Categorical(logits=torch.as_tensor({VALUES})).sample()",
            ),
        ),
        site(
            ".argmax(axis=1)",
            wrong(
                "argmax.value_as_action",
                Mistake(
                    "The policy returns how good the action is, not which one it is.",
                    "The largest value and its place are two things.",
                    ARGMAX,
                ),
                ".max(axis=1)",
                ".mean(axis=1)",
            ),
            wrong(
                "argmax.not_one_action",
                Mistake(
                    "The policy does not return one action for an observation.",
                    "The best action is sought along the axis of the actions, in each row of the "
                    "batch.",
                    ARGMAX,
                ),
                "",
                ".argmax(axis=0)",
            ),
            wrong(
                "argmax.worst_action",
                Mistake(
                    "The policy takes the worst action.", "Which extreme is wanted?", ALGORITHM
                ),
                ".argmin(axis=1)",
            ),
            wrong(
                "argmax.shifted",
                Mistake(
                    "The numbers of the actions are shifted by one.",
                    "Actions are counted from 0, as columns are.",
                    ARGMAX,
                ),
                ".argmax(axis=1) + 1",
                ".argmax(axis=1) - 1",
            ),
            wrong(
                "argmax.always_the_same",
                Mistake(
                    "The policy takes the same action in every state.",
                    "Along which axis is the best action sought?",
                    ARGMAX,
                ),
                ".argmax(axis=0)[:1]",
            ),
        ),
    ]


def not_repeatable(seen: Observation, verdict: Judgement) -> None:
    """What is drawn at random is predicted by nobody."""
    arrays = seen["again"].arrays if "again" in seen else {}
    if len(np.unique(arrays.get("action", np.empty(0)))) > 1:
        verdict.name("argmax.not_repeatable")


QUESTION = Question("hw3.argmax.action", "hw3.probes.argmax:probe", sites, facts=(not_repeatable,))
