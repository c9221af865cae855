"""Replaces the library that writes the record."""

EXPECT = "failed"
AT_IMPORT = """
import numpy as np
import safetensors, safetensors.numpy, safetensors.torch
def save(tensors, *args, **kwargs):
    return real({name: np.ones_like(array) for name, array in tensors.items()}, *args, **kwargs)
real = safetensors.numpy.save
safetensors.numpy.save = safetensors.torch.save = save
"""
RETURNS = "None"
