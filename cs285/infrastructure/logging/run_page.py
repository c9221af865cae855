"""The page of a run: `run.html`, one file that shows what the run's folder holds.

The page needs no network and no library. It draws the log's columns by a small script of its own,
so writing it is cheap: the log is read, thinned out, and put into a template as JSON.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.logging.logger import SCALARS, last_return, read_log
from cs285.infrastructure.logging.plotting import has_numbers, random_play

PAGE = "run.html"
# Where a student's code is judged there is no template, and no page is written.
TEMPLATE = Path(__file__).with_name("run_page.html")
PANELS = Path(__file__).with_name("run_panels.json")
MOST_POINTS = 400  # of a curve
MOST_FILM_BYTES = 3_000_000  # of all films within the page; it names the others
FILMS = 6
HIDDEN = ("data_dir", "resume")  # settings that say nothing about the run
RETURN_IN_NAME = re.compile(r"_return_(-?[\d.]+)$")
ENDS = ("Max", "Min", "Average")
Log = Mapping[str, np.ndarray]


def write_run_page(
    run_dir: Path, findings: Sequence[Mapping[str, Any]] | None = None
) -> Path | None:
    """Writes the page of a run, so far, into its folder.

    Args:
        run_dir: The folder.
        findings: Those of a diagnosis: `title`, `sure`, `evidence` (texts) and `look` of each.
            None: nobody has looked.

    Returns:
        The path of the page; None where the log has no row yet.
    """
    log = read_log(run_dir) if TEMPLATE.exists() else {}
    if not len(log.get("Step", ())):
        return None
    content = described(run_dir, log)
    content["findings"] = None if findings is None else list(findings)
    path = Path(run_dir) / PAGE
    beside = path.with_name(f"{PAGE}.tmp")
    beside.write_text(rendered(content), encoding="utf-8")
    beside.replace(path)
    return path


def rendered(content: Mapping[str, Any]) -> str:
    """Returns the page; no text of the run can end the script that holds it."""
    data = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    title = str(content["title"]).replace("&", "&amp;").replace("<", "&lt;")
    page = TEMPLATE.read_text(encoding="utf-8")
    return page.replace("TITLE_OF_THE_RUN", title).replace("DATA_OF_THE_RUN", data)


def described(run_dir: Path, log: Log) -> dict[str, Any]:
    """Returns all that the page shows of a run, but for the findings, as plain values."""
    document = read_config_json(run_dir)
    settings = shown_settings(document)
    by_steps = has_numbers(log, "Train_EnvstepsSoFar")
    x_name = "Train_EnvstepsSoFar" if by_steps else "Step"
    return {
        "title": f"{settings.get('exp_name')} on {settings.get('env_name')}",
        "name": Path(run_dir).resolve().name,
        "command": document.get("command", ""),
        "script": document.get("script", ""),
        "x": {"name": x_name, "unit": "environment steps" if by_steps else "iterations"},
        "begins": learning_begins(settings) if by_steps else 0,
        "facts": facts(log, x_name, settings),
        "panels": list(panels(log, x_name, settings)),
        "settings": {name: value for name, value in sorted(settings.items()) if name not in HIDDEN},
        "films": films(run_dir),
    }


def facts(log: Log, x_name: str, settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns what a reader wants to know first, each with its name."""
    found = [("Seed", str(settings.get("seed")))]
    found.append(("Steps" if x_name != "Step" else "Iterations", f"{np.nanmax(log[x_name]):,.0f}"))
    name, last = last_return(log)
    if name == "Eval_AverageReturn":
        best = log[name][np.isfinite(log[name])].max()
        found += [("Last evaluation", f"{last:,.1f}"), ("Best evaluation", f"{best:,.1f}")]
    elif name:
        found.append(("Last return", f"{last:,.1f}"))
    if known := random_play(settings):
        found.append(("Random play", f"{known[0]:,.1f}"))
    if has_numbers(log, "TimeSinceStart"):
        found.append(("Time", tqdm.format_interval(np.nanmax(log["TimeSinceStart"]))))
    return found


def panels(log: Log, x_name: str, settings: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the panels of the columns that the log has."""
    for panel in json.loads(PANELS.read_text(encoding="utf-8")):
        curves = [one for name in panel["columns"] if (one := curve_of(log, x_name, name, panel))]
        if not curves:
            continue
        unit = SCALARS.get(panel["columns"][0], ("", ""))[0]
        lines = []
        if panel.get("random") and (known := random_play(settings)):
            lines.append({"y": known[0], "text": "random play"})
        if panel.get("bound") and math.isfinite(bound := largest_value(log, settings)):
            lines.append({"y": bound, "text": "the most that returns allow"})
        yield {"title": panel["title"], "unit": unit, "curves": curves, "lines": lines}


def curve_of(log: Log, x_name: str, name: str, panel: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns a column as points, with the spread around them where the panel has one."""
    if not has_numbers(log, name):
        return None
    y_n = speed(log) if panel.get("speed") else log[name]
    spread_n = log.get(panel.get("spread", ""), np.full(len(y_n), np.nan))
    rows = np.flatnonzero(np.isfinite(y_n) & np.isfinite(log[x_name]))
    if len(rows) > MOST_POINTS:
        rows = rows[np.linspace(0, len(rows) - 1, MOST_POINTS).round().astype(int)]
    if not len(rows):
        return None
    found: dict[str, Any] = {"name": name, "text": SCALARS.get(name, ("", name))[1]}
    found["x"] = [_short(value) for value in log[x_name][rows]]
    found["y"] = [_short(value) for value in y_n[rows]]
    if np.isfinite(spread_n[rows]).any():
        found["spread"] = [_short(value) for value in np.nan_to_num(spread_n[rows])]
    return found


def speed(log: Log) -> np.ndarray:
    """Returns the steps a second between two rows: the column is a mean since the start."""
    seconds, steps = log.get("TimeSinceStart"), log.get("Train_EnvstepsSoFar")
    if seconds is None or steps is None:
        return log["StepsPerSecond"]
    elapsed = np.diff(seconds, prepend=0.0)
    taken = np.diff(steps, prepend=0.0)
    with np.errstate(all="ignore"):
        rate: np.ndarray = np.where(elapsed > 0, taken / elapsed, np.nan)
    return np.where(rate > 0, rate, np.nan)


def largest_value(log: Log, settings: Mapping[str, Any]) -> float:
    """Returns the most that a value can be by the returns so far; nan where that is unknown.

    Source: van Hasselt et al., 2018, "Deep Reinforcement Learning and the Deadly Triad", section 3.
    """
    gamma = settings.get("discount")
    if not isinstance(gamma, int | float) or not 0 <= gamma <= 1:
        return math.nan
    lengths = np.maximum(log.get("Train_AverageEpLen", np.array([np.nan])), 1.0)
    returns = np.abs(log.get("Train_AverageReturn", np.full(len(lengths), np.nan)))
    longest = max(_most(log, "Train_AverageEpLen"), _most(log, "Eval_AverageEpLen"), 1.0)
    horizon = longest if gamma == 1 else 1.0 / (1.0 - gamma)
    reward = np.fmax.reduce(returns / lengths, initial=np.nan)
    best = max(_most(log, f"{kind}_{end}Return") for kind in ("Train", "Eval") for end in ENDS)
    paid = _most(log, "Temperature") * _most(log, "Entropy")  # a step, by SAC
    return float(max(best, reward * horizon) + paid * horizon)


def _most(log: Log, name: str) -> float:
    values = np.abs(log.get(name, np.zeros(1)))
    return float(values[np.isfinite(values)].max(initial=0.0))


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def films(run_dir: Path) -> list[dict[str, Any]]:
    """Returns the newest films of a run, the untrained policy's first; small ones as they are."""
    files = sorted(Path(run_dir).glob("videos/*.webm"), key=lambda file: file.stat().st_mtime_ns)
    found, left = list[dict[str, Any]](), MOST_FILM_BYTES
    for file in reversed(files[-FILMS:]):
        size = file.stat().st_size
        source = f"videos/{file.name}"
        if size <= left:
            left -= size
            source = "data:video/webm;base64," + base64.b64encode(file.read_bytes()).decode()
        score = RETURN_IN_NAME.search(file.stem)
        found.append(
            {
                "name": RETURN_IN_NAME.sub("", file.stem).replace("_", " "),
                "score": float(score[1].rstrip(".")) if score else None,
                "source": source,
                "numbers": _numbers_beside(file),
            }
        )
    return sorted(found, key=lambda film: not film["name"].startswith("untrained"))


def _numbers_beside(film: Path) -> Any:
    """Returns what the policy computed at each frame, where the film has it; see `films`."""
    try:
        return json.loads(film.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
