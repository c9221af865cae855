"""The tables "Logged numbers" of the handouts, made from the columns that the log knows.

python -m tests.logged_numbers     # after a change of cs285/infrastructure/logging/columns.json
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cs285.infrastructure.logging.logger import SCALARS
from tests.running import ROOT

# Each script's name among those who write a column, the third entry in columns.json.
ALGORITHMS = {
    "run_hw2": "VPG",
    "run_hw3_dqn": "DQN",
    "run_hw3_actor_critic": "actor-critic",
    "run_hw4_ddpg": "DDPG",
    "run_hw4_td3": "TD3",
    "run_hw4_sac": "SAC",
    "run_hw5_ppo": "PPO",
    "run_hw5_trpo": "TRPO",
    "run_hw6": "portfolio",
}
PAGES = {script[4:7]: f"docs/{script[4:7]}/reference.md" for script in ALGORITHMS}
TABLE = re.compile(r"^\| name \| unit \| meaning \|.*\n(?:\|.*\n)+", re.MULTILINE)


def writers(who: str) -> set[str]:
    """The algorithms that write a column: "all", "all but DQN", "nobody; ..." or their names."""
    everybody = set(ALGORITHMS.values())
    if who.startswith("nobody"):
        return set()
    if who == "all" or who.startswith("all but "):
        return everybody - set(who.removeprefix("all but ").split(", "))
    named = set(who.split(", "))
    assert named <= everybody, f"columns.json names {named - everybody}"
    return named


def columns(algorithm: str) -> set[str]:
    """The names of the columns that a run of an algorithm may have."""
    return {name for name, (_, _, who) in SCALARS.items() if algorithm in writers(who)}


def table(homework: str) -> str:
    """A homework's table; where it has several algorithms, with what each of them writes."""
    own = [name for script, name in ALGORITHMS.items() if script.startswith(f"run_{homework}")]
    several = len(own) > 1
    lines = [row("name", "unit", "meaning", *["of"] * several), "|---" * (3 + several) + "|"]
    for name, (unit, meaning, who) in SCALARS.items():
        writing = [each for each in own if each in writers(who)]
        if writing:
            of = "all" if len(writing) == len(own) else ", ".join(writing)
            lines.append(row(f"`{name}`", unit, meaning, *[of] * several))
    return "\n".join(lines) + "\n"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def shown(text: str) -> Sequence[str]:
    """The tables of logged numbers that a page shows."""
    return TABLE.findall(text)


def write_tables() -> None:
    """Brings the handouts up to date."""
    for homework, page in PAGES.items():
        (before, after) = TABLE.split((ROOT / page).read_text())
        (ROOT / page).write_text(before + table(homework) + after)


if __name__ == "__main__":
    write_tables()
