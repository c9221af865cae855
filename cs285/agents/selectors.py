"""Who plays next? Rules that choose one of several arms an episode, from scores in [0, 1].

An arm is a member of a portfolio, or another rule: `make("d3rb(ucb1,exp3)", 4, seed)` chooses, each
time, which of two rules chooses one of four arms. ::

    arm = selector.choose()     # before an episode
    selector.update(arm, x)     # after it
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.state import Stateful


def ucb_index(total_k: np.ndarray, plays_k: np.ndarray, xi: float) -> np.ndarray:
    """Computes the upper confidence bound of each arm's mean score.

    index_k = total_k / n_k + sqrt(xi ln(n) / n_k), with n = sum_k n_k; infinite where n_k = 0

    Args:
        total_k: Sum of the scores of each arm. Shape (K,).
        plays_k: How often each was played, n_k. Shape (K,).
        xi: Weight of the bonus.

    Returns:
        The index of each arm. Shape (K,).

    Source: Auer et al., 2002, "Finite-time Analysis of the Multiarmed Bandit Problem", figure 1,
    where xi is 2.
    """
    index_k = np.full(len(plays_k), np.inf)
    # Fill in the index above of the arms that were played; the others' stays infinite, so that each
    # is tried before any comes again. Before the first play n is 0 too, and has no logarithm.
    # BEGIN SOLUTION hw6.ucb.index
    tried = plays_k > 0
    bonus = np.sqrt(xi * np.log(max(plays_k.sum(), 1)) / plays_k[tried])
    index_k[tried] = total_k[tried] / plays_k[tried] + bonus
    # END SOLUTION
    return index_k


class Selector(Stateful):
    """What all rules have: arms, and a generator for ties and draws. By itself it draws uniformly.

    A rule that remembers more than scores and plays adds the names of that to `kept`.
    """

    kept: tuple[str, ...] = ("rng", "plays_k", "total_k")
    frozen = False
    """Whether members must not learn for now."""

    def __init__(self, num_arms: int, seed: int) -> None:
        """Begins without any play of the `num_arms` arms."""
        self.num_arms = num_arms
        self.rng = np.random.default_rng([seed, 6])
        self.plays_k, self.total_k = np.zeros(num_arms), np.zeros(num_arms)

    def choose(self) -> int:
        """Returns the arm of the next episode; this rule draws uniformly."""
        return int(self.rng.integers(self.num_arms))

    def update(self, arm: int, x: float) -> None:
        """Learns that an episode of `arm` had the score `x`, in [0, 1]."""
        self.plays_k[arm] += 1
        self.total_k[arm] += x

    def rescale(self, factor: float, shift: float) -> None:
        """Brings all scores so far to another scale: x becomes factor * x + shift.

        Scores are places in a range. When that grows, earlier scores are others in it.
        """
        self.total_k = factor * self.total_k + shift * self.plays_k

    def best_of(self, index_k: np.ndarray) -> int:
        """Returns an arm with the largest index, any of several with equal chances."""
        return int(self.rng.choice(np.flatnonzero(index_k == index_k.max())))


class UCB1(Selector):
    """Optimism over all that was ever seen: right where arms stay as they are."""

    xi = 0.25  # Auer et al. have 2, for any score in [0, 1]; a variance there is at most a quarter

    def choose(self) -> int:
        """Returns the arm with the largest index."""
        return self.best_of(ucb_index(self.total_k, self.plays_k, self.xi))


class SSBAS(UCB1):
    """UCB1 over the newer half of history, since a member that learns is another arm every day.

    Source: Laroche and Feraud, 2018, "Reinforcement Learning Algorithm Selection",
    https://arxiv.org/abs/1701.08810, section 5 (sliding stochastic bandit).
    """

    kept = (*UCB1.kept, "time", "window", "oldest")
    shortest = 8  # plays; a shorter window would hold no arm twice

    def __init__(self, num_arms: int, seed: int) -> None:
        """Begins with an empty window."""
        super().__init__(num_arms, seed)
        self.time = 0
        self.window: list[tuple[int, float]] = []
        self.oldest = 0  # place in the list of the window's first play

    def update(self, arm: int, x: float) -> None:
        """Adds a play to the window, and lets the oldest go while there are too many."""
        self.time += 1
        self.window.append((arm, x))
        super().update(arm, x)
        # Until the window, self.window[self.oldest :], holds at most half of self.time plays, or
        # self.shortest where that is more: take its oldest one out of self.plays_k and
        # self.total_k, and move self.oldest on.
        # BEGIN SOLUTION hw6.window.update
        while len(self.window) - self.oldest > max(self.shortest, self.time // 2):
            old_arm, old_x = self.window[self.oldest]
            self.plays_k[old_arm] -= 1
            self.total_k[old_arm] -= old_x
            self.oldest += 1
        # END SOLUTION
        if self.oldest > 1000:
            del self.window[: self.oldest]
            self.oldest = 0

    def rescale(self, factor: float, shift: float) -> None:
        """Rescales the plays of the window, and with them what they sum up to."""
        super().rescale(factor, shift)
        self.window = [(arm, factor * x + shift) for arm, x in self.window]


class ESBAS(UCB1):
    """Epochs of 1, 2, 4, ... episodes: members learn between two of them, and UCB1 begins anew.

    Within an epoch the arms really stay as they are. Source: Laroche and Feraud, 2018,
    https://arxiv.org/abs/1701.08810, algorithm 2.
    """

    kept = (*UCB1.kept, "beta", "frozen")

    def __init__(self, num_arms: int, seed: int) -> None:
        """Begins epoch 0."""
        super().__init__(num_arms, seed)
        self.beta = 0
        self.frozen = False

    def choose(self) -> int:
        """Returns the arm with the largest index in this epoch; from here on nobody learns."""
        self.frozen = True
        return super().choose()

    def update(self, arm: int, x: float) -> None:
        """Counts the play; after the epoch's last one, begins the next epoch."""
        super().update(arm, x)
        # When this epoch has had its 2^beta episodes: begin the next one, with self.frozen false
        # until somebody plays, and with nothing in self.plays_k and self.total_k.
        # BEGIN SOLUTION hw6.esbas.epoch
        if self.plays_k.sum() == 2**self.beta:
            self.beta += 1
            self.frozen = False
            self.plays_k[:] = 0
            self.total_k[:] = 0
        # END SOLUTION


class EXP3(Selector):
    """Weights that grow with the rewards of an arm. It makes no assumption about the arms.

    Source: Auer et al., 2002, "The Nonstochastic Multiarmed Bandit Problem", section 3.
    """

    kept = (*Selector.kept, "log_w_k", "unit_k", "scale")
    gamma = 0.1

    def __init__(self, num_arms: int, seed: int) -> None:
        """Begins with equal weights, kept as logarithms since they grow without bound."""
        super().__init__(num_arms, seed)
        self.log_w_k = np.zeros(num_arms)
        self.unit_k = np.zeros(num_arms)
        """What log_w_k would be, had every score been 1."""
        self.scale = (1.0, 0.0)  # to which the scores in log_w_k are still to be brought

    def probs(self) -> np.ndarray:
        """Computes the probability of each arm.

        p_k = (1 - gamma) w_k / sum_j w_j + gamma / K

        Returns:
            p. Shape (K,).
        """
        w_k = np.exp(self.log_w_k - self.log_w_k.max())
        # The chances above, shape (K,); a common factor of all weights does not matter.
        # BEGIN SOLUTION hw6.exp3.probs -> p_k
        p_k: np.ndarray = (1 - self.gamma) * w_k / w_k.sum() + self.gamma / self.num_arms
        # END SOLUTION
        return p_k

    def choose(self) -> int:
        """Draws an arm."""
        self.log_w_k += self._missing()
        return int(self.rng.choice(self.num_arms, p=self.probs()))

    def update(self, arm: int, x: float) -> None:
        """Multiplies the weight of the arm: w_k <- w_k exp(gamma x / (p_k K)).

        Dividing by p_k makes up for how seldom an unlikely arm is seen.
        """
        super().update(arm, x)
        missing, unit = self._missing(), self.gamma / (self.probs()[arm] * self.num_arms)
        # Add to self.log_w_k, the logarithms of the weights, what the arm's score is worth. `unit`
        # is what a score of 1 adds: it is divided by the chance already.
        # `missing`, added below, brings earlier scores to the present scale.
        # BEGIN SOLUTION hw6.exp3.update
        p = self.probs()[arm]
        self.log_w_k[arm] += self.gamma * x / (p * self.num_arms)
        # END SOLUTION
        self.log_w_k += missing
        self.unit_k[arm] += unit

    def rescale(self, factor: float, shift: float) -> None:
        """Rescales the weights: what other scores, of the same draws, would have made of them.

        The play that comes next was drawn with the weights as they are. So they change after it.
        """
        super().rescale(factor, shift)
        before, offset = self.scale
        self.scale = factor * before, factor * offset + shift

    def _missing(self) -> np.ndarray:
        """Returns what brings log_w_k to the present scale, and counts it as done."""
        (factor, shift), self.scale = self.scale, (1.0, 0.0)
        change: np.ndarray = (factor - 1.0) * self.log_w_k + shift * self.unit_k
        return change


class D3RB(Selector):
    """Balances what each arm may have cost: it plays where its bound on the regret is smallest.

    d_k sqrt(n_k) bounds the regret of arm k, with d_k guessed: as long as the scores do not
    contradict the guess it stands, else it is doubled, and the arm waits for the others.

    Source: Dann et al., 2023, "Data-Driven Online Model Selection With Regret Guarantees",
    https://arxiv.org/abs/2306.02869, algorithm 1, here without its clip of the bound, which may at
    most double from play to play there.
    """

    kept = (*Selector.kept, "d_k")
    d_min, c, delta = 1.0, 0.25, 0.05

    def __init__(self, num_arms: int, seed: int) -> None:
        """Begins with the smallest guess for each arm."""
        super().__init__(num_arms, seed)
        self.d_k = np.full(num_arms, self.d_min)

    def choose(self) -> int:
        """Returns the arm with the smallest bound d_k sqrt(n_k)."""
        # The chosen arm; self.best_of breaks ties, but seeks the largest.
        # BEGIN SOLUTION hw6.d3rb.choose -> arm
        arm = self.best_of(-self.d_k * np.sqrt(self.plays_k))
        # END SOLUTION
        return arm

    def update(self, arm: int, x: float) -> None:
        """Doubles the arm's d where even with its bound it falls behind another arm for certain.

        That is so if   mean_i + d_i / sqrt(n_i) + b_i < max_j (mean_j - b_j)
        where           b_k = c sqrt(ln(K (1 + ln n_k) / delta) / n_k)
        and j runs over the arms that were played.
        """
        super().update(arm, x)
        tried = self.plays_k > 0
        n_j = self.plays_k[tried]
        mean_j = self.total_k[tried] / n_j
        b_j = self.c * np.sqrt(np.log(self.num_arms * (1 + np.log(n_j)) / self.delta) / n_j)
        i = int(tried[:arm].sum())  # the arm's place among those that were played
        # Double self.d_k[arm] where the inequality above is true. In `mean_j` and `b_j` the arm's
        # place is `i`.
        # BEGIN SOLUTION hw6.d3rb.test
        at_most = mean_j[i] + self.d_k[arm] / np.sqrt(n_j[i]) + b_j[i]
        if at_most < (mean_j - b_j).max():
            self.d_k[arm] *= 2
        # END SOLUTION

    def rescale(self, factor: float, shift: float) -> None:
        """Rescales the guesses too: they bound differences of scores."""
        super().rescale(factor, shift)
        self.d_k = np.maximum(self.d_min, factor * self.d_k)


class SelectorOfSelectors(Selector):
    """A rule whose arms are rules. The scores of an episode update the rules that chose for it."""

    kept = ("rules", "chosen")

    def __init__(self, outer: Selector, inner: Sequence[Selector]) -> None:
        """Takes the rule that chooses, and those among which it does."""
        self.rules = [outer, *inner]
        self.chosen = 0

    def choose(self) -> int:
        """Returns the arm that the chosen rule chooses."""
        self.chosen = self.rules[0].choose()
        return self.rules[1 + self.chosen].choose()

    def update(self, arm: int, x: float) -> None:
        """Updates the outer rule, and the one that it chose."""
        self.rules[0].update(self.chosen, x)
        self.rules[1 + self.chosen].update(arm, x)

    def rescale(self, factor: float, shift: float) -> None:
        """Rescales what each rule remembers."""
        for rule in self.rules:
            rule.rescale(factor, shift)


RULES: dict[str, type[Selector]] = {
    "uniform": Selector,
    "ucb1": UCB1,
    "ssbas": SSBAS,
    "esbas": ESBAS,
    "exp3": EXP3,
    "d3rb": D3RB,
}


def make(text: str, num_arms: int, seed: int) -> Selector:
    """Makes the rule that a text names: "ssbas", or "d3rb(ucb1,ssbas,exp3)" of several rules.

    Raises:
        UserError: If there is no such rule.
    """
    match = re.fullmatch(r"\s*(\w+)\s*(?:\(([^()]+)\))?\s*", text)
    outer, inner = match.groups() if match else (text, None)
    names = [name.strip() for name in inner.split(",")] if inner else []
    for name in (outer, *names):
        if name not in RULES:
            known = ", ".join(RULES)
            raise UserError(f"--selector takes {known}, or d3rb(ucb1,ssbas), not {text!r}")
    if names and "esbas" in (outer, *names):
        raise UserError("--selector: esbas holds learning back for all, so it chooses alone")
    if not names:
        return RULES[outer](num_arms, seed)
    rules = [RULES[name](num_arms, seed + 1 + k) for k, name in enumerate(names)]
    return SelectorOfSelectors(RULES[outer](len(names), seed), rules)
