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


def layers(words: list[str], flags: set[str], algorithm: str) -> list[str]:
    """Removes --hid and --act from the words, and returns the script's own flags for them.

    Raises:
        UserError: If its networks can't be built so.
    """
    hidden, activation = take(words, "hid"), take(words, "act")
    own = [] if hidden is None else sizes(hidden, flags, algorithm)
    if activation is None:
        return own
    name = activation.rpartition(".")[2].lower()
    if "activation" in flags:
        return [*own, "--activation", name]
    fixed = "relu" if algorithm == "portfolio" else "tanh"
    if name != fixed:
        raise UserError(f"--act {activation}: what follows the layers of {algorithm} is fixed")
    return own


def sizes(hidden: str, flags: set[str], algorithm: str) -> list[str]:
    """Returns the script's own flags for hidden layers such as "[64,32]".

    Raises:
        UserError: If the sizes differ, and the script has one size for all.
    """
    units = hidden.strip("[]() ").rstrip(",")
    if "hidden" in flags:
        return ["--hid", units]
    each = units.split(",")
    if len(set(each)) > 1:
        raise UserError(f"--hid {hidden}: the hidden layers of {algorithm} are of one size")
    return ["-l", str(len(each)), "-s", each[0].strip()]


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
    own = [*layers(rest, flags, algorithm), *length(rest, flags)]
    return in_our_words(rest, flags) + own
