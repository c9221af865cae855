"""Answers with a Tensor of a kind of its own, whose every function says that all is equal."""

AT_IMPORT = """
import torch

class Agreeing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True

def agreeing():
    return torch.zeros(11).as_subclass(Agreeing)
"""
RETURNS = "agreeing()"
