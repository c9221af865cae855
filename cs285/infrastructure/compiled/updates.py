"""Updates of an agent that are plain at first, then compiled; or plain for good, with a reason."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from cs285.infrastructure.base.state import Stateful
from cs285.infrastructure.compiled import cache, reasons, traced_adam
from cs285.infrastructure.compiled.capture import Captured, GuardSaysNoError

PLAIN_CALLS = 3
"""The first calls of a new run are plain: what is wrong in an update looks as it always does."""

Watch = Callable[[str], contextlib.AbstractContextManager[None]]
Report = Callable[[str], None]


class Update(Stateful):
    """Is in the place of a method, and does the same."""

    kept = ("calls", "plain", "shapes")

    def __init__(self, of: Any, watch: Watch, report: Report, backend: str = "inductor") -> None:
        """Replaces the method of this one object.

        Args:
            of: The method: a `Compilable` of `training.agent`.
            watch: Is entered while it is compiled, with the update's name.
            report: Takes one line: why it stays plain, or how long it took to compile.
            backend: See `Captured`.
        """
        self.method, self.optimizers = getattr(of.owner, of.method), list(of.optimizers)
        self.name = f"{type(of.owner).__name__}.{of.method}"
        self.watch, self.report, self.backend = watch, report, backend
        self.calls = 0
        self.plain = ""
        """Why it stays plain; empty while it may be compiled."""
        self.shapes: list[list[int]] = []
        """Of the arguments that it is compiled for: others, such as a last batch, are rare."""
        self.captured: Captured | None = None
        self.seconds = 0.0
        setattr(of.owner, of.method, self)

    def __call__(self, *args: Any) -> Any:
        """Does what the method does."""
        if self.captured is not None:
            return self._call_compiled(args)
        if self.plain:
            return self.method(*args)
        self.calls += 1
        if self.calls <= PLAIN_CALLS or (self.shapes and self.shapes != shapes_of(args)):
            return self.method(*args)
        return self._compile(args)

    def _call_compiled(self, args: tuple[Any, ...]) -> Any:
        if self.known_shapes != [arg.shape for arg in args]:
            return self.method(*args)
        for optimizer in self.optimizers:
            if reason := traced_adam.refresh(optimizer):
                return self._stay_plain(reason, args)
        assert self.captured is not None
        try:
            return self.captured(*args)
        except GuardSaysNoError as error:
            return self._stay_plain(reasons.of_guard(str(error)), args)

    def _stay_plain(self, reason: str, args: tuple[Any, ...]) -> Any:
        """Gives the graph up, says why, and does this call."""
        self.plain, self.captured = reason, None
        self.report(f"note: --compile: {self.name} stays plain: {reason}")
        return self.method(*args)

    def _compile(self, args: tuple[Any, ...]) -> Any:
        began = time.monotonic()
        reason = cache.why_none() if self.backend == "inductor" else ""
        for optimizer in self.optimizers:
            reason = reason or traced_adam.why_not(optimizer)
        if reason:
            return self._stay_plain(reason, args)
        for optimizer in self.optimizers:
            traced_adam.prepare(optimizer)
            reason = reason or traced_adam.refresh(optimizer)
        if reason:
            return self._stay_plain(reason, args)
        with self.watch(self.name):
            captured, result = self._capture(args)
        if captured is None:
            return self._stay_plain(result, args)
        self.captured, self.shapes = captured, shapes_of(args)
        self.known_shapes = [arg.shape for arg in args]
        self.seconds = time.monotonic() - began
        self.report(f"note: --compile: {self.name} was compiled in {self.seconds:.1f} s")
        return result

    def _capture(self, args: tuple[Any, ...]) -> tuple[Captured | None, Any]:
        """Returns the graph and the method's result; or None, and why there is no graph."""
        if self.backend != "inductor":
            return capture(self.method, self.backend, args)
        for _ in range(2):  # again after a failure: with an empty cache, for a file may be torn
            try:
                with cache.alone():
                    return capture(self.method, self.backend, args)
            except BackendError as error:
                reason = f"the compiler fails: {error}"
        return None, reason


class BackendError(Exception):
    """A graph was traced, but the compiler has failed."""


def capture(
    method: Callable[..., Any], backend: str, args: tuple[Any, ...]
) -> tuple[Captured | None, Any]:
    """Returns a graph and the method's result; or None, and why torch cannot trace the method.

    Raises:
        BackendError: If the compiler fails.
    """
    from torch._dynamo.exc import BackendCompilerFailed, TorchDynamoException

    captured = Captured(method, backend)
    try:
        return captured, captured.first_call(*args)
    except Exception as error:  # torch raises many kinds
        if captured.has_begun:
            raise
        if isinstance(error, TorchDynamoException) and not isinstance(error, BackendCompilerFailed):
            return None, reasons.of_error(error)
        raise BackendError(reasons.of_error(error)) from error


def shapes_of(args: Sequence[torch.Tensor]) -> list[list[int]]:
    """Returns the shapes of tensors as a checkpoint can have them."""
    return [list(arg.shape) for arg in args]


class CompiledUpdates(Stateful):
    """All compiled updates of an agent, and what a checkpoint says of them."""

    kept = ("compiler", "updates")

    def __init__(
        self, updates: Sequence[Any], watch: Watch, report: Report, backend: str = "inductor"
    ) -> None:
        """Replaces the methods; see `Update`."""
        self.compiler, self.report = cache.identity(), report
        self.updates = [Update(update, watch, report, backend) for update in updates]
        if not self.updates:
            report("note: --compile changes nothing here: this agent has no update for one graph")

    def load_state_dict(self, state: Any) -> None:
        """Restores the phase of each update: one that was compiled is, from its next call on."""
        before = state["compiler"]
        if before != self.compiler:
            self.report(
                f"note: --compile: begun with {before}; here is {self.compiler}, so numbers may "
                "differ by rounding from those of a run that was never stopped"
            )
        super().load_state_dict({**state, "compiler": self.compiler})
        for update in self.updates:
            if update.plain:
                self.report(f"note: --compile: {update.name} stays plain: {update.plain}")
