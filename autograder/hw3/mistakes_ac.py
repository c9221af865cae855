"""What mistakes in actor-critic's train say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

ORDER = "docs/hw3.md, Actor-critic with a bootstrapped critic: One iteration, in order"
SETTINGS = "docs/hw3.md, Settings"

MISTAKES = {
    "ac_train.no_critic_update": Mistake(
        "The critic is never updated.",
        "Its values stay those of an untrained network, and so do the advantages.",
        ORDER,
    ),
    "ac_train.no_actor_update": Mistake(
        "The actor is never updated.",
        "The policy stays what it was at the start.",
        ORDER,
    ),
    "ac_train.counts_swapped": Mistake(
        "The two numbers of updates have changed places.",
        "It shows only when the two settings differ.",
        SETTINGS,
    ),
    "ac_train.critic_count": Mistake(
        "The number of critic updates follows the wrong setting.",
        "It shows only when settings differ. Which entry of `agent_params` says how often?",
        SETTINGS,
    ),
    "ac_train.actor_count": Mistake(
        "The number of actor updates follows the wrong setting.",
        "It shows only when settings differ. Which entry of `agent_params` says how often?",
        SETTINGS,
    ),
    "ac_train.critic_once": Mistake(
        "The critic is updated once, whatever the setting says.",
        "One entry of `agent_params` says how often.",
        SETTINGS,
    ),
    "ac_train.actor_once": Mistake(
        "The actor is updated once, whatever the setting says.",
        "One entry of `agent_params` says how often.",
        SETTINGS,
    ),
    "ac_train.interleaved": Mistake(
        "Updates of critic and actor take turns.",
        "The actor should wait until the critic has learned from the new data. Which lines belong "
        "inside which loop?",
        ORDER,
    ),
    "ac_train.actor_first": Mistake(
        "The actor is updated before the critic.",
        "It learns from a critic that has not seen the new data yet. Who should know first?",
        ORDER,
    ),
    "ac_train.advantage_early": Mistake(
        "The advantages are estimated before the critic has finished learning.",
        "They are those of an older critic. Which of the two should know about the new data first?",
        ORDER,
    ),
    "ac_train.advantage_missing": Mistake(
        "The actor gets no advantages.",
        "Your policy never sees how good its actions were.",
        ORDER,
    ),
    "ac_train.rewards_as_advantage": Mistake(
        "The actor gets the rewards in place of advantages.",
        "A reward says nothing about what follows, nor about what was to be expected.",
        "docs/hw3.md, Actor-critic with a bootstrapped critic: Advantage",
    ),
    "ac_train.advantage_argument": Mistake(
        "What the actor gets is not what estimate_advantage returned.",
        "It was changed on the way, or is something else.",
        ORDER,
    ),
    "ac_train.critic_swapped": Mistake(
        "Rewards and next observations reach the critic in each other's place.",
        "train and update list their parameters in different orders.",
        "docs/hw3.md, Glossary",
    ),
    "ac_train.critic_arguments": Mistake(
        "The critic's update gets other arrays than it asks for.",
        "Compare the call with the method's parameters, one by one.",
        "docs/hw3.md, Glossary",
    ),
    "ac_train.advantage_arguments": Mistake(
        "estimate_advantage gets other arrays than it asks for.",
        "Compare the call with the method's parameters, one by one.",
        "docs/hw3.md, Glossary",
    ),
    "ac_train.actor_arguments": Mistake(
        "The actor's update gets other arrays than it asks for.",
        "Compare the call with the method's parameters, one by one.",
        "docs/hw3.md, Glossary",
    ),
    "ac_train.losses_swapped": Mistake(
        "A loss is reported under the other's name.",
        "Learning is not affected, but your curves are mislabelled.",
        "docs/hw3.md, Logged numbers",
    ),
    "ac_train.no_such_setting": Mistake(
        "A setting is read that does not exist under this name.",
        "The docstring of the constructor lists what is in `agent_params`.",
        SETTINGS,
    ),
    "ac_train.inputs_changed": Mistake(
        "train changes the arrays it was given.",
        "They belong to whoever called. Operators such as += work in place.",
        "NumPy documentation, Copies and views",
    ),
}
