"""The front door: any algorithm by name, one run or a grid, in Spinning Up's words."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))  # this tree, not an installed one
from cs285.experiments import registry
from cs285.experiments.spinning_up import take, translated
from cs285.infrastructure.base.command_line import typed_as
from cs285.infrastructure.base.config import cli

SCRIPTS = {name: experiment.script for name, experiment in registry.algorithms().items()}
USAGE = f"""usage: {{door}} ALGO [flags]

ALGO is one of {", ".join(SCRIPTS)};
`{{door}} ALGO --help` lists its flags. Besides them, as in Spinning Up:

  --env ID               --env_name
  --hid "[64,32]"        units of each hidden layer
  --act tanh|relu        what follows each hidden layer; torch.nn.ReLU is understood
  --gamma X              --discount
  --epochs N             iterations; where a script counts steps, N times --steps_per_epoch
  --steps_per_epoch N    environment steps of an epoch (default: 4000, or the script's -b)

Several values for a flag make a grid, run side by side (docs/studies.md): --seed 0 10 20
--hid[h] [32,32] [64,32], where h stands for the flag in names. The same command goes on with it.

  --exp_name NAME        everything lies in data/NAME, a run in NAME_s0 there (seed 0)
  --data_dir DIR         instead of data
  --dt, --datestamp      date and time before the folder's name
  --cpu N, --num_cpu N   runs at the same time; auto: as many as there are cores
  --engine local|ray|dask
  --code keep|again      what to do with runs that other code has made

  {{door}} study PATH             go on with a study.toml
  {{door}} plot RUN_DIR...        plot.py
  {{door}} compare STUDY          compare.py
  {{door}} test_policy RUN_DIR    enjoy.py
"""
TOOLS = {"plot": "plot", "compare": "compare", "test_policy": "enjoy"}


def usage() -> str:
    """Returns the help; it names the program as it was started."""
    program = Path(sys.argv[0])
    script = program.suffix == ".py"
    return USAGE.format(door="python scripts/run.py" if script else program.name)


def hand_over(script: str, words: Sequence[str]) -> int:
    """Runs a script as if it had been started with these words; returns its exit status."""
    typed_as(script, words)
    status: int = importlib.import_module(f"scripts.{script}").main(words)
    return status


@cli
def main(argv: Sequence[str]) -> int:
    """Starts what the first word names with the others."""
    if not argv:
        print(usage(), end="")
        return 2
    name, *words = argv
    if name in ("-h", "--help"):
        print(usage(), end="")
        return 0
    if name in TOOLS:
        return hand_over(TOOLS[name], words)
    from studies import command, scripts

    if name == "study":
        return command.from_file(words)
    algorithm = scripts.known(name)
    asks_for_help = "-h" in words or "--help" in words
    resumes = take(list(words), "resume") is not None
    if asks_for_help or resumes:
        return hand_over(SCRIPTS[algorithm], translated(algorithm, words))
    return command.from_words(algorithm, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
