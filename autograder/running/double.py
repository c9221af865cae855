"""An object of [world], which stands for an environment, a memory or a critic, and notes each call.

    env = {"step(action)" = "(frame(n), 1.0, False, False, {})", unwrapped = "this"}

A key with parentheses is a method; its expression sees its arguments, and n, the number of calls
before. Any other key is an attribute. `env.calls.step` has the arguments of each call, as numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from autograder.running.declared_cases import value
from autograder.running.probing import number_in

MOST_CALLS = 1000
UNKNOWN = -1.0  # stands for an argument that is no number


class Double:
    """Notes each call of the methods it declares; any other method does nothing."""

    def __init__(self, answers: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        """Takes the table above, and the names that its expressions see."""
        methods = {key: key.partition("(") for key in answers if "(" in key}
        self.calls = SimpleNamespace(**{name: [] for name, *_ in methods.values()})
        for key, (name, _, rest) in methods.items():
            bind = eval(f"lambda {rest.rstrip(')')}: locals()")
            bind.__qualname__ = name  # Python's own words where it is not called as the real one
            answer = functools.partial(self._answer, name, bind, answers[key], names)
            setattr(self, name, answer)
        for name in answers.keys() - methods.keys():
            setattr(self, name, value(answers[name], {**names, "this": self}))

    def _answer(
        self,
        name: str,
        bind: Callable[..., dict[str, Any]],
        text: str,
        names: Mapping[str, Any],
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Notes a call, whose arguments are bound by their names, and answers it.

        Raises:
            RecursionError: If there have been far too many.
        """
        calls: list[Any] = getattr(self.calls, name)
        if len(calls) > MOST_CALLS:
            raise RecursionError(f"{name} is called again and again")
        bound = bind(*args, **kwargs)
        calls.append([number_in(one, UNKNOWN) for one in bound.values()])
        return value(text, {**names, "n": len(calls) - 1, **bound})

    def __getattr__(self, name: str) -> Any:
        """Offers a method that does nothing under any public name.

        Raises:
            AttributeError: For names of Python's own protocols.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None
