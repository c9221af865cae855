"""Which environment a run was really made in, where its id stands for a newer one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.config import read_config_json, replace_config_json
from cs285.infrastructure.base.errors import UserError

FOLDER = "env_folder"
"""The key in config.json of the folder in which the environment's own module was found."""


def look_where_found(document: Mapping[str, Any]) -> bool:
    """Lets Python find the module of a run's environment, also where it was when the run began.

    Args:
        document: What `read_config_json` returned.

    Returns:
        Whether the run has such a module.
    """
    before = document.get(FOLDER)
    if before is not None:
        own_module.look_in(Path.cwd())
        own_module.look_in(Path(before))
    return before is not None


def find_module_again(document: Mapping[str, Any]) -> None:
    """Lets the module of a run's environment be found from any folder.

    It is looked for in the working directory first, then where it was when the run began. Prints
    a note if these two are different modules.

    Args:
        document: What `read_config_json` returned.

    Raises:
        UserError: If there is no such module, or it cannot be imported.
    """
    if not look_where_found(document):
        return
    before = document[FOLDER]
    env_name = str(document["settings"].get("env_name"))
    own_module.load(env_name)
    now = own_module.folder_of(env_name)
    if now is not None and now != Path(before):
        sys.stderr.write(
            f"note: {env_name} is that of {now}; the run began with that of {before}\n"
        )


def record_made_env(run_dir: Path, env_id: str, goes_on: bool) -> None:
    """Writes into config.json which environment a run is really made in, and where its module is.

    An id that is gone stands for a newer one, so the former may differ from the setting `env_name`.

    Args:
        run_dir: Of the run.
        env_id: The environment's id, as Gymnasium made it.
        goes_on: Whether the run goes on from a checkpoint. An older version may have begun such a
            run without this record, and its environment stays unknown.

    Raises:
        UserError: If the run was begun in another environment.
    """
    document = read_config_json(run_dir)
    before = document.get("env_made", env_id)
    if before != env_id:
        raise UserError(
            f"{run_dir} was begun in {before}, and this version of Gymnasium makes {env_id} "
            f"instead: install gymnasium {document.get('versions', {}).get('gymnasium', '')}"
        )
    found = {} if goes_on else {"env_made": env_id}
    folder = own_module.folder_of(str(document["settings"].get("env_name")))
    if folder is not None:
        found[FOLDER] = str(folder)
    if any(document.get(name) != value for name, value in found.items()):
        replace_config_json(run_dir, document | found)


def shown_settings(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a run's settings for plots and tables: `env_name` is the task really made.

    It has the module of somebody's own environment, and what the environment was made with: tasks
    that differ in these are different ones. So there is no setting `env_kwargs`.

    Args:
        document: What `read_config_json` returned. Older ones have only the name asked for.
    """
    settings: dict[str, Any] = dict(document["settings"])
    asked = str(settings.get("env_name", ""))
    module = own_module.module_of(asked)
    made = document.get("env_made") or asked.removeprefix(f"{module}:")
    name = f"{module}:{made}" if module else made
    kwargs = settings.pop("env_kwargs", None)
    return settings | {"env_name": f"{name} {json.dumps(kwargs)}" if kwargs else name}
