"""A method captured as one graph: `torch.compile`, and a shorter way to call what it has made.

All private names of PyTorch that compiled updates need are imported here. They are those of the
version `TORCH`; with any other one, updates stay plain.

`torch.compile` decides by its guards whether a graph still stands for the method: constants, types,
shapes, the state of the interpreter. A call of it takes longer than a small graph does, mostly for
the bytecode around it. So later calls ask the same guards, fetch the same inputs from where that
bytecode finds them, and call the graph. Where the method does anything else than to return tensors
and to leave gradients, all calls go by `torch.compile` itself.
"""

from __future__ import annotations

import logging
import re
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

TORCH = "2.13"
"""The version whose private names these are."""


def right_version() -> bool:
    """Returns whether this is the version of PyTorch that this file is written for."""
    return torch.__version__.split("+")[0].rpartition(".")[0] == TORCH


@contextmanager
def settings_of_torch(threads: int = 1) -> Iterator[None]:
    """Sets for a while what a capture needs; threads are those that call compilers."""
    import torch._dynamo.config as dynamo
    import torch._functorch.config as functorch
    import torch._inductor.config as inductor

    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        # `backward` lies in the graph. A hook that comes later is a guard's business as well.
        stack.enter_context(dynamo.patch(trace_autograd_ops=True, skip_nnmodule_hook_guards=False))
        # What this cache returns cannot be watched; that of compiled code below it can.
        stack.enter_context(functorch.patch(enable_autograd_cache=False))
        stack.enter_context(inductor.patch(compile_threads=threads))
        yield


class Captured:
    """One graph of a method, for arguments of one shape."""

    def __init__(
        self, method: Callable[..., Any], backend: str = "inductor", shortcut: bool = True
    ) -> None:
        """Prepares to capture a method with the first call.

        Args:
            method: Maps tensors to tensors.
            backend: "inductor"; or "eager", which only traces, and calls no compiler.
            shortcut: Whether later calls may take the shorter way.
        """
        from torch._dynamo.exc import FailOnRecompileLimitHit

        _without_log_of_recompilations()
        self.limit_error = FailOnRecompileLimitHit
        self.has_begun = False  # whether anything of the method has happened
        self.backend, self.shortcut = backend, shortcut and backend == "inductor"
        self.frame = {"method": method, "__builtins__": __builtins__}
        # Code and globals of its own: torch keeps graphs by code, and names in globals.
        code = _call_method.__code__.replace(co_name="compiled_update")
        self.function = types.FunctionType(code, self.frame)
        make: Any = torch.compile  # whose stubs do not know all arguments
        self.whole = make(
            self.function,
            fullgraph=True,
            dynamic=False,
            backend=self._compile,
            recompile_limit=1,  # where a guard says no, an error comes before anything is done
        )
        self.seen: Seen | None = None
        self.guards: Any = None
        self.short: Callable[[tuple[Any, ...]], Any] | None = None

    def first_call(self, *args: Any) -> Any:
        """Captures, compiles, and calls; where it raises, nothing of the method has happened."""
        from torch._dynamo.eval_frame import _debug_get_cache_entry_list

        with settings_of_torch():
            result = self.whole(*args)
        entries = _debug_get_cache_entry_list(self.function.__code__)
        if len(entries) == 1:
            self.guards = entries[0].guard_manager
            if self.shortcut and self.seen is not None:
                self.short = Shortcut.find(self, self.seen, args, result)
        return result

    def __call__(self, *args: Any) -> Any:
        """Calls the graph; raises GuardSaysNoError if it stands for the method no more."""
        if self.short is not None:
            try:
                return self.short(args)
            except GuardSaysNoError:
                pass  # perhaps another check of torch's own says yes
        try:
            return self.whole(*args)
        except self.limit_error as error:
            raise GuardSaysNoError(self.changed(*args)) from error

    def changed(self, *args: Any) -> str:
        """Returns what a guard found to be another than when the graph was captured."""
        if self.guards is None:
            return "something else than before"
        parts = self.guards.check_verbose({"args": args}).verbose_code_parts
        return str(parts[0]) if parts else "something else than before"

    def _compile(self, module: Any, examples: Sequence[torch.Tensor]) -> Callable[..., Any]:
        """Compiles the graph; notes what goes into it and comes out."""
        if self.backend == "eager":
            forward: Callable[..., Any] = module.forward
            return forward
        from torch._dynamo.symbolic_convert import InstructionTranslator
        from torch._inductor.compile_fx import compile_fx, compile_fx_inner

        output = InstructionTranslator.current_tx().output
        seen = self.seen = Seen(_sources(output), _effects(output.side_effects))

        def watched(graph: Any, inputs: Any, **more: Any) -> Any:
            compiled = compile_fx_inner(graph, inputs, **more)
            seen.graphs.append(compiled)

            def call(flat: list[Any]) -> Any:
                self.has_begun = True
                if self.short is None:
                    seen.inputs, seen.outputs = list(flat), None
                    seen.outputs = compiled(flat)
                    return seen.outputs
                return compiled(flat)

            call._boxed_call = True  # type: ignore[attr-defined]
            return call

        on_cpu = all(tensor.device.type == "cpu" for tensor in examples)
        # Random numbers come from torch's own generator, in the order of plain code.
        options = {"fallback_random": True, "cpp_wrapper": on_cpu}
        whole: Any = compile_fx(module, examples, inner_compile=watched, config_patches=options)
        return whole  # type: ignore[no-any-return]


class Seen:
    """What a graph's capture has shown."""

    def __init__(self, sources: list[str], effects: list[str] | None) -> None:
        """Notes where inputs come from, and whose gradients are left; None if there is more."""
        self.sources, self.effects = sources, effects
        self.graphs: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: Any = None


class GuardSaysNoError(Exception):
    """The graph no longer stands for the method."""


class Shortcut:
    """Guards, inputs, graph, gradients, result: what `torch.compile` does at a call, no more."""

    def __init__(self, graph: Any, check: Callable[[Any], bool]) -> None:
        """Keeps the graph, and torch's own guards."""
        self.graph, self.check = graph, check
        self.fetch: Callable[..., list[Any]]
        self.build: Callable[..., Any]
        self.left: list[tuple[torch.Tensor, int | None]] = []

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """Returns the method's result; raises GuardSaysNoError before anything is done."""
        if not self.check({"args": args}):
            raise GuardSaysNoError
        with torch.no_grad():
            outputs = self.graph(self.fetch({"args": args}))
        for tensor, place in self.left:
            tensor.grad = None if place is None else outputs[place]
        return self.build(outputs)

    @classmethod
    def find(
        cls, captured: Captured, seen: Seen, args: tuple[Any, ...], result: Any
    ) -> Shortcut | None:
        """Returns the shorter way; None where anything is not as simple as it needs."""
        if len(seen.graphs) != 1 or seen.effects is None:
            return None
        # What the graph's own call adds to this function serves measurements of compilations.
        short = cls(seen.graphs[0].current_callable, captured.guards.root.check)
        names, frame = seen.sources, captured.frame
        try:
            # The tensors by the expressions that torch's bytecode has for them.
            values = [eval(name, {"L": {"args": args}, "G": frame}) for name in names]  # noqa: S307
            places = [[i for i, v in enumerate(values) if v is x] for x in seen.inputs]
            ordered = ", ".join(names[place[0]] for place in places)
            short.fetch = eval(f"lambda L: [{ordered}]", {"G": frame})  # noqa: S307
            for name in seen.effects:
                tensor = eval(name, {"L": {"args": args}, "G": frame})  # noqa: S307
                short.left.append((tensor, _place(seen.outputs, tensor.grad)))
            left = {place for _, place in short.left}
            constants: list[Any] = []
            text = _expression(result, seen.outputs, constants)
            short.build = eval(f"lambda out: {text}", {"constants": constants})  # noqa: S307
        except (LookupError, SyntaxError, NameError, AttributeError, TypeError):
            return None
        if any(len(place) != 1 for place in places) or len(left) > len(seen.outputs) + 1:
            return None
        return short if len(_places_in(text) | (left - {None})) == len(seen.outputs) else None


def _call_method(*args: Any) -> Any:
    """Calls `method`, a global name of the copy of this function that is compiled."""
    return method(*args)  # type: ignore[name-defined]  # noqa: F821


def _place(outputs: Sequence[Any], tensor: Any) -> int | None:
    """Returns where a tensor is among a graph's outputs; raises LookupError if it is not there."""
    if tensor is None:
        return None
    places = [number for number, output in enumerate(outputs) if output is tensor]
    return places[0]


def _expression(value: Any, outputs: Sequence[Any], constants: list[Any]) -> str:
    """Returns Python that builds a result of a method from `out`, the outputs of its graph."""
    if isinstance(value, torch.Tensor):
        return f"out[{_place(outputs, value)}]"
    if type(value) in (tuple, list):
        parts = "".join(f"{_expression(v, outputs, constants)}, " for v in value)
        return f"({parts})" if type(value) is tuple else f"[{parts}]"
    if type(value) is dict:
        pairs = (f"{k!r}: {_expression(v, outputs, constants)}" for k, v in value.items())
        if not all(type(key) is str for key in value):
            raise LookupError("keys that are no texts")
        return f"{{{', '.join(pairs)}}}"
    if value is None or type(value) in (bool, str):  # what a guard has made a constant
        constants.append(value)
        return f"constants[{len(constants) - 1}]"
    raise LookupError(f"a result of type {type(value).__name__}")


def _places_in(text: str) -> set[int | None]:
    """Returns which outputs an expression of `_expression` has."""
    return {int(number) for number in re.findall(r"out\[(\d+)\]", text)}


def _sources(output: Any) -> list[str]:
    """Returns the expressions of a graph's inputs, in their order."""
    return [arg.source.name if arg.source is not None else "None" for arg in output.graphargs]


def _effects(side_effects: Any) -> list[str] | None:
    """Returns expressions of tensors whose gradient is all that a method leaves; None: more."""
    from torch._dynamo.variables import TensorVariable
    from torch._dynamo.variables.base import AttributeMutationNew

    changed = side_effects._get_modified_vars()
    if side_effects.tensor_hooks or side_effects.save_for_backward:
        return None
    names = []
    for variable in changed:
        if isinstance(variable.mutation_type, AttributeMutationNew):
            continue  # an object of the method's own: nobody else has it, or that one is here too
        attributes = set(side_effects.store_attr_mutations.get(variable, {}))
        its = variable.source
        if not isinstance(variable, TensorVariable) or attributes != {"grad"} or its is None:
            return None
        names.append(its.name)
    return names


class _NotAboutLimits(logging.Filter):
    """Drops torch's paragraph about a limit of recompilations: one line of ours stands for it."""

    def filter(self, record: logging.LogRecord) -> bool:
        return "recompile_limit" not in record.getMessage()


_filter = _NotAboutLimits()


def _without_log_of_recompilations() -> None:
    logging.getLogger("torch._dynamo.convert_frame").addFilter(_filter)
