"""Flags in Spinning Up's words, and how the scripts call them."""

from __future__ import annotations

from collections.abc import Sequence

from cs285.experiments import registry
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.spelling import in_our_words

STEPS_PER_EPOCH = 4000  # as in Spinning Up


def take(words: list[str], name: str) -> str | None:
    """Removes `--name value` or `--name=value` from the words, and returns the value."""
    for i, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option != f"--{name}":
            continue
        del words[i]
        if equals:
            return value
        if i < len(words):
            return words.pop(i)
        return ""  # the value is missing
    return None


def layers(words: list[str]) -> list[str]:
    """Removes --hid [64,32] and --act torch.nn.Tanh; returns the script's own flags for them."""
    hidden, activation = take(words, "hid"), take(words, "act")
    own = [] if hidden is None else ["--hid", hidden.strip("[]() ").rstrip(",")]
    if activation is not None:
        own += ["--activation", activation.rpartition(".")[2].lower()]
    return own


def number(words: list[str], name: str) -> int | None:
    """Removes `--name number` from the words, and returns it; refuses what is none."""
    text = take(words, name)
    if text is None:
        return None
    if not text.isdecimal() or int(text) == 0:
        raise UserError(f"--{name} takes a whole number above 0, not {text!r}")
    return int(text)


def length(words: list[str], flags: set[str]) -> list[str]:
    """Removes --epochs and --steps_per_epoch from the words; returns the script's own flags."""
    epochs, steps = number(words, "epochs"), number(words, "steps_per_epoch")
    if "n_iter" in flags:
        own = []
        if epochs is not None:
            own += ["--n_iter", str(epochs)]
        if steps is not None:
            own += ["--batch_size", str(steps)]
        return own
    if epochs is not None:
        return ["--num_timesteps", str(epochs * (steps or STEPS_PER_EPOCH))]
    if steps is not None:
        raise UserError(f"--steps_per_epoch {steps} means nothing without --epochs: give both")
    return []


def translated(algorithm: str, words: Sequence[str]) -> list[str]:
    """Returns the words as the script of an algorithm reads them."""
    flags = {field.name for field in registry.flags(algorithm)}
    rest = list(words)
    own = [*layers(rest), *length(rest, flags)]
    return in_our_words(rest, flags) + own
