"""A body that reports whether it got the libraries that it asks for."""

SAYS = "not shadowed"
BODIES = {
    "hw3.argmax.action": """
import builtins, json, sys, numpy, torch
assert json.loads("[1]") == [1] and float(torch.ones(2).sum()) == numpy.ones(2).sum()
raise RuntimeError(getattr(builtins, "shadowed", "not shadowed"))
"""
}
