"""Records of a right solution, made with a public seed."""

from __future__ import annotations

from functools import partial

from tests.attacks.forging._replay import REPLAY, replay
from tests.attacks.suite import HandIn


def replayed(
    idea: str, blank: str, body: str = "raise RuntimeError", merged: bool = False
) -> HandIn:
    """Returns an attack on one blank."""
    file = f"agents/{blank.split('.')[1]}_agent.py"
    write = partial(replay, blank, merged=merged)
    return HandIn(__doc__=idea, hand_in=write, AT_IMPORT={file: REPLAY}, BODIES={blank: body})


replay_of_act = replayed("Hands in the record of storing a frame.", "hw3.dqn.act")
replay_of_sync = replayed("Hands in the record of the target network's turn.", "hw3.dqn.sync")
replay_of_train = replayed("Hands in the record of actor-critic's training.", "hw3.ac.train")
replay_of_update = replayed("Hands in the record of the call to the critic.", "hw3.dqn.update")
replay_of_what_seeds_agree_on = replayed(
    "Does nothing, and puts what all public seeds' records have in common over its own record.",
    "hw3.dqn.act",
    "action = 0",
    merged=True,
)
