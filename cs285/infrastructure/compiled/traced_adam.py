"""FusedAdam's step in operations that a compiler reads, and so can put into one graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from cs285.infrastructure.fast_torch import FusedAdam


class TracedGroup:
    """Adam on one group of parameters, where all averages of one kind lie in one tensor.

    What `optimizer.state` has become views of these tensors. So whoever reads or changes it in
    place, and a plain step, all work on the same numbers.

    Source: Kingma and Ba, 2015, https://arxiv.org/abs/1412.6980, algorithm 1.
    """

    def __init__(self, optimizer: FusedAdam, group: Mapping[str, Any]) -> None:
        """Takes over the averages of a group; those that are not there yet begin with zeros."""
        self.optimizer, self.params = optimizer, list(group["params"])
        self.sizes = [param.numel() for param in self.params]
        device, total = self.params[0].device, sum(self.sizes)
        self.mean, self.square = torch.zeros(2, total, device=device).unbind()
        self.steps = torch.zeros(len(self.params), device=device)
        # A tensor, for each value of a Python number would make another graph. In float64, as the
        # plain step computes with it. Of one element, for torch reads a scalar at each guard.
        self.rate = torch.zeros(1, dtype=torch.float64, device=device)
        self.rate_now: float | None = None
        self.betas, self.eps = group["betas"], group["eps"]
        self.adopt()

    @torch.no_grad()
    def adopt(self) -> None:
        """Copies what `optimizer.state` has into the tensors here, and puts views in its place."""
        self.optimizer.make_moments(self.params)
        means, squares = self.mean.split(self.sizes), self.square.split(self.sizes)
        self.entries: list[tuple[Any, ...]] = []
        for param, mean, square, step in zip(self.params, means, squares, self.steps, strict=True):
            entry = self.optimizer.state[param]
            views = (step, *(_laid_out_as(param, flat) for flat in (mean, square)))
            for name, view in zip(("step", "exp_avg", "exp_avg_sq"), views, strict=True):
                if entry[name] is not view:
                    view.copy_(entry[name])
                    entry[name] = view
            self.entries.append((param, entry, *views))

    def refresh(self, group: Mapping[str, Any]) -> str:
        """Takes over what was changed from outside since the last step.

        Args:
            group: The group, as the optimizer has it now.

        Returns:
            Why the graph cannot do this step; empty if it can.
        """
        if group["lr"] != self.rate_now:
            self.rate_now = group["lr"]
            self.rate.fill_(self.rate_now)
        if group["weight_decay"] or group["maximize"]:
            return "its optimizer has weight_decay or maximize"
        if len(group["params"]) != len(self.params):
            return "its optimizer has other parameters than before"
        self.betas, self.eps = group["betas"], group["eps"]  # constants, which guards look at
        state = self.optimizer.state
        for param, entry, step, mean, square in self.entries:
            if param._backward_hooks or param._post_accumulate_grad_hooks:
                return "a parameter has a hook"
            held: Any = state.get(param)
            replaced = held is not entry or entry["step"] is not step
            if replaced or entry["exp_avg"] is not mean or entry["exp_avg_sq"] is not square:
                self.adopt()
                break
        return ""

    def zero_grad(self) -> None:
        """Forgets all gradients."""
        for param in self.params:
            param.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Takes one step; raises RuntimeError if a parameter has no gradient."""
        gradients = [param.grad for param in self.params]
        if any(gradient is None for gradient in gradients):
            raise RuntimeError("a parameter has no gradient")
        beta1, beta2 = self.betas
        self.steps.add_(1.0)
        count = self.steps.double()
        # In one tensor, which has to be in memory: else the graph computes these powers anew for
        # every 16 weights.
        sizes, scales = torch.stack(
            [(self.rate / (1.0 - beta1**count)).float(), (1.0 - beta2**count).rsqrt().float()]
        ).unbind()
        flat = torch.cat([_flat(gradient) for gradient in gradients])
        self.mean.lerp_(flat, 1.0 - beta1)
        self.square.mul_(beta2).addcmul_(flat, flat, value=1.0 - beta2)
        means, squares = self.mean.split(self.sizes), self.square.split(self.sizes)
        for number, (param, mean, square) in enumerate(
            zip(self.params, means, squares, strict=True)
        ):
            change = sizes[number] * mean / (square.sqrt() * scales[number] + self.eps)
            param.sub_(_laid_out_as(param, change))


def _channels_last(tensor: Any) -> bool:
    return tensor.dim() == 4 and not tensor.is_contiguous()


def _flat(tensor: Any) -> torch.Tensor:
    """Returns the numbers in the order that they have in memory. Shape (numel,)."""
    flat: torch.Tensor = tensor.permute(0, 2, 3, 1) if _channels_last(tensor) else tensor
    return flat.reshape(-1)


def _laid_out_as(param: torch.Tensor, flat: torch.Tensor) -> torch.Tensor:
    """Returns a view of `flat`, shape (numel,), with the shape and the layout of `param`."""
    if not _channels_last(param):
        return flat.view(param.shape)
    n, c, h, w = param.shape
    return flat.view(n, h, w, c).permute(0, 3, 1, 2)


def prepare(optimizer: FusedAdam) -> None:
    """Lets an optimizer be traced from now on."""
    optimizer._opt_called = True  # a schedule asks for this, and a graph cannot say so
    if not optimizer.traced:
        optimizer.traced = [TracedGroup(optimizer, group) for group in optimizer.param_groups]


def why_not(optimizer: Any) -> str:
    """Returns why a graph cannot contain the steps of an optimizer; empty if it can."""
    if not isinstance(optimizer, FusedAdam):
        return f"its optimizer is a {type(optimizer).__name__}, and only FusedAdam is traced"
    if optimizer.is_hooked():
        return "its optimizer has a hook"
    return ""


def refresh(optimizer: FusedAdam) -> str:
    """Brings changed settings to where the graph reads them; returns why that cannot be."""
    groups = optimizer.param_groups
    if len(groups) != len(optimizer.traced):
        return "its optimizer has other groups than before"
    for traced, group in zip(optimizer.traced, groups, strict=True):
        reason: str = traced.refresh(group)
        if reason:
            return reason
    return why_not(optimizer)
