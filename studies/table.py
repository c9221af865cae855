"""What a study looks like while it runs: a live table on a terminal, lines where nobody watches."""

from __future__ import annotations

import dataclasses
import math
import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from tqdm import tqdm

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import last_return, read_log, rounded
from studies.plan import Run, finished
from studies.side_by_side import STATE, last_words

RECENT = 10  # rows of the log from which the speed is taken
COLOURS = {"running": "bold", "finished": "green", "failed": "bold red", "stopped": "yellow"}
ORDER = ("failed", "running", "stopped", "waiting", "finished")  # the first are always shown
SPARE = 8  # lines of a terminal that the table leaves free


@dataclasses.dataclass
class Progress:
    """How far one run is: environment steps, steps a second, latest return (nan: none yet)."""

    state: str = "waiting"
    step: float = 0.0
    speed: float = math.nan
    score: float = math.nan


def total_steps(run: Run) -> float:
    """Returns the environment steps of a whole run, about: whole episodes may be a few more."""
    settings = run.settings
    steps = settings.get("num_timesteps") or settings["n_iter"] * settings["batch_size"]
    return float(steps)


def progress(run: Run) -> Progress:
    """Reads how far a run is, from its folder; the state is as its worker last noted it."""
    path = run.folder / STATE
    state = path.read_text() if path.exists() else "waiting"
    now = Progress(
        "finished" if state != "running" and finished(run.folder) else state or "waiting"
    )
    try:
        log = read_log(run.folder)
        step_n, second_n = log["Train_EnvstepsSoFar"], log["TimeSinceStart"]
    except (UserError, KeyError):
        return now
    if not len(step_n):
        return now
    now.step = float(step_n[-1])
    # Over the last rows; a first one alone is measured from the start.
    since = max(0, len(step_n) - 1 - RECENT) if len(step_n) > 1 else None
    before = (0.0, 0.0) if since is None else (step_n[since], second_n[since])
    if second_n[-1] > before[1]:
        now.speed = float((step_n[-1] - before[0]) / (second_n[-1] - before[1]))
    _, now.score = last_return(log)
    return now


class View:
    """Shows the runs of a study; where standard output is no terminal, what changes, as lines."""

    def __init__(self, title: str, runs: Sequence[Run]) -> None:
        """Prepares the view, beneath a title."""
        self.title, self.runs = title, runs
        self.console = Console(highlight=False)
        self.live = Live(console=self.console, auto_refresh=False, transient=False)
        self.now = {run.name: progress(run) for run in runs}
        self.note, self.began, self.steps_before = "", time.monotonic(), self._steps()

    def __enter__(self) -> View:
        """Begins to draw."""
        if self.console.is_terminal:
            self.live.start()
        self.update()
        return self

    def __exit__(self, *problem: object) -> None:
        """Leaves the last table on the screen."""
        self.update()
        if self.console.is_terminal:
            self.live.stop()

    def update(self) -> None:
        """Looks at the runs that may have changed, and shows what has."""
        for run in self.runs:
            before = self.now[run.name]
            if before.state not in ("finished", "failed"):
                self.now[run.name] = now = progress(run)
                if now.state != before.state:
                    self._tell(run, now)
        if self.console.is_terminal:
            self.live.update(self._table(), refresh=True)

    def say(self, note: str) -> None:
        """Shows a line beneath the table."""
        self.note = note
        if not self.console.is_terminal:
            self.console.print(note)
        self.update()

    def _tell(self, run: Run, now: Progress) -> None:
        """Tells of a new state: of a failure always, of others where there is no table."""
        if now.state == "failed":
            self.console.print(Text(f"failed: {run.folder}", style="bold red"))
            for line in last_words(run.folder):
                self.console.print(Text(f"  {line}"))
        elif not self.console.is_terminal:
            score = f", return {rounded(now.score)}" if math.isfinite(now.score) else ""
            far = f", {now.step:,.0f} steps{score}" if now.step else ""
            self.console.print(f"{now.state}: {run.name}{far}")

    def counts(self) -> Counter[str]:
        """Returns how many runs are in each state."""
        return Counter(now.state for now in self.now.values())

    def _steps(self) -> float:
        return sum(now.step for now in self.now.values())

    def _seconds_left(self) -> float:
        """Returns a guess for the whole study, at its pace so far, nan while there is none."""
        steps, seconds = self._steps() - self.steps_before, time.monotonic() - self.began
        done = ("finished", "failed")
        left = [run for run in self.runs if self.now[run.name].state not in done]
        to_go = sum(total_steps(run) - self.now[run.name].step for run in left)
        return to_go * seconds / steps if steps > 0 else math.nan

    def _table(self) -> Group:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("run", overflow="fold")
        table.add_column("state")
        for name in ("step", "of", "steps/s", "return", "left"):
            table.add_column(name, justify="right")
        room = max(3, self.console.height - SPARE)
        shown = sorted(self.runs, key=lambda run: ORDER.index(self.now[run.name].state))[:room]
        for run in self.runs if len(self.runs) <= room else shown:
            now = self.now[run.name]
            running, to_go = now.state == "running", max(0.0, total_steps(run) - now.step)
            cells = [
                f"{now.step:,.0f}" if now.step else "",
                f"{total_steps(run):,.0f}",
                f"{now.speed:,.0f}" if math.isfinite(now.speed) else "",
                rounded(now.score) if math.isfinite(now.score) else "",
                tqdm.format_interval(to_go / now.speed) if running and now.speed > 0 else "",
            ]
            table.add_row(run.name, Text(now.state, COLOURS.get(now.state, "dim")), *cells)
        return Group(Text(self.title, style="bold"), table, Text(self._summary(room)))

    def _summary(self, room: int) -> str:
        counts = self.counts()
        parts = [f"{counts[state]} {state}" for state in ORDER if counts[state]]
        hidden = len(self.runs) - room
        parts += [f"{hidden} of them not shown"] if hidden > 0 else []
        seconds = self._seconds_left()
        parts += [f"about {tqdm.format_interval(seconds)} left"] if seconds > 0 else []
        line = f"{tqdm.format_interval(time.monotonic() - self.began)}  {', '.join(parts)}"
        return "\n".join([line, *([self.note] if self.note else [])])
