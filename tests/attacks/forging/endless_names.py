"""Raises a class with a name of ten million letters and line feeds, from a function like it."""

BODIES = {
    "hw3.argmax.action": r"""
name = "A\n" * 5_000_000
kind = type(name, (Exception,), {})
def function():
    raise kind("x" * 10_000_000)
function.__code__ = function.__code__.replace(co_name=name)
function()
""",
}
