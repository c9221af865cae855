"""Reads the solution of one blank off the given code of another, while it runs."""

BODIES = {
    "hw3.dqn.targets": """
import gc, types
codes = [t for t in gc.get_objects() if isinstance(t, types.FunctionType)]
ours = [t for t in codes if str(t.__module__).startswith("autograder")]
names = ("bellman", "next_value", "predict", "double_value")
values = [t.__name__ for t in ours if t.__name__ in names]
values += [t.__name__ for t in ours if {"gather", "q_net_target"} <= set(t.__code__.co_names)]
assert ours and not values, values
raise RuntimeError("none there")
""",
}
SAYS = "none there"
