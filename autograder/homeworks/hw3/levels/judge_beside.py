"""Which blank makes which number of a training, for agents that train beside ours."""

from __future__ import annotations

from autograder.misconceptions.question import Question
from autograder.misconceptions.trainings import Agent, Stream, kept

ACT, STEP, ARGMAX = "hw3.dqn.act", "hw3.dqn.step", "hw3.argmax.action"
UPDATE, SYNC = "hw3.dqn.update", "hw3.dqn.sync"
TARGETS, DOUBLE = "hw3.dqn.targets", "hw3.dqn.double_q"
SAMPLE = "hw3.trainer.train"
DQN = Agent(
    Question("hw3.given.beside_dqn", "beside_dqn"),
    (
        Stream("argmax given", "what the policy is shown", (ACT,)),
        Stream("argmax returns", "the greedy action", (ARGMAX,)),
        Stream("steps", "the action in the environment", (ACT, ARGMAX, STEP), decides=True),
        Stream("store_effect given", "what is stored of a step", (STEP,), delayed=True),
        Stream("sample returns", "what the memory returns", (STEP, ACT)),
        Stream("batch", "the batch", (SAMPLE, STEP, ACT), decides=True),
        Stream("critic.update given", "what the critic is given", (UPDATE,)),
        Stream("double_q_values given", "what double Q-learning is asked", (TARGETS,)),
        Stream("double_q_values returns", "the value of double Q-learning", (DOUBLE,)),
        Stream("loss given", "the target", (TARGETS,)),
        Stream("critic's optimizer", "the learning rate", (TARGETS,)),
        Stream("critic then", "the step of the critic", (TARGETS,), moved=True),
        Stream("online network", "the online network", (UPDATE, TARGETS, DOUBLE), True, moved=True),
        Stream("target network", "the target network", (SYNC, TARGETS, DOUBLE), True, moved=True),
        Stream("evaluation", "the evaluation", (ARGMAX, SAMPLE), decides=True),
        Stream("log", "the log's names", (UPDATE, SAMPLE), decides=True),
        Stream("train_agent returns", "the number of logs", (SAMPLE,), decides=True),
        Stream("returns", "the log's returns", (STEP, SAMPLE), decides=True),
        kept(SAMPLE, UPDATE, TARGETS, ACT, STEP, ARGMAX, DOUBLE),
    ),
    {
        "argmax": (ARGMAX,),
        "double_q_values": (DOUBLE,),
        "critic.update": (TARGETS,),
        "choose_action": (ACT,),
        "take_step": (STEP,),
        "update_critic": (UPDATE,),
        "sync_target": (SYNC,),
        "train_agent": (SAMPLE,),
    },
)

CRITIC, TRAIN, ADVANTAGE = "hw3.critic.update", "hw3.ac.train", "hw3.ac.advantage"
FORWARD, ACTION, POLICY = "hw3.policy.forward", "hw3.policy.get_action", "hw3.policy.update"
ROLLOUT, COLLECT = "hw3.rollouts.sample_trajectory", "hw3.trainer.collect"
CLIPS = "Your code clips the gradient, which nobody asks for."
ACTOR_CRITIC = Agent(
    Question("hw3.given.beside_actor_critic", "beside_actor_critic"),
    (
        Stream("sample_trajectories given", "what is asked of the rollouts", (COLLECT,)),
        Stream("sample_trajectory given", "how often a path is asked for", (COLLECT,)),
        Stream("sample_trajectory returns", "a path", (ROLLOUT,)),
        Stream("steps", "the action in the environment", (ROLLOUT, COLLECT), decides=True),
        Stream("draws", "what is drawn at random", (ROLLOUT, COLLECT, ACTION), decides=True),
        Stream("collect returns", "the number of paths", (COLLECT,)),
        Stream("batch", "the batch", (COLLECT, ROLLOUT, SAMPLE), decides=True),
        Stream("critic.update given", "what the critic is given", (TRAIN,)),
        Stream("critic clip given", CLIPS, (CRITIC,), unasked=True),
        Stream("critic's optimizer", "the critic's learning rate", (CRITIC,)),
        Stream("critic then", "the step of the critic", (CRITIC,), moved=True),
        Stream("estimate_advantage given", "what advantages are asked of", (TRAIN,)),
        Stream("estimate_advantage returns", "the advantage", (ADVANTAGE,)),
        Stream("actor.update given", "what the actor is given", (TRAIN,)),
        Stream("forward given", "what the policy is shown", (POLICY,)),
        Stream("forward returns", "the policy's distribution", (FORWARD,)),
        Stream("actor clip given", CLIPS, (POLICY,), unasked=True),
        Stream("actor's optimizer", "the actor's learning rate", (POLICY,)),
        Stream("actor then", "the step of the actor", (POLICY,), moved=True),
        Stream("critic", "the critic", (CRITIC, TRAIN), decides=True, moved=True),
        Stream("actor", "the actor", (POLICY, ADVANTAGE, FORWARD, TRAIN), True, moved=True),
        Stream("evaluation", "the evaluation", (ROLLOUT, ACTION), decides=True),
        Stream("log", "the log's names", (TRAIN, SAMPLE), decides=True),
        Stream("train_agent returns", "the number of logs", (SAMPLE,), decides=True),
        Stream("returns", "the log's returns", (COLLECT, ROLLOUT), decides=True),
        kept(SAMPLE, TRAIN, CRITIC, POLICY, ADVANTAGE, ROLLOUT, COLLECT),
        Stream("certain distribution", "the distribution of a certain policy", (FORWARD,)),
        Stream("certain actions", "the action of a certain policy", (ACTION, FORWARD), True),
        Stream(
            "certain actions in a batch", "the actions for a batch", (ACTION, FORWARD), decides=True
        ),
    ),
    {
        "get_action": (ACTION,),
        "forward": (FORWARD,),
        "actor.update": (POLICY,),
        "critic.update": (CRITIC,),
        "estimate_advantage": (ADVANTAGE,),
        "train": (TRAIN,),
        "sample_trajectory": (ROLLOUT,),
        "sample_trajectories": (COLLECT,),
        "collect": (COLLECT,),
        "train_agent": (SAMPLE,),
    },
    "update",
)
