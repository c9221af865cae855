"""Reads the solution of one blank off the given code of another, while it runs."""

EXPECT = "failed"
BODIES = {
    "hw3.dqn.targets": """
import gc, types
codes = [t for t in gc.get_objects() if isinstance(t, types.FunctionType)]
names = ("bellman", "next_value", "predict", "double_value", "double_q_values")
values = [t.__module__ for t in codes if t.__name__ in names and t.__module__.startswith("auto")]
assert not values, values
raise RuntimeError("none there")
""",
}
SAYS = "none there"
