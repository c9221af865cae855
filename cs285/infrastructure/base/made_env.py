"""Which environment a run was really made in, where its id stands for a newer one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cs285.infrastructure.base.config import UserError, read_config_json, replace_config_json


def record_made_env(run_dir: Path, env_id: str, resumed: bool) -> None:
    """Writes into config.json which environment a run is really made in.

    An id that is gone stands for a newer one, so this may differ from the setting `env_name`.

    Raises:
        UserError: If the run is resumed, and was begun in another environment.
    """
    document = read_config_json(run_dir)
    before = document.get("env_made", env_id)
    if before != env_id:
        raise UserError(
            f"{run_dir} was begun in {before}, and this version of Gymnasium makes {env_id} "
            f"instead: install gymnasium {document.get('versions', {}).get('gymnasium', '')}"
        )
    if not resumed:
        replace_config_json(run_dir, document | {"env_made": env_id})


def shown_settings(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a run's settings for plots and tables: `env_name` is the environment really made.

    Args:
        document: What `read_config_json` returned. Older ones have only the name asked for.
    """
    settings: dict[str, Any] = document["settings"]
    made = document.get("env_made")
    return settings | ({"env_name": made} if made else {})
