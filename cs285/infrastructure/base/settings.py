"""Settings of a run: frozen dataclasses, whose fields are flags; and what all algorithms share."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any, ClassVar

from cs285.infrastructure.base.errors import UserError

MOST_SEED = 2**32 - 1  # NumPy's global generator takes no larger one
MOST_LAYERS = 1000  # no memory has room for a tuple of 10**12
MOST_THREADS = 1024  # tens of thousands crash the library that starts them


def flag(
    default: Any,
    help: str,
    *aliases: str,
    choices: tuple[str, ...] = (),
    positive: bool = False,
    low: float = -math.inf,
    high: float = math.inf,
    many: bool = False,
    over_the_run: bool = False,
) -> Any:
    """Returns one field of a config, which the flag `--<field name>` sets on the command line.

    Args:
        default: The value without the flag; None where a preset decides. A bool starts False.
        help: What it sets and in which unit.
        aliases: Further option strings, as people type them: "-n", "-ntu".
        choices: The only values allowed, if any are named.
        positive: Refuse zero and less (sizes, counts, step sizes).
        low: The smallest value allowed.
        high: The largest value allowed.
        many: Several words may follow; the field is a tuple of them.
        over_the_run: What it switches on depends on the run's length, which then has to stay.
    """
    rules = {"choices": choices, "positive": positive, "low": low, "high": high, "many": many}
    rules["over_the_run"] = over_the_run
    return dataclasses.field(default=default, metadata={"help": help, "aliases": aliases, **rules})


def operand(metavar: str, help: str, many: bool = False) -> Any:
    """Returns one field of a config that is given without a flag: a text, or `many` as a tuple."""
    rules = {"help": help, "operand": metavar, "many": many}
    return dataclasses.field(default=() if many else "", metadata=rules)


@dataclasses.dataclass(frozen=True)
class RunConfig:
    """The flags that every training script has."""

    env_name: str = flag("", "id of an environment")
    env_kwargs: dict[str, Any] | None = flag(
        None, """what the environment itself is made with, a JSON object: '{"length": 9}'"""
    )
    exp_name: str = flag("", "name of the experiment, part of the run folder's name")
    seed: int = flag(1, "seed of everything random", low=0, high=MOST_SEED)
    no_gpu: bool = flag(False, "stay on the CPU even where there is a GPU", "-ngpu")
    which_gpu: int = flag(0, "number of the GPU to use", "-gpu_id", low=0)
    threads: int | None = flag(
        None, "CPU threads of a tensor operation; default: 1", low=1, high=MOST_THREADS
    )
    compile: bool = flag(
        False, "compile the updates: takes half a minute at first, then less time for each"
    )
    reward_scale: float = flag(
        1.0, "factor of the rewards in learning; logs show the task's own", positive=True
    )
    time_limit: str = flag(
        "auto",
        "what a time limit means: terminal, no future after it; bootstrap, the cut state keeps "
        "its value; auto, terminal where the discount is 1",
        choices=("auto", "terminal", "bootstrap"),
    )
    data_dir: str = flag("data", "folder in which run folders are made")
    resume: str | None = flag(
        None,
        "run folder to go on with, from its last checkpoint; with a larger --num_timesteps or "
        "--n_iter than before it becomes longer, even if it was finished",
    )
    load: str | None = flag(None, "run folder whose weights to begin with")
    checkpoint_secs: float = flag(60.0, "seconds from checkpoint to checkpoint", positive=True)
    keep_checkpoint: bool = flag(
        False, "keep the last checkpoint of a finished run even if it is above 200 MB"
    )
    eval_episodes: int = flag(10, "whole episodes of an evaluation", positive=True)
    eval_batch_size: int | None = flag(
        None,
        "of older commands: at least so many episodes as give these steps if none ends early",
        "-eb",
        positive=True,
    )
    target_return: float = flag(None, "end where an evaluation's mean return reaches this")
    save_params: bool = flag(False, "keep the weights of every row of the log, not just the last")

    @property
    def longest(self) -> int | None:
        """Steps of the longest episode that a flag allows; None where the task decides."""
        settings = vars(self)
        found: int | None = settings.get("max_episode_steps", settings.get("ep_len"))
        return found

    def task(self, render: str | None = None) -> dict[str, Any]:
        """Returns what `envs.make_env` takes of these flags, and `render`."""
        rule = {"discount": vars(self)["discount"], "time_limit": self.time_limit}
        return rule | {"render": render, "ep_len": self.longest, "kwargs": self.env_kwargs}

    def loop(self) -> dict[str, Any]:
        """Returns the iterations of the trainer, and the size of the batches that it asks for."""
        settings = vars(self)
        length = settings["num_timesteps" if "num_timesteps" in settings else "n_iter"]
        return {"n_iter": length, "train_batch_size": settings["batch_size"]}

    def __getitem__(self, name: str) -> Any:
        """Returns a setting by its name, because the course gives its agents a dict of settings."""
        return getattr(self, name)


def activation(default: str, help: str = "after each hidden layer") -> Any:
    """Returns the field of the activation function of the agents' own networks."""
    own = "for another one, give networks of your own: --actor_critic, see docs/library.md"
    rules = flag(default, help, "--act", choices=("tanh", "relu")).metadata
    return dataclasses.field(default=default, metadata={**rules, "otherwise": own})


@dataclasses.dataclass(frozen=True)
class LayerConfig(RunConfig):
    """The flags of the networks."""

    activation: str = activation("tanh")
    hidden: str | None = flag(
        None, "units of each hidden layer: 64,32; default: as -l and -s", "--hid"
    )
    n_layers: int | None = flag(
        None, "hidden layers of one size; default: 2", "-l", low=1, high=MOST_LAYERS
    )
    size: int | None = flag(
        None, "units of each of them; default: 64", "-s", "--layer_size", positive=True
    )

    usual_size: ClassVar[int] = 64

    def hidden_sizes(self) -> tuple[int, ...]:
        """Returns the units of each hidden layer: of --hid 64,32 or [64,32], or of -l and -s."""
        if self.hidden is None:
            return (self.size or self.usual_size,) * (self.n_layers or 2)
        if self.n_layers is not None or self.size is not None:
            raise UserError("--hid tells the size of every hidden layer: leave -l and -s out")
        if not re.fullmatch(r"\[? *[1-9]\d*( *, *[1-9]\d*)* *\]?", self.hidden):
            raise UserError(f"--hid takes sizes of layers such as 64,32, not {self.hidden!r}")
        return tuple(int(number) for number in re.findall(r"\d+", self.hidden))


@dataclasses.dataclass(frozen=True)
class OwnNetworkFlags:
    """The flags of networks of one's own, in all experiments whose agent can have them."""

    outputs: ClassVar[int] = 1
    """How many numbers the policy returns for each component of an action."""

    actor_critic: str | None = flag(
        None, "networks of your own, module:name, in the place of the agent's: docs/library.md"
    )
    ac_kwargs: dict[str, Any] | None = flag(None, "arguments of --actor_critic, a JSON object")


@dataclasses.dataclass(frozen=True)
class StepSizes:
    """The flags of step sizes, where actor and critic may have their own."""

    learning_rate: float = flag(1e-3, "Adam's step size, for all networks", "-lr", positive=True)
    actor_learning_rate: float = flag(
        None, "that of the actor; default: as --learning_rate", "--pi_lr", positive=True
    )
    critic_learning_rate: float = flag(
        None, "that of the critics; default: as --learning_rate", "--q_lr", "--vf_lr", positive=True
    )

    @property
    def actor_step_size(self) -> float:
        """Adam's step size for the actor."""
        return self.actor_learning_rate or self.learning_rate

    @property
    def critic_step_size(self) -> float:
        """Adam's step size for the critics."""
        return self.critic_learning_rate or self.learning_rate

    @property
    def has_one_step_size(self) -> bool:
        """Whether neither has its own."""
        return self.actor_learning_rate is None and self.critic_learning_rate is None


@dataclasses.dataclass(frozen=True)
class AtariFlags:
    """The flags of an Atari game itself, for the algorithms that play them."""

    frame_skip: str = flag(
        "4",
        "frames of a step of an Atari game; 2-4x4: four times 2 to 4, as in the course's Gym",
        choices=("4", "2-4x4"),
    )
    sticky_actions: float | None = flag(
        None,
        "chance that an Atari game repeats its last action, at each frame; default: as the id has "
        "it, 0.25 in MsPacman-v0",
        low=0.0,
        high=1.0,
    )

    def of_game(self) -> dict[str, Any]:
        """Returns what `atari.make_any` takes of these flags."""
        return {"own_skip": self.frame_skip != "4", "sticky": self.sticky_actions}


def longest_episode() -> Any:
    """Returns the field of a config that limits episodes, in all experiments without a default."""
    return flag(
        None,
        "longest episode in training and evaluation, in environment steps; default: the task's own",
        "--max_episode_steps",
        "--max_ep_len",
        positive=True,
    )
