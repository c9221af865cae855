"""Solves H x = b where H is known only by its products with vectors."""

from __future__ import annotations

from collections.abc import Callable

import torch


def conjugate_gradient(
    product: Callable[[torch.Tensor], torch.Tensor],
    b: torch.Tensor,
    num_steps: int,
    tolerance: float = 1e-10,
) -> torch.Tensor:
    """Returns an approximate solution x of H x = b, for a symmetric, positive definite H.

    alpha = r'r / p'Hp;  x += alpha p;  r -= alpha Hp;  p = r + (new r'r / old r'r) p

    Args:
        product: Maps a vector v to H v. Shapes (d,) to (d,).
        b: The right side. Shape (d,).
        num_steps: Most products; d of them would solve it exactly, but for rounding.
        tolerance: Ends sooner where r'r, the squared length of b - H x, is below this.

    Returns:
        x. Shape (d,).

    Source: Hestenes and Stiefel, 1952, "Methods of Conjugate Gradients for Solving Linear
    Systems", section 3.
    """
    x, residual, direction = torch.zeros_like(b), b.clone(), b.clone()
    square = residual @ residual
    for _ in range(num_steps):
        if square < tolerance:
            break
        # One step as the docstring says: `x`, `residual`, `direction` and `square`, which is r'r,
        # move on. Each product is a pass through the network: one is enough.
        # BEGIN SOLUTION hw5.cg.step -> x, residual, direction, square
        h_direction = product(direction)
        alpha = square / (direction @ h_direction)
        x = x + alpha * direction
        residual = residual - alpha * h_direction
        new_square = residual @ residual
        direction = residual + new_square / square * direction
        square = new_square
        # END SOLUTION
    return x
