"""The target network's turn: when it follows the online network, and how."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.core.question import Question, Site, site, wrong
from autograder.mistakes import Mistake
from autograder.recording import nothing, secret

SYNC = "Mnih et al. 2015, algorithm 1, last line; docs/hw3.md, DQN: replay and a target network"
BLANKS = "docs/hw3.md, Blanks"
DUE, NUMBER = "self.num_param_updates % self.target_update_freq == 0", "self.num_param_updates"
ONLINE, TARGET = "self.critic.q_net", "self.critic.q_net_target"
PAIRS = f"for q, p in zip({ONLINE}.parameters(), {TARGET}.parameters()):\n        "
NEVER = Mistake(
    "The target network is never updated.",
    "Targets stay those of an untrained network for ever. Can the condition ever be true?",
    SYNC,
)


@secret(nothing)
def sites() -> Sequence[Site]:
    """Returns where the solution, and the count beside it, can be written otherwise."""
    return [
        site(
            DUE,
            wrong("sync.never", NEVER, f"{NUMBER} == -1"),
            wrong(
                "sync.once",
                Mistake(
                    "The target network is updated only once.",
                    "It has to follow again and again.",
                    SYNC,
                ),
                f"{NUMBER} == self.target_update_freq",
            ),
            wrong(
                "sync.every_update",
                Mistake(
                    "The target network is updated at every update.",
                    "It is never older than one step, so the targets move with the network that "
                    "chases them.",
                    SYNC,
                ),
                "True",
                f"{NUMBER} > self.target_update_freq",
            ),
            wrong(
                "sync.inverted",
                Mistake(
                    "The target network is updated at exactly the wrong times.",
                    "It follows at every update but those at which it should: the condition is "
                    "reversed.",
                    SYNC,
                ),
                f"{NUMBER} % self.target_update_freq",
            ),
            wrong(
                "sync.counts_steps",
                Mistake(
                    "The target network follows by counting environment steps.",
                    "Its period is a number of updates, and those are rarer than steps.",
                    SYNC,
                ),
                "self.t % self.target_update_freq == 0",
            ),
        ),
        site(
            f"{NUMBER} += 1",
            wrong(
                "sync.counter_stands",
                Mistake(
                    "The number of updates is not counted.",
                    "Given code counts them; the target network's turn depends on it.",
                    BLANKS,
                ),
                "pass",
            ),
        ),
        site(
            "self.critic.update_target_network()",
            wrong("sync.never", NEVER, "pass"),
            wrong(
                "sync.not_called",
                Mistake(
                    "The line that updates the target network has no effect.",
                    "A method that is named is not yet called.",
                    "Python tutorial, Defining Functions",
                ),
                "self.critic.update_target_network",
            ),
            wrong(
                "sync.no_such_method",
                Mistake("The network has no method that copies it.", "The critic has one.", BLANKS),
                f"{ONLINE}.update_target_network()",
                "self.critic.update_target()",
                "self.replay_buffer.update_target_network()",
                "self.actor.update_target_network()",
                "self.update_target_network()",
            ),
            wrong(
                "sync.alias",
                Mistake(
                    "Both networks are one and the same object.",
                    "After that the target moves with every gradient step. A copy of the weights "
                    "is needed, not another name for the network.",
                    "PyTorch documentation, Module.load_state_dict",
                ),
                f"{TARGET} = {ONLINE}",
                f"{TARGET}.load_state_dict({ONLINE}.state_dict(), assign=True)",
            ),
            wrong(
                "sync.reversed",
                Mistake(
                    "The online network is overwritten with the target network.",
                    "Each time, all learning since the last one is undone. Which of them should "
                    "follow which?",
                    SYNC,
                ),
                f"{ONLINE}.load_state_dict({TARGET}.state_dict())",
            ),
            wrong(
                "sync.self_copy",
                Mistake(
                    "The target network is copied onto itself.", "It never changes that way.", SYNC
                ),
                f"{TARGET}.load_state_dict({TARGET}.state_dict())",
            ),
            wrong(
                "sync.blended",
                Mistake(
                    "The target network becomes a mixture, not a copy.",
                    "DQN copies all weights at once, now and then; slow blending belongs to other "
                    "algorithms.",
                    SYNC,
                ),
                f"{PAIRS}p.data.copy_(0.9 * p.data + 0.1 * q.data)",
            ),
            wrong(
                "sync.in_part",
                Mistake(
                    "Only a part of the target network is updated.",
                    "Its layers then come from different times and do not fit each other.",
                    SYNC,
                ),
                f"{TARGET}[0].load_state_dict({ONLINE}[0].state_dict())",
            ),
        ),
    ]


QUESTION = Question("hw3.dqn.sync", "hw3.probes.dqn_sync:probe", sites)
