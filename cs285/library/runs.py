"""A run as an object: its log, its curve, its policy and its values."""

from __future__ import annotations

import functools
import html
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cs285.experiments import launch, registry
from cs285.experiments.saved_policy import POLICY
from cs285.infrastructure.base.command_line import words_in_python
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import as_flag
from cs285.infrastructure.logging.logger import last_return, read_log, rounded
from cs285.infrastructure.training.open_run import WEIGHTS, is_finished
from cs285.library import playing, show
from cs285.library.arguments import seed_of, short, whole
from cs285.library.process_state import apart, keywords_in_errors
from cs285.library.settings import config_of, experiment_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def load(run_dir: str | os.PathLike[str]) -> Run:
    """Returns a run from its folder, finished or not.

    Args:
        run_dir: The folder.

    Raises:
        cs285.Error: If it is none of a run.
    """
    return Run(run_dir)


class Run(os.PathLike[str]):
    """A training, and what it has left in its folder.

    It reads the folder when asked, so a run that another process goes on with is up to date.
    Wherever a path is wanted, it is that of the folder: `cs285.train("dqn", load=run)`.

    Attributes:
        folder: Its folder.
        algorithm: The name of its algorithm.
        settings: All its settings, as config.json has them.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Reads config.json of a run's folder; raises cs285.Error if there is none."""
        try:
            self.folder = Path(folder)
        except TypeError:
            raise UserError(f"a run is given by its folder, not by {short(folder)}") from None
        document = read_config_json(self.folder)
        self.algorithm = registry.name_of(str(document.get("script")))
        self.settings: Mapping[str, Any] = document["settings"]
        self._shown = shown_settings(document)

    @property
    def is_finished(self) -> bool:
        """Whether it has come to its end."""
        return is_finished(self.folder)

    @property
    def log(self) -> Any:
        """Its log: a DataFrame if pandas is installed, else a `Table` of columns.

        Column name -> values, shape (rows,), nan where blank: see `docs/hw3/reference.md`.
        """
        return show.table_of(read_log(self.folder))

    def curve(self) -> Figure:
        """Draws its learning curve, as a figure of matplotlib that a notebook shows.

        Raises:
            cs285.Error: If its log has no return yet.
        """
        return show.figure_of(self.folder)

    def film(self, seed: int = 0) -> show.Film:
        """Films an episode as evaluations play it, into the folder's videos/.

        Args:
            seed: Of the episode.

        Returns:
            The path of a GIF, which a notebook shows. The same is beside it as WebM.

        Raises:
            cs285.Error: If there is no policy yet, or the task cannot be rendered.
        """
        with keywords_in_errors(), apart():
            seed = seed_of(seed)
            return playing.film(self._player(render="rgb_array"), self.folder, seed)

    def policy(self, obs: Any, deterministic: bool = True) -> Any:
        """Chooses an action of the task itself, in its own bounds.

        Args:
            obs: What the task shows, or a batch of it: shape (ob_dim,) or (n, ob_dim). Of images: a
                stack of grey frames, (frames, 84, 84).
            deterministic: Whether to take the likeliest action; else it is drawn as in training,
                where the policy is a distribution.

        Returns:
            For one observation, one action: a whole number, or shape (ac_dim,). For n of them:
            shape (n,) or (n, ac_dim).

        Raises:
            cs285.Error: If there is no policy yet, or `obs` has another shape.
        """
        with keywords_in_errors():
            with apart():
                player = self._player(noise=False)
            with apart(draws=True):
                return player.actions(obs, deterministic)

    def q(self, obs: Any, ac: Any = None) -> Any:
        """Values actions by what the agent has learned: Q(s, a), in the task's reward units.

        Args:
            obs: As `policy` takes it.
            ac: An action for each observation, in the task's own bounds. With discrete actions it
                may be left out.

        Returns:
            A number for one observation, shape (n,) for n of them. Without `ac` one number for each
            action: shape (num_actions,) or (n, num_actions). Of two critics, the smaller value.

        Raises:
            cs285.Error: If the agent learns no Q, or the run is not finished.
        """
        with keywords_in_errors(), apart():
            return self._valuer().values(obs, ac)

    def v(self, obs: Any) -> Any:
        """Values states by what the critic has learned: V(s), in the task's reward units.

        That is the discounted return of the policy from s on. A baseline of policy gradient without
        `reward_to_go` has learned whole returns: the discounted return, from the first step on, of
        the episodes in which s comes.

        Args:
            obs: As `policy` takes it.

        Returns:
            A number for one observation, shape (n,) for n of them.

        Raises:
            cs285.Error: If the agent learns no V, or the run is not finished; or if it is one of
                policy gradient whose last checkpoint was not kept, which has the returns' units.
        """
        with keywords_in_errors(), apart():
            return self._valuer().state_values(obs)

    def evaluate(self, episodes: int = 10, seed: int = 0, deterministic: bool | None = None) -> Any:
        """Plays whole episodes.

        Args:
            episodes: How many.
            seed: Of the environment and of what is drawn: the same seed plays the same episodes.
            deterministic: True: likeliest actions. False: drawn ones. None: as the run's own
                evaluations, which is the former for most agents.

        Returns:
            The return of each. Shape (episodes,).

        Raises:
            cs285.Error: If there is no policy yet, or the task fails.
        """
        with keywords_in_errors(), apart():
            episodes, seed = whole("episodes", episodes, 1), seed_of(seed)
            return playing.returns(self._player(), episodes, seed, deterministic)

    def resume(self, **more: Any) -> Run:
        """Goes on from the last checkpoint, to the end or further.

        Args:
            more: A larger `num_timesteps` or `n_iter`, with which a finished run goes on too.

        Returns:
            The run, as it is afterwards.

        Raises:
            cs285.Error: If there is nothing to go on with.
        """
        settings = {**more, "resume": str(self.folder)}
        return Run(train_in_folder(self.algorithm, settings))

    def __fspath__(self) -> str:
        """Returns the path of its folder."""
        return str(self.folder)

    def __repr__(self) -> str:
        """Returns one line: what was trained, how far, and where it lies."""
        return f"<{self.algorithm} on {self._shown['env_name']}: {self._state()}; {self.folder}>"

    def _repr_html_(self) -> str:
        """Returns a table and the learning curve, for a notebook."""
        rows = {
            "algorithm": self.algorithm,
            "environment": self._shown["env_name"],
            "state": self._state(),
            "folder": self.folder,
        }
        cells = [
            f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>"
            for name, value in rows.items()
        ]
        return f"<table>{''.join(cells)}</table>{show.picture(self.folder / 'learning_curve.png')}"

    def _state(self) -> str:
        """Returns how far the run is, and its last mean return, in words."""
        words = "finished" if self.is_finished else "not finished"
        log = read_log(self.folder) if (self.folder / "log.csv").exists() else {}
        steps = log.get("Train_EnvstepsSoFar", np.empty(0))
        if len(steps):
            words += f", {np.nanmax(steps):,.0f} steps"
        name, score = last_return(log)
        return f"{words}, {name} {rounded(score)}" if name else words

    def _player(self, render: str | None = None, noise: bool = True) -> playing.Player:
        """Returns what plays the newest weights, made anew only where they have changed."""
        player: playing.Player = _newest(
            playing.Player, self.folder.absolute() / POLICY, render, noise
        )
        return player

    def _valuer(self) -> playing.Valuer:
        """Returns what values states and actions by the newest weights."""
        valuer: playing.Valuer = _newest(playing.Valuer, self.folder.absolute() / WEIGHTS)
        return valuer


def _newest(kind: Callable[..., Any], weights: Path, *how: Any) -> Any:
    """Returns what uses a run's weights, made once for each time that they are written."""
    return _used(kind, weights.parent, weights.exists() and weights.stat().st_mtime_ns, *how)


@functools.lru_cache(maxsize=8)
def _used(kind: Callable[..., Any], folder: Path, written: int, *how: Any) -> Any:
    return kind(folder, *how)


def train(algorithm: str, env: str | None = None, **settings: Any) -> Run:
    """Trains an agent, shows its progress, and returns the run.

    Everything lies in a new folder below `data_dir` ("data"), as that of a script does. The call
    works in any thread. Where two threads train, one waits for the other.

    Args:
        algorithm: Such as "dqn"; `cs285.algorithms()` returns all.
        env: Id of a Gymnasium environment; default: the algorithm's own.
        settings: Any setting of the algorithm; `cs285.settings(algorithm)` lists them.

    Returns:
        The run. One that `stop` or `target_return` ended early has `is_finished` False.

    Raises:
        cs285.Error: If a name or a value is wrong, or the task or the disk fails.
        KeyboardInterrupt: After Ctrl-C, once a checkpoint is saved; `cs285.load` finds the run.
    """
    given = settings if env is None else {"env": env, **settings}
    return Run(train_in_folder(algorithm, given))


def train_in_folder(algorithm: str, settings: Mapping[str, Any]) -> Path:
    """Trains an agent, or goes on with the run `resume`; returns the run's folder.

    Raises:
        KeyboardInterrupt: After Ctrl-C, once a checkpoint is saved.
    """
    with keywords_in_errors():
        config, explicit = config_of(algorithm, dict(settings))
        given = [name for name in vars(config) if name in explicit]
        token = words_in_python.set([w for n in given for w in as_flag(n, config[n])])
        try:
            with apart():
                status, run_dir = launch.run(experiment_of(algorithm), config, explicit)
        finally:
            words_in_python.reset(token)
    if status == launch.INTERRUPTED:
        raise KeyboardInterrupt
    return run_dir
