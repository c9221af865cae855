"""The checks of homework 6, in the order of the handout's table."""

from __future__ import annotations

from autograder.check import formula

RULES, PORTFOLIO = ("infrastructure/selectors.py",), ("agents/portfolio_agent.py",)

CHECKS = [
    formula("hw6.ucb.index", "the optimistic index", 10, RULES, "ucb_index"),
    formula("hw6.window.update", "old plays leave the window", 10, RULES, "window_update"),
    formula("hw6.exp3.probs", "the chances of EXP3", 10, RULES, "exp3_probs"),
    formula("hw6.exp3.update", "the weight of who played", 10, RULES, "exp3_update"),
    formula("hw6.d3rb.choose", "the smallest bound", 5, RULES, "d3rb_choose"),
    formula("hw6.d3rb.test", "when a guess is doubled", 10, RULES, "d3rb_doubling"),
    formula("hw6.portfolio.scale", "a return's place in the range", 5, PORTFOLIO, "scale"),
    formula("hw6.portfolio.choose", "who plays", 10, PORTFOLIO, "choose"),
    formula("hw6.portfolio.credit", "who is told of the score", 5, PORTFOLIO, "credit"),
    formula("hw6.portfolio.learn", "everybody learns", 10, PORTFOLIO, "learn"),
    formula("hw6.portfolio.regret", "what choosing cost", 5, PORTFOLIO, "regret"),
    formula("hw6.esbas.epoch", "the next epoch", 10, RULES, "esbas_epoch"),
]
