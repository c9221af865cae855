"""Shows how far a long piece of work is: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType

EVERY = 10.0  # seconds between lines where there is no terminal


class Progress:
    """The progress of one piece of work, on the standard error stream."""

    def __init__(self, what: str, total: int) -> None:
        """Begins.

        Args:
            what: What is done, such as "trying the tree".
            total: How many steps there are.
        """
        self.what, self.total, self.done = what, total, 0
        self.began = self.printed = time.monotonic()
        self.bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # its thread would live through the forks of workers
            self.bar = tqdm(total=total, desc=what, file=sys.stderr)
        else:
            self._line(what)

    def __enter__(self) -> Progress:
        """Returns itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the bar."""
        if self.bar is not None:
            self.bar.close()

    def step(self, name: str) -> None:
        """Counts one step that is done; `name` says which."""
        self.done += 1
        if self.bar is not None:
            self.bar.set_postfix_str(name, refresh=False)
            self.bar.update()
        elif time.monotonic() - self.printed >= EVERY or self.done == self.total:
            self._line(f"{self.what}: {self.done} of {self.total}{self._left()}")

    def _left(self) -> str:
        """Returns about how long the rest takes, at the pace so far."""
        seconds = (time.monotonic() - self.began) * (self.total - self.done) / self.done
        if self.done == self.total:
            return ""
        return (
            f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", {seconds:.0f} s left"
        )

    def _line(self, text: str) -> None:
        self.printed = time.monotonic()
        sys.stderr.write(f"autograder: {text}\n")
        sys.stderr.flush()
