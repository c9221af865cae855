"""The policy of SAC: a Gaussian whose samples are squashed into (-1, 1) by tanh."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from cs285.infrastructure import pytorch_util as ptu

LOG_STD_MIN, LOG_STD_MAX = -20.0, 2.0


class SquashedPolicy(nn.Module):
    """pi(a | s): a = tanh(u), u ~ N(mean(s), std(s)^2), the components independent.

    Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, appendix C.
    """

    def __init__(
        self, ob_dim: int, ac_dim: int, hidden: Sequence[int], activation: str = "relu"
    ) -> None:
        """Builds the network; `hidden` holds the units of each hidden layer."""
        super().__init__()
        self.net = ptu.build_mlp(ob_dim, 2 * ac_dim, len(hidden), hidden, activation)

    def forward(self, ob_no: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Computes the Gaussian before it is squashed.

        Args:
            ob_no: s. Shape (n, ob_dim).

        Returns:
            Mean and log standard deviation, the latter clamped. Shape (n, ac_dim) each.
        """
        mean_na, log_std_na = self.net(ob_no).chunk(2, dim=1)
        return mean_na, log_std_na.clamp(LOG_STD_MIN, LOG_STD_MAX)

    def sample(self, ob_no: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Draws an action in each state such that gradients flow through it to the network.

        Args:
            ob_no: s. Shape (n, ob_dim).

        Returns:
            a, shape (n, ac_dim), in (-1, 1), and log pi(a | s), shape (n,).

        Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, section 4.2 and
        appendix C.
        """
        mean_na, log_std_na = self.forward(ob_no)
        noise_na = torch.randn_like(mean_na)
        u_na, ac_na = squash(mean_na, log_std_na, noise_na)
        return ac_na, squashed_log_prob(u_na, noise_na, log_std_na)

    def mode(self, ob_no: torch.Tensor) -> torch.Tensor:
        """Returns tanh(mean(s)), the action of the Gaussian's mean. Shape (n, ac_dim)."""
        mean_na, _ = self.forward(ob_no)
        return mean_na.tanh()

    @torch.no_grad()
    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Samples one action for each observation.

        Args:
            obs: Shape (n, ob_dim), or (ob_dim,) for a single observation, a batch of n = 1.

        Returns:
            Actions. Shape (n, ac_dim), float32, in (-1, 1).
        """
        mean_na, log_std_na = self.forward(ptu.from_numpy(np.atleast_2d(obs)))
        return ptu.to_numpy(squash(mean_na, log_std_na, torch.randn_like(mean_na))[1])


def squash(
    mean_na: torch.Tensor, log_std_na: torch.Tensor, noise_na: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Makes actions of noise, such that gradients flow to mean and deviation.

    u = mean(s) + std(s) * noise,  noise ~ N(0, 1),  a = tanh(u)

    Args:
        mean_na: Shape (n, ac_dim).
        log_std_na: log std. Shape (n, ac_dim).
        noise_na: Shape (n, ac_dim).

    Returns:
        u and a. Shape (n, ac_dim) each.
    """
    # The Gaussian sample u and the action a, both of shape (n, ac_dim), from the noise.
    # BEGIN SOLUTION hw4.squashed.sample -> u_na, ac_na
    u_na = mean_na + log_std_na.exp() * noise_na
    ac_na = torch.tanh(u_na)
    # END SOLUTION
    return u_na, ac_na


def squashed_log_prob(
    u_na: torch.Tensor, noise_na: torch.Tensor, log_std_na: torch.Tensor
) -> torch.Tensor:
    """Computes the log-density of a = tanh(u), where u = mean + std * noise.

    log pi(a | s) = sum_i log N(u_i; mean_i, std_i^2) - log(1 - tanh(u_i)^2)
    log N(u_i; mean_i, std_i^2) = -noise_i^2 / 2 - log std_i - log(2 pi) / 2
    log(1 - tanh(u)^2) = 2 * (log 2 - u - softplus(-2 u))

    The last line is an identity. Its left side, as it stands, is log 0 from |u| = 9 on.

    Args:
        u_na: u. Shape (n, ac_dim).
        noise_na: (u - mean) / std. Shape (n, ac_dim).
        log_std_na: log std. Shape (n, ac_dim).

    Returns:
        log pi(a | s), one number a state. Shape (n,), nats.

    Source: Haarnoja et al., 2018, https://arxiv.org/abs/1812.05905, equation 26.
    """
    # `log_prob_n`, shape (n,): the Gaussian's log-density less the correction for tanh.
    # BEGIN SOLUTION hw4.squashed.log_prob -> log_prob_n
    gaussian_na = -0.5 * noise_na.square() - 0.5 * math.log(2 * math.pi) - log_std_na
    correction_na = 2.0 * (math.log(2.0) - u_na - F.softplus(-2.0 * u_na))
    log_prob_n = (gaussian_na - correction_na).sum(dim=1)
    # END SOLUTION
    ptu.check_shape("log_prob_n", log_prob_n, u_na.shape[:1])
    return log_prob_n
