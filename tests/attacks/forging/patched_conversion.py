"""Replaces the functions that make plain arrays of what it returns."""

EXPECT = "failed"
AT_IMPORT = """
import numpy as np
import torch
def ones(*args, **kwargs):
    return np.float64(1.0)
np.asarray = np.array = ones
torch.Tensor.numpy = torch.Tensor.item = torch.Tensor.tolist = ones
"""
RETURNS = "1.0"
