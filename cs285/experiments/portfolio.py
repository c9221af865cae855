"""Homework 6: several agents learn side by side, and a rule chooses who plays an episode."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from cs285.agents import selectors
from cs285.experiments import registry
from cs285.experiments.experiment import Experiment
from cs285.infrastructure.base.config import FORMER_NAMES, config_from_dict, parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import learning_begins
from cs285.infrastructure.base.settings import RunConfig, flag, longest_episode

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

# What can be a member: the algorithms of homework 4, and DQN where actions are discrete.
WITH_MEMORY = ("run_hw4_*", "run_hw3_dqn")  # their scripts
MEMBERS = {
    name: experiment
    for name, experiment in registry.algorithms().items()
    if any(fnmatch(experiment.script, pattern) for pattern in WITH_MEMORY)
}
ON_POLICY = {*registry.algorithms(), "ac"} - {*MEMBERS, "portfolio"}
MOST = 8  # members

OWN = "; default: each member's own"  # what `--help` says where None is that


@dataclasses.dataclass(frozen=True)
class PortfolioConfig(RunConfig):
    """The flags of this script; None stands for each member's own default."""

    env_name: str = flag("Pendulum-v1", "id of a Gymnasium environment, or module:id of your own")
    exp_name: str = flag("portfolio", "name of the experiment, part of the run folder's name")
    members: str = flag(
        None,
        f"who plays: some of {', '.join(MEMBERS)}, each with settings of its own after colons, "
        "NAME:discount=0.9; default: all but dqn",
    )
    selector: str = flag(
        "ssbas", f"who chooses: {', '.join(selectors.RULES)}, or a rule over rules d3rb(ucb1,ssbas)"
    )
    own_experience: bool = flag(False, "members learn only from what they did themselves")
    num_timesteps: int = flag(20_000, "environment steps of the run", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(None, "transitions per update" + OWN, "-b", positive=True)
    num_agent_train_steps_per_iter: int = flag(
        1, "updates, each of its own batch, after each environment step", positive=True
    )
    discount: float = flag(None, "gamma, per step" + OWN, low=0.0, high=1.0)
    buffer_size: int = flag(None, "transitions in the replay buffer" + OWN, positive=True)
    start_steps: int = flag(
        None, "environment steps of random actions at first" + OWN, "--random_steps", low=0
    )
    learning_starts: int = flag(
        None,
        "environment steps before the first update; with --own_experience, of the member itself"
        + OWN,
        low=0,
    )
    hidden: str = flag(None, "units of each hidden layer: 64,32" + OWN, "--hid")
    scalar_log_freq: int = flag(1_000, "steps from one row of the log to the next")
    eval_freq: int = flag(5_000, "steps from one evaluation to the next; -1: never")
    video_log_freq: int = flag(-1, "steps from one video to the next; -1: never")


# What a member cannot have of its own: the run's, the environment's, and the common memory's.
COMMON = {field.name for field in dataclasses.fields(PortfolioConfig)}
COMMON -= {"discount", "hidden", "learning_starts"}
COMMON |= {"max_episode_steps"}  # a DQN's name of `ep_len`
COMMON |= {"horizon_len", "repeat_times"}  # all learn when the one who plays does
# A flag above that a DQN does not have -> the message that names its own way.
NOT_OF_DQN = {
    "hidden": "--hid: a DQN has its layers after its name, dqn:n_layers=2:size=64",
    "start_steps": "--start_steps: a DQN explores by a setting of its own, dqn:exploration=0.1",
}


@dataclasses.dataclass(frozen=True)
class Member:
    """An algorithm's experiment, and the settings of one member."""

    experiment: Any
    config: Any

    @property
    def is_dqn(self) -> bool:
        """Whether it chooses among discrete actions."""
        return self.experiment is MEMBERS["dqn"]


def parse_member(word: str, config: PortfolioConfig) -> Member:
    """Reads `name:setting=value:...`; other settings are those of `config`, or the defaults.

    Raises:
        UserError: If there is no such algorithm or setting, or it cannot be a member's.
    """
    name, *given = (part.strip() for part in word.split(":"))
    if name in ON_POLICY:
        raise UserError(
            f"--members {name}: its gradient needs steps of its present policy, not a memory; "
            f"take {', '.join(MEMBERS)}"
        )
    if name not in MEMBERS:
        raise UserError(f"--members takes {', '.join(MEMBERS)}, not {name!r}")
    experiment = MEMBERS[name]
    kind = experiment.config_class
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for setting in given:
        key, equals, _ = setting.partition("=")
        key = FORMER_NAMES.get(key, key)
        if key not in fields or key in COMMON:
            where = "all have the run's" if key in COMMON else f"see {experiment.script}.py --help"
            raise UserError(f"--members {word}: {setting!r} is no setting of a member, {where}")
        switch = fields[key].default is False
        if switch == bool(equals):
            right = key if switch else f"{key}=..."
            raise UserError(f"--members {word}: write {right}, not {setting!r}")
    try:
        own, explicit = parse_config(kind, [f"--{setting}" for setting in given], "")
        known = fields.keys() - explicit
        shared = {n: v for n, v in vars(config).items() if n in known and v is not None}
        shared |= {"seed": config.seed, "exp_name": own.exp_name}
        shared |= {"max_episode_steps": config.ep_len} if "max_episode_steps" in fields else {}
        return Member(experiment, experiment.resolve(dataclasses.replace(own, **shared)))
    except UserError as error:
        raise UserError(f"--members {word}: {error}" if given else str(error)) from None


def parse_members(config: PortfolioConfig) -> list[Member]:
    """Returns the members of a resolved config, in order."""
    words = re.split(r",(?![^\[]*\])", str(config.members))  # not the comma of hidden=[64,32]
    return [parse_member(word, config) for word in words]


def check_common(members: Sequence[Member]) -> None:
    """Refuses members that see one environment, or one memory, in different ways."""
    for name in ("frame_history_len", "frame_skip", "sticky_actions"):
        if len({getattr(member.config, name, None) for member in members}) > 1:
            raise UserError(f"--members: {name} must be the same for all: they see one environment")
    ends = {member.config.discount == 1 for member in members}
    if len(ends) > 1 and members[0].config.time_limit == "auto":
        raise UserError(
            "--members: where a discount is 1 a time limit ends the task, where it is less it "
            "does not, and all share one memory: add --time_limit terminal or bootstrap"
        )


class Portfolio(Experiment[PortfolioConfig]):
    """Runs of several agents, which see the environments of the first one."""

    script, config_class, members = "run_hw6", PortfolioConfig, MEMBERS

    def resolve(self, config: PortfolioConfig) -> PortfolioConfig:
        """Names all members, and checks what flags alone can't."""
        if config.members is None:
            default = [name for name in MEMBERS if name != "dqn"]
            config = dataclasses.replace(config, members=",".join(default))
        members = parse_members(config)
        if len(members) > MOST:
            raise UserError(f"--members: {len(members)} of them are more than {MOST}")
        discrete = {member.is_dqn for member in members}
        if len(discrete) > 1:
            raise UserError("--members: dqn has discrete actions, the others continuous ones")
        if True in discrete:
            for name, message in NOT_OF_DQN.items():
                if config[name] is not None:
                    raise UserError(message)
        check_common(members)
        selectors.make(config.selector, len(members), config.seed)
        # All have the first one's: the trainer's batch goes to whoever plays, from one memory.
        first = {name: members[0].config[name] for name in ("batch_size", "buffer_size")}
        starts = {member.config.learning_starts for member in members}
        if len(starts) == 1:  # else each keeps its own
            first["learning_starts"] = starts.pop()
        return dataclasses.replace(super().resolve(config), **first)

    def make_env(self, config: PortfolioConfig, training: bool, render: str | None = None) -> Any:
        """Makes the environment of the first member."""
        first = parse_members(config)[0]
        return first.experiment.make_env(first.config, training, render)

    def bytes_of_memory(self, env: Any, config: PortfolioConfig) -> float:
        """Returns the bytes that the replay buffers take: of each member, or the one of all."""
        needed = [m.experiment.bytes_of_memory(env, m.config) for m in parse_members(config)]
        return float(sum(needed)) / (1 if config.own_experience else len(needed))

    def parameters(self, config: PortfolioConfig) -> dict[str, Any]:
        """Returns what the trainer reads; learning begins with the first member's."""
        begins = [learning_begins(vars(member.config)) for member in parse_members(config)]
        return super().parameters(config) | {"learning_starts": min(begins)}

    def new_agent(self, env: Any, config: PortfolioConfig, eval_env: Any) -> Any:
        """Builds the agent, and by it those of all members."""
        from cs285.agents.portfolio_agent import PortfolioAgent

        builders = [
            functools.partial(m.experiment.new_agent, config=m.config, eval_env=eval_env)
            for m in parse_members(config)
        ]
        selector = selectors.make(config.selector, len(builders), config.seed)
        return PortfolioAgent(env, builders, selector, config.own_experience)

    def load_policy(
        self, settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
    ) -> tuple[Any, Any]:
        """Returns the environment and the policy of a run's best member, from its config.json."""
        config = config_from_dict(PortfolioConfig, settings, fill_in=True)
        number, members = next(iter(weights), "").partition(".")[0], parse_members(config)
        if not number.isdecimal() or int(number) >= len(members):
            raise UserError(
                "these weights are not those of a member's policy, as policy.safetensors is"
            )
        member = members[int(number)]
        own = {name.partition(".")[2]: value for name, value in weights.items()}
        its_settings = dataclasses.asdict(member.config)
        loaded: tuple[Any, Any] = member.experiment.load_policy(its_settings, own, render)
        return loaded


EXPERIMENT = Portfolio()
main = EXPERIMENT.main
