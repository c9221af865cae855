"""Returns a tensor whose every function says that all is equal."""

AT_IMPORT = """
import torch
class Agreeing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True
AGREE = torch.zeros(1).as_subclass(Agreeing)
"""
RETURNS = "AGREE"
