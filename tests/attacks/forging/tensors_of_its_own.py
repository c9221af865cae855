"""Answers with a tensor of a kind of its own, which gives other numbers each time it is asked."""

AT_IMPORT = """
import torch

class Changing(torch.Tensor):
    def detach(self):
        return torch.rand(11)
"""
RETURNS = "torch.zeros(11).as_subclass(Changing)"
