"""The log of a run: rows in log.csv and for TensorBoard, videos, and a progress bar."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from cs285.infrastructure.base.errors import UserError

# What is logged: name -> (unit, meaning, who writes it). The labels of plots are made of these.
# Where a student's code is judged there is no such file, and nothing is drawn.
COLUMNS = Path(__file__).with_name("columns.json")
SCALARS: dict[str, tuple[str, str, str]]
SCALARS = json.loads(COLUMNS.read_text(encoding="utf-8")) if COLUMNS.exists() else {}

# Of evaluations: mean and deviation of returns, mean length, losses of critic and actor.
TABLE = "{:>11} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}"
TABLE_HEAD = TABLE.format("step", "time", "avgR", "stdR", "avgS", "objC", "objA")

# The only columns in which two runs of the same command and seed may differ.
WALL_CLOCK_COLUMNS = ("TimeSinceStart", "StepsPerSecond")


class Logger:
    """Writes log.csv, the TensorBoard events and the videos of one run.

    A new Logger starts an empty log: its first row replaces a log.csv that was there. A resumed
    run first calls `load_state_dict`, which keeps the rows that its checkpoint counts.
    """

    def __init__(self, run_dir: Path) -> None:
        """Prepares the log of `run_dir`; nothing is written before the first row."""
        self._run_dir = Path(run_dir)
        self._csv_path = self._run_dir / "log.csv"
        self._columns: list[str] = []
        self._num_rows = 0
        self._next_step = 0
        self._events: Any = None  # tensorboardX's EventsWriter

    def log_scalars(self, step: int, scalars: Mapping[str, float]) -> None:
        """Appends one row to log.csv and one event for TensorBoard, both on disk on return.

        Args:
            step: What the row belongs to: environment steps (DQN) or iteration (actor-critic).
            scalars: Name -> number. A new name becomes a new last column, blank in the rows
                above; a known name that is missing is left blank in this row.
        """
        row = {"Step": step, **scalars}
        new_columns = [name for name in row if name not in self._columns]
        if any("," in name or "\n" in name for name in new_columns):
            raise ValueError(f"a name in log.csv holds no comma and no new line: {new_columns}")
        if new_columns:
            self._rewrite(self._num_rows, self._columns + new_columns)
        with self._csv_path.open("a", encoding="utf-8") as file:
            file.write(_line([_exact(row[c]) if c in row else "" for c in self._columns]))
            file.flush()
            # A checkpoint may follow: in a power cut it must not outlive a row that it counts.
            os.fsync(file.fileno())
        self._num_rows += 1
        self._log_event(step, scalars)
        self._next_step = step + 1

    def state_dict(self) -> dict[str, Any]:
        """Returns what a checkpoint keeps: how far the log had come."""
        return {"rows": self._num_rows, "columns": list(self._columns)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Cuts the log back to `state`: rows and columns written after it are dropped.

        Raises:
            UserError: If log.csv has lost rows or columns that the checkpoint counts.
        """
        self.close()
        num_rows, columns = int(state["rows"]), list(state["columns"])
        self._rewrite(num_rows, columns)
        self._num_rows = num_rows
        self._next_step = int(read_log(self._run_dir)["Step"][-1]) + 1 if num_rows else 0

    def close(self) -> None:
        """Closes the TensorBoard file; a later row opens a new one."""
        if self._events is not None:
            self._events.close()
            self._events = None

    def _rewrite(self, num_rows: int, columns: list[str]) -> None:
        """Writes log.csv anew, whole or not at all, with its first `num_rows` and `columns`."""
        old_columns, old_rows = _read_table(self._csv_path) if num_rows else ([], [])
        # Columns only ever come at the end: the old header and the new one begin the same.
        shared = min(len(old_columns), len(columns))
        if len(old_rows) < num_rows or old_columns[:shared] != columns[:shared]:
            raise UserError(
                f"{self._csv_path} is not the log that this run wrote, {num_rows} rows or more: "
                "put that back, or start a new run"
            )
        blanks = [""] * (len(columns) - shared)
        rows = [row[:shared] + blanks for row in old_rows[:num_rows]]
        beside = self._csv_path.with_suffix(".csv.tmp")
        with beside.open("w", encoding="utf-8") as file:
            file.writelines(_line(row) for row in [columns, *rows] if columns)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._csv_path)
        self._columns = columns

    def _log_event(self, step: int, scalars: Mapping[str, float]) -> None:
        """Writes one TensorBoard event, without nan and infinity, which no curve can show.

        tensorboardX's SummaryWriter would write from a thread behind a bounded queue, where a
        full disk ends the thread and then blocks training for good. This writes at once.
        """
        # It imports torch, which takes seconds, and plots only read.
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import Event, SessionLog
        from tensorboardX.proto.summary_pb2 import Summary

        now = time.time()
        if self._events is None:
            # Names end in a second of the clock: a number keeps two of the same second apart.
            number = len(list(self._run_dir.glob("events.out.tfevents.*")))
            self._events = EventsWriter(str(self._run_dir / "events"), f".{number}")
            # This makes TensorBoard forget what a killed run logged from here on.
            start = SessionLog(status=SessionLog.START)
            first = Event(step=self._next_step, wall_time=now, session_log=start)
            self._events.write_event(first)
        finite = {name: float(value) for name, value in scalars.items() if math.isfinite(value)}
        summary = Summary(value=[Summary.Value(tag=k, simple_value=v) for k, v in finite.items()])
        self._events.write_event(Event(step=step, wall_time=now, summary=summary))
        self._events.flush()


class ProgressBar(tqdm):  # type: ignore[misc]
    """Distinguishes warm-up and learning, and shows the time left in the present phase.

    A step that learns takes many times as long as a random one, so neither phase's speed predicts
    how long the other takes. Where nobody watches, it is drawn rarely.
    """

    def __init__(
        self, total: int, done: int, unit: str, warm_up: int, head: str, scores: Callable[[], str]
    ) -> None:
        """Prepares a bar, which appears with the first step.

        Args:
            total: Steps, or iterations, of the whole run.
            done: Those done already.
            unit: What one is called.
            warm_up: How many of the first ones are random.
            head: Lines to write above the bar. If the first step fails, nothing is written.
            scores: Returns a short text about the returns so far.
        """
        self.whole, self.warm_up, self.head, self.scores = total, warm_up, head, scores
        self.phase = ""  # what is done in the place of learning
        form = "{phase} {n:,} / {total:,} |{bar:12}| {rate_fmt}, {remaining} left{scores}"
        look = {"bar_format": form, "dynamic_ncols": True, "delay": 0.01, "unit": unit}
        # miniters: tqdm guesses how often to look at the clock, and learning makes steps slow.
        # A notebook saves every bar that was drawn, so it gets fewer than a terminal.
        unseen = 1.0 if "ipykernel" in sys.modules else 30.0
        look |= {"mininterval": 0.2 if sys.stderr.isatty() else unseen, "miniters": 1}
        super().__init__(total=total, initial=done, file=sys.stderr, **look)

    def update(self, n: float | None = 1) -> bool | None:
        """Counts steps, and draws the bar if it is time to."""
        if self.head:
            self.fp.write(self.head + "\n")
            self.head, self.delay = "", 0.0  # from here on it ends with a line of its own
        drawn: bool | None = super().update(n)
        return drawn

    @contextlib.contextmanager
    def busy(self, phase: str) -> Iterator[None]:
        """Shows another phase for as long as it lasts; its time does not count for the speed."""
        self.phase = phase
        self.refresh()
        try:
            yield
        finally:
            self.phase = ""
            self.unpause()

    @property
    def format_dict(self) -> dict[str, Any]:
        """Returns what `bar_format` may name."""
        warming, scores = self.n < self.warm_up, self.scores()
        fields: dict[str, Any] = super().format_dict
        return fields | {
            "phase": self.phase or ("warming up" if warming else "learning"),
            "total": min(self.warm_up, self.whole) if warming else self.whole,
            "scores": f" | {scores}" if scores else "",
        }


def summary(prefix: str, returns: Sequence[float], lengths: Sequence[int]) -> dict[str, float]:
    """Returns the course's scalars of some episodes; nan where there are none."""
    kinds: dict[str, Any] = {"Average": np.mean, "Std": np.std, "Max": np.max, "Min": np.min}
    row = {f"{prefix}_{name}Return": float(of(returns or np.nan)) for name, of in kinds.items()}
    row[f"{prefix}_AverageEpLen"] = float(np.mean(lengths or np.nan))
    return row | {f"{prefix}_NumEpisodes": len(returns)}


def table_row(row: Mapping[str, float], better: bool) -> str:
    """Returns a line of the table of evaluations; green on a terminal if it is the best so far."""
    names = ["Eval_AverageReturn", "Eval_StdReturn", "Eval_AverageEpLen", "Actor_Loss"]
    names.insert(3, "Training Loss" if "Training Loss" in row else "Critic_Loss")
    values = [rounded(row.get(name, math.nan)) for name in names]
    times = [f"{row['Train_EnvstepsSoFar']:,.0f}", tqdm.format_interval(row["TimeSinceStart"])]
    line = TABLE.format(*times, *values)
    coloured = better and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    return f"\033[32m{line}\033[0m" if coloured else line


def scores(episodes: Any) -> str:
    """Describes the newest episode and the mean for the bar."""
    returns = episodes.return_queue
    if not returns:
        return ""
    mean, last = rounded(sum(returns) / len(returns)), rounded(returns[-1])
    return f"episode {episodes.episode_count:,}: {last}, mean of {len(returns)}: {mean}"


def rounded(value: float) -> str:
    """Writes a result as exactly as a reader needs: 1,235 or 36.4 or 0.0123."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def aligned(rows: Sequence[Sequence[object]], left: int) -> list[str]:
    """Returns a table as lines: `left` columns begin at the left, the others end at the right."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    sides = ["<" if i < left else ">" for i in range(len(widths))]
    form = "  ".join(f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True))
    return [form.format(*row).rstrip() for row in texts]


def last_return(log: Mapping[str, np.ndarray]) -> tuple[str, float]:
    """Returns the column of the last mean return, of evaluations if there are any, and the return.

    They are an empty text and nan if there is none yet.
    """
    for name in ("Eval_AverageReturn", "Train_AverageReturn"):
        known = log.get(name, np.empty(0))
        if np.isfinite(known).any():
            return name, float(known[np.isfinite(known)][-1])
    return "", math.nan


def read_log(run_dir: Path) -> dict[str, np.ndarray]:
    """Reads log.csv of a run, which may be running still.

    Returns:
        Column name -> values, shape (rows,), float64, nan where blank. A last line that was
        cut while being written is left out; an empty file gives an empty dict.

    Raises:
        UserError: If there is no log.csv, or a line in it is not one of numbers.
    """
    columns, rows = _read_table(Path(run_dir) / "log.csv")
    try:
        values = [[float(text) if text else math.nan for text in row] for row in rows]
    except ValueError as error:
        raise UserError(f"{Path(run_dir) / 'log.csv'} is damaged: {error}") from None
    table_nc = np.array(values, dtype=np.float64).reshape(len(rows), len(columns))
    return {name: table_nc[:, i].copy() for i, name in enumerate(columns)}


def _read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Returns the header and the whole rows of a log, as text."""
    try:
        whole_lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    except FileNotFoundError:
        raise UserError(f"{path} is not there: is this the directory of a run?") from None
    table = [line.split(",") for line in whole_lines] or [[]]
    for number, row in enumerate(table, start=1):
        if len(row) != len(table[0]):
            raise UserError(f"{path}, line {number}: {len(row)} values, expected {len(table[0])}")
    return table[0], table[1:]


def _line(values: list[str]) -> str:
    """Returns `values` as one line of CSV, which needs no quotes: names hold no comma."""
    return ",".join(values) + "\n"


def _exact(value: float) -> str:
    """Returns the shortest text that reads back as the same number, bit for bit."""
    return str(int(value)) if isinstance(value, (int, np.integer)) else repr(float(value))
