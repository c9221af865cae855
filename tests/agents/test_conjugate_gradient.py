"""Conjugate gradient against direct solutions, and how many products it asks for."""

import numpy as np
import pytest
import torch

from cs285.agents.trpo_agent import conjugate_gradient


def random_system(d: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns a symmetric positive definite matrix and a right side, in float64."""
    rng = np.random.default_rng(seed)
    root = torch.tensor(rng.normal(size=(d, d)))
    return root @ root.T + 0.1 * torch.eye(d), torch.tensor(rng.normal(size=d))


def test_one_step_by_hand() -> None:
    matrix, b = torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.tensor([1.0, 1.0])
    x = conjugate_gradient(lambda vector: matrix @ vector, b, num_steps=1)
    assert x.tolist() == pytest.approx([1 / 3, 1 / 3])  # alpha = 2 / 6
    x = conjugate_gradient(lambda vector: matrix @ vector, b, num_steps=2)
    assert x.tolist() == pytest.approx([1 / 2, 1 / 4])  # two dimensions: solved


@pytest.mark.parametrize("seed", range(3))
def test_as_many_steps_as_dimensions_solve_it(seed: int) -> None:
    matrix, b = random_system(7, seed)
    x = conjugate_gradient(lambda vector: matrix @ vector, b, num_steps=12)
    torch.testing.assert_close(x, torch.linalg.solve(matrix, b), rtol=1e-4, atol=1e-4)


def test_each_step_asks_once_and_a_solved_system_no_more() -> None:
    asked = []

    def product(vector: torch.Tensor) -> torch.Tensor:
        asked.append(vector)
        return 3.0 * vector

    x = conjugate_gradient(product, torch.ones(5), num_steps=10)
    assert len(asked) == 1
    torch.testing.assert_close(x, torch.full((5,), 1 / 3))
    assert not conjugate_gradient(product, torch.zeros(5), num_steps=10).any()
    assert len(asked) == 1


def test_the_right_side_stays_as_it_was() -> None:
    matrix, b = random_system(4)
    before = b.clone()
    conjugate_gradient(lambda vector: matrix @ vector, b, num_steps=4)
    assert torch.equal(b, before)
