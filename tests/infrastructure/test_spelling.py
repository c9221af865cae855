"""Flags: which one was meant, further forms of a value, and a default for each in `--help`."""

from __future__ import annotations

import dataclasses
import re

import pytest

from cs285.experiments import registry
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import RunConfig, flag
from cs285.infrastructure.base.spelling import nearest

ALGORITHMS = sorted(registry.algorithms())


def flags_of(algorithm: str) -> list[str]:
    fields = registry.flags(algorithm)
    aliases = [alias for field in fields for alias in field.metadata["aliases"]]
    return [f"--{field.name}" for field in fields] + aliases


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--learing_rate", "--learning_rate"),
        ("--lerning_rate", "--learning_rate"),
        ("--env", "--env_name"),
        ("--env-name", "--env_name"),
        ("--sed", "--seed"),
        ("--discout", "--discount"),
        ("--bufer_size", "--buffer_size"),
        ("--exp_nme", "--exp_name"),
        ("--batchsize", "--batch_size"),
        ("--theads", "--threads"),
        # Words of other programs, which no flag is like.
        ("--rewards_norm", ""),
        ("--verbose", ""),
        ("--num_workers", ""),
        ("--gradient_penalty", ""),
        ("--per", ""),
        ("--headless", ""),
        ("--per_alpha", ""),
        ("--wandb", ""),
    ],
)
def test_a_slip_is_recognised_and_another_word_is_none(typed: str, meant: str) -> None:
    assert nearest(typed, flags_of("sac")) == meant


def test_a_flag_without_like_is_refused_without_a_guess() -> None:
    """Flags share their dashes and underscores, which once made --threads of --reward_scale."""
    known = [name for name in flags_of("dqn") if "reward" not in name]
    assert nearest("--reward_scale", known) == ""
    assert nearest("--reward_scal", [*known, "--reward_scale"]) == "--reward_scale"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_help_names_every_default(algorithm: str, capsys: pytest.CaptureFixture[str]) -> None:
    config_class = registry.algorithms()[algorithm].config_class
    with pytest.raises(SystemExit):
        parse_config(config_class, ["--help"], "")
    listed = capsys.readouterr().out.partition("options:")[2]
    text = " ".join(listed.replace("\n  --", "\n  @--").split())
    places = sorted(text.index(f"@--{field.name}") for field in dataclasses.fields(config_class))
    for place, following in zip(places, [*places[1:], len(text)], strict=True):
        assert re.search(r"default: \S", text[place:following]), text[place:following]


def test_help_of_dqn_has_the_values_of_all_presets(capsys: pytest.CaptureFixture[str]) -> None:
    from cs285.configs.dqn import PRESETS, DQNConfig

    with pytest.raises(SystemExit):
        parse_config(DQNConfig, ["--help"], "")
    text = " ".join(capsys.readouterr().out.split())
    assert len(PRESETS["atari"]) >= 10
    for name in PRESETS["atari"].keys() - {"eval_epsilon"}:
        atari, images, other = (PRESETS[kind][name] for kind in ("atari", "images", "other"))
        words = f"depends on the task: {atari} in Atari games, {images} for other images, else "
        assert words + str(other) in text, name


@dataclasses.dataclass(frozen=True)
class Config(RunConfig):
    tau: float = flag(0.005, "how far", low=0.0, high=1.0)
    epochs: int = flag(10, "passes", "--repeat_times", positive=True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--polyak 0.995", Config(tau=0.005)),
        ("--polyak 1", Config(tau=0.0)),
        ("--polyak 99e-2", Config(tau=0.01)),
        ("--polyak=0", Config(tau=1.0)),
        ("--repeat_times 8.0", Config(epochs=8)),
        ("--repeat_times 8", Config(epochs=8)),
    ],
)
def test_a_value_in_another_form(line: str, expected: Config) -> None:
    config, explicit = parse_config(Config, line.split(), "")
    assert config == expected and len(explicit) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--polyak 1.5", "--tau takes a number from 0 to 1, not -0.5"),
        ("--polyak much", "--polyak takes a finite number, not 'much'"),
        ("--polyak nan", "--tau takes a finite number"),
        ("--repeat_times 2.5", "--epochs takes a whole number, not '2.5'"),
        ("--repeat_times inf", "--epochs takes a whole number, not 'inf'"),
        ("--polyak", "--polyak takes a finite number, not ''"),
    ],
)
def test_a_wrong_value_in_another_form_is_one_line(line: str, words: str) -> None:
    with pytest.raises(UserError, match=re.escape(words)):
        parse_config(Config, line.split(), "")
