"""How the data of one update flow, in each homework.

Blue: what learns. Green: what stands still meanwhile. Orange: the loss and its gradient.
"""

from __future__ import annotations

from svg import Picture


def policy_gradient() -> Picture:
    """Homework 2: from paths to a step of the policy."""
    p = Picture(
        412,
        "Policy gradient: paths become returns, returns become advantages, and "
        "those weigh the gradient; the baseline is fitted afterwards.",
    )
    p.arrow((168, 34), (252, 34))
    p.text((210, 26), "plays")
    p.arrow((332, 60), (332, 112))
    p.text((340, 91), "*r*", anchor="start")
    p.arrow((332, 164), (332, 224))
    p.arrow((332, 276), (332, 338), (300, 338))
    p.text((324, 306), "numbers", anchor="end", colour="soft")
    p.arrow((138, 164), (138, 250), (252, 250))
    p.text((200, 243), "*V*(*s*)")
    p.arrow((252, 132), (188, 132), colour="orange", dash="5 4")
    p.text((220, 124), "fit,", colour="orange")
    p.text((220, 150), "last", colour="orange")
    p.arrow((120, 364), (28, 364), (28, 60), colour="orange")
    p.text((36, 226), "gradient", anchor="start", colour="orange")
    p.box((8, 8), (160, 52), "Policy", "π_{θ}(*a* | *s*)", colour="blue")
    p.box((252, 8), (160, 52), "Paths", "*s*, *a*, *r*")
    p.box((252, 112), (160, 52), "Returns *Q*", "whole, or to go")
    p.box((88, 112), (100, 52), "Baseline", "*V*_{ϕ}(*s*)", colour="blue")
    p.box((252, 224), (160, 52), "Advantages *A*", "*Q* − *V*, standardised")
    p.box((120, 318), (180, 72), "Loss", "− mean of", "log π_{θ}(*a* | *s*) · *A*", colour="orange")
    return p


def dqn() -> Picture:
    """Homework 3: one step of DQN."""
    p = Picture(
        432,
        "One step of DQN: act, remember, draw a batch, compare Q with a target from "
        "a network that stands still, and take a gradient step.",
    )
    p.arrow((128, 32), (272, 32))
    p.text((200, 24), "*s*, *a*, *r*, *s*′, *d*")
    p.arrow((40, 150), (40, 56))
    p.text((48, 82), "action: greedy,", "or with chance ε", "a random one", anchor="start")
    p.line([(342, 56), (342, 150)])
    p.arrow((342, 126), (130, 126), (130, 150))
    p.arrow((342, 130), (342, 150))
    p.text((334, 86), "a batch,", "drawn at random", anchor="end")
    p.text((200, 143), "*s*, *a*")
    p.text((350, 143), "*s*′", anchor="start")
    p.arrow((158, 178), (262, 178), colour="green", dash="5 4")
    p.text((210, 170), "a copy,", colour="green")
    p.text((210, 195), "now and then", colour="green")
    p.arrow((342, 206), (342, 254))
    p.arrow((342, 310), (342, 380), (310, 380))
    p.text((334, 326), "a number,", "no gradient", anchor="end", colour="soft")
    p.arrow((110, 206), (110, 300), (150, 300), (150, 352))
    p.text((118, 262), "*Q*(*s*, *a*)", anchor="start")
    p.arrow((110, 380), (40, 380), (40, 206), colour="orange")
    p.text((48, 330), "gradient", anchor="start", colour="orange")
    p.box((8, 8), (120, 48), "Environment")
    p.box((272, 8), (140, 48), "Replay memory")
    p.box((8, 150), (150, 56), "Q-network", "*Q*_{θ}", colour="blue")
    p.box((262, 150), (150, 56), "Target network", "an old *Q*", colour="green")
    p.box((262, 254), (150, 56), "Target *y*", "*r* + γ (1 − *d*) max *Q*", colour="green")
    p.box((110, 352), (200, 56), "Loss", "Huber of *Q*(*s*, *a*) − *y*", colour="orange")
    return p


def continuous() -> Picture:
    """Homework 4: what DDPG, TD3 and SAC have in common."""
    p = Picture(
        432,
        "DDPG, TD3 and SAC: critics learn from targets of slow copies, and the actor "
        "climbs the critic.",
    )
    p.arrow((158, 32), (272, 32))
    p.text((215, 24), "plays,")
    p.text((215, 50), "with noise")
    p.line([(342, 56), (342, 126)])
    p.arrow((342, 110), (130, 110), (130, 150))
    p.arrow((342, 120), (342, 150))
    p.text((334, 84), "a batch,", "drawn at random", anchor="end")
    p.text((200, 127), "*s*, *a*")
    p.text((350, 141), "*r*, *s*′, *d*", anchor="start")
    p.arrow((40, 150), (40, 56), colour="orange")
    p.text((48, 80), "climbs: gradient", "of *Q*(*s*, π(*s*))", anchor="start", colour="orange")
    p.arrow((158, 190), (262, 190), colour="green", dash="5 4")
    p.text((210, 182), "soft copy:", colour="green")
    p.text((210, 207), "a share τ", colour="green")
    p.arrow((342, 224), (342, 268))
    p.arrow((342, 324), (342, 384), (310, 384))
    p.text((334, 345), "a number", anchor="end", colour="soft")
    p.arrow((110, 224), (110, 310), (150, 310), (150, 356))
    p.text((118, 284), "*Q*(*s*, *a*)", anchor="start")
    p.arrow((110, 384), (40, 384), (40, 224), colour="orange")
    p.text((48, 336), "gradient", anchor="start", colour="orange")
    p.box((8, 8), (150, 48), "Actor π", colour="blue")
    p.box((272, 8), (140, 48), "Replay memory")
    p.box((8, 150), (150, 74), "Critics", "*Q*_{1}, and in TD3", "and SAC *Q*_{2}", colour="blue")
    p.box(
        (262, 150),
        (150, 74),
        "Slow copies",
        "next action *a*′,",
        "its (smaller) *Q*",
        colour="green",
    )
    p.box((262, 268), (150, 56), "Target *y*", "*r* + γ (1 − *d*) *Q*", colour="green")
    p.box((110, 356), (200, 56), "Loss", "squares of *Q*(*s*, *a*) − *y*", colour="orange")
    return p


def on_policy() -> Picture:
    """Homework 5: PPO and TRPO."""
    p = Picture(
        432,
        "PPO and TRPO: segments become advantages that stay fixed; PPO takes many "
        "small clipped steps, TRPO one large step within a region.",
    )
    p.arrow((168, 34), (252, 34))
    p.text((210, 26), "plays")
    p.text((210, 52), "*b* steps")
    p.arrow((332, 60), (332, 108))
    p.arrow((112, 60), (112, 134), (252, 134))
    p.text((120, 112), "*V*(*s*)", anchor="start")
    p.arrow((332, 160), (332, 204))
    p.line([(332, 256), (332, 280), (132, 280)])
    p.arrow((332, 256), (332, 308))
    p.arrow((132, 280), (132, 308))
    p.line([(122, 414), (122, 424)], "orange")
    p.arrow((317, 414), (317, 424), (14, 424), (14, 60), colour="orange")
    p.text((22, 226), "new weights;", "then it plays", "again", anchor="start", colour="orange")
    p.box((8, 8), (160, 52), "Policy π, value *V*", "two networks", colour="blue")
    p.box((252, 8), (160, 52), "Segments", "*s*, *a*, *r*, two masks")
    p.box((252, 108), (160, 52), "GAE", "with γ and λ")
    p.box(
        (196, 204),
        (216, 52),
        "Fixed from here on",
        "*A*, *y*, log π_{old}(*a* | *s*)",
        colour="green",
    )
    p.box(
        (28, 308),
        (188, 106),
        "PPO",
        "10 times over all rows,",
        "in minibatches:",
        "clipped ratio · *A*;",
        "and *V* towards *y*",
        colour="orange",
    )
    p.box(
        (224, 308),
        (188, 106),
        "TRPO",
        "once: *x* = *H*^{−1} *g*, to the",
        "edge of the region,",
        "shorter until it helps;",
        "then *V* towards *y*",
        colour="orange",
    )
    return p


def portfolio() -> Picture:
    """Homework 6: a rule chooses who plays, and everybody learns."""
    p = Picture(
        420,
        "A portfolio: a rule chooses a member for each episode, the episode's score "
        "is credited to it, and all members learn from one memory.",
    )
    p.arrow((158, 36), (262, 36))
    p.text((210, 24), "chooses,")
    p.text((210, 54), "each episode")
    p.arrow((322, 64), (322, 116))
    p.text((314, 94), "at the end", anchor="end", colour="soft")
    p.arrow((262, 142), (158, 142))
    p.text((210, 132), "rescaled")
    p.arrow((83, 116), (83, 64))
    p.text((91, 94), "credited", anchor="start")
    p.arrow((404, 64), (404, 214), (352, 214))
    p.text((396, 182), "each step", anchor="end", colour="soft")
    for i, name in enumerate(("DDPG", "TD3", "SAC")):
        x = 74 + 136 * i
        p.arrow((210, 240), (210, 264), (x, 264), (x, 306))
        p.box((x - 62, 306), (124, 52), name, "learns", colour="blue")
    p.box((8, 8), (150, 56), "Rule", "mean scores, plays", colour="purple")
    p.box((262, 8), (150, 56), "A member", "plays the episode", colour="blue")
    p.box((8, 116), (150, 52), "Score *x*", "between 0 and 1")
    p.box((262, 116), (128, 52), "Return *G*")
    p.box((68, 188), (284, 52), "One memory for all", "whoever plays fills it", colour="green")
    p.text(
        (210, 384),
        "Each member draws a batch of its own.",
        "Members never change within an episode.",
        colour="soft",
    )
    return p


PICTURES = {
    "hw2_update": policy_gradient,
    "dqn_step": dqn,
    "hw4_update": continuous,
    "hw5_update": on_policy,
    "hw6_update": portfolio,
}
