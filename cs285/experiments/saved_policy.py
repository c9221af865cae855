"""The policy that a run has left: its weights, and how it may play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.experiments import registry
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # torch takes seconds to import
    from cs285.infrastructure.rollouts import Policy

POLICY = "policy.safetensors"


def load_weights(run_dir: Path, name: str = POLICY) -> dict[str, Any]:
    """Reads a policy's weights; raises UserError if there are none, or they are damaged."""
    import safetensors.torch

    try:
        return safetensors.torch.load_file(run_dir / name)
    except FileNotFoundError:
        kept = sorted(path.name for path in run_dir.glob("*policy*.safetensors"))
        told = "the run has saved no policy "
        told += f"of that name, but {', '.join(kept[-3:])}" if kept else "yet"
        told += "; --save_params keeps more" if name.startswith("policy_") else ""
        raise UserError(f"{run_dir / name} is not there: {told}") from None
    except safetensors.SafetensorError as error:
        raise UserError(f"{run_dir / name} is damaged: {error}") from None


def loader(run_dir: Path, script: str) -> Callable[..., Any]:
    """Returns what loads the policies of a script: (settings, weights, render) -> env, policy.

    Raises:
        UserError: If no script of that name trains here.
    """
    try:
        load: Callable[..., Any] = registry.of_script(script).load_policy
    except UserError as error:
        raise UserError(f"{run_dir} was begun by scripts/{script}.py, which is not here") from error
    return load


def likeliest(policy: Any) -> Policy:
    """Returns a policy that plays the mode: nothing of it is random.

    Args:
        policy: What `load_policy` of an experiment returned.
    """
    from cs285.infrastructure.training.agent import DeterministicPolicy

    greedy: Any = getattr(policy, "greedy", policy)
    return DeterministicPolicy(greedy) if hasattr(greedy, "mode") else greedy


def drawing(policy: Any) -> Policy:
    """Returns a policy that draws its actions, where it is a distribution over them.

    A deterministic actor, whose only chance is the noise for exploration, stays without it.

    Args:
        policy: What `load_policy` of an experiment returned.
    """
    from cs285.infrastructure.training.agent import DeterministicPolicy

    inner: Any = policy.policy if isinstance(policy, DeterministicPolicy) else policy
    chosen: Policy = policy if hasattr(inner, "exploration_noise") else inner
    return chosen
