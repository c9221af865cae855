"""Every way to change an honest run, and the mistake that it must be known by."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from tests.autograder.evidence.run_folders import balancing, document, edit_log, edit_settings, save


def beyond_the_task(run: Path) -> None:
    edit_log(run, "Eval_AverageReturn", -1, "500.0")


def overflowing(run: Path) -> None:
    """Sums of such returns are infinite, and infinity is no less than any claim."""
    random_weights(run)
    edit_log(run, "Eval_AverageReturn", -1, "1e308")


def episodes_without_length(run: Path) -> None:
    edit_log(run, "Eval_AverageEpLen", -1, "1e-300")


def not_a_number(run: Path) -> None:
    edit_log(run, "Eval_AverageReturn", -1, "nan")


def no_length(run: Path) -> None:
    edit_log(run, "Eval_AverageEpLen", -1, "")


def no_curve(run: Path) -> None:
    text = (run / "log.csv").read_text()
    (run / "log.csv").write_text(text.replace("Eval_AverageReturn", "My_Return"))


def steps_of_no_number(run: Path) -> None:
    edit_log(run, "Step", -1, "nan")


def more_steps(run: Path) -> None:
    edit_settings(run, n_iter=300)


def cut_off(run: Path) -> None:
    text = (run / "log.csv").read_text()
    (run / "log.csv").write_text(text[: len(text) * 3 // 4])


def planned_short(run: Path) -> None:
    edit_settings(run, n_iter=50)
    lines = (run / "log.csv").read_text().splitlines(keepends=True)
    (run / "log.csv").write_text("".join(lines[:7]))


def other_setting(run: Path) -> None:
    edit_settings(run, num_target_updates=100)


def loaded_weights(run: Path) -> None:
    edit_settings(run, load="data/hw3_of_a_friend")


def other_task(run: Path) -> None:
    edit_settings(run, env_name="Acrobot-v1")


def easier_task(run: Path) -> None:
    edit_settings(run, env_kwargs={"sutton_barto_reward": True})


def other_script(run: Path) -> None:
    (run / "config.json").write_text(json.dumps(document("python scripts/run_hw3_dqn.py")))


def random_weights(run: Path) -> None:
    weights = balancing(3.0)
    rng = np.random.default_rng(3)
    save(run, {k: rng.normal(0, 0.5, v.shape).astype(np.float32) for k, v in weights.items()})


def weaker_weights(run: Path) -> None:
    save(run, balancing(0.3))


def fresh_weights(run: Path) -> None:
    rng = np.random.default_rng(3)
    found = {}
    for name, array in balancing(1.0).items():
        edge = 0.125 if ".0." not in name else 0.5
        found[name] = rng.uniform(-edge, edge, array.shape).astype(np.float32)
    save(run, found)


def one_cell_moved(run: Path) -> None:
    """Weights as they were drawn, but for one number in each layer."""
    fresh_weights(run)
    found = load_file(run / "policy.safetensors")
    for name in found:
        found[name].flat[0] = 3.0
    save(run, found)


def evaluations_of_a_step(run: Path) -> None:
    """A claim of one episode is likely, whatever it is."""
    edit_settings(run, eval_episodes=1)


def evaluations_of_a_step_before(run: Path) -> None:
    """The same, as a version would have written it that counted steps."""
    edit_settings(run, eval_batch_size=1)


def weights_of_another_task(run: Path) -> None:
    weights = balancing(12.0)
    save(run, weights | {"logits_na.0.weight": np.zeros((64, 8), np.float32)})


def weights_of_another_type(run: Path) -> None:
    save(run, {name: array.astype(np.float64) for name, array in balancing(12.0).items()})


def weights_not_finite(run: Path) -> None:
    save(run, balancing(12.0) | {"logits_na.4.bias": np.array([np.nan, 0], np.float32)})


def weights_too_many(run: Path) -> None:
    save(run, balancing(12.0) | {"more": np.zeros(3, np.float32)})


def no_weights(run: Path) -> None:
    (run / "policy.safetensors").unlink()


def lying_header(run: Path) -> None:
    data = (run / "policy.safetensors").read_bytes()
    (run / "policy.safetensors").write_bytes(struct.pack("<Q", 2**62) + data[8:])


def overlapping_header(run: Path) -> None:
    weights = balancing(12.0)
    head = {k: {"dtype": "F32", "shape": v.shape, "data_offsets": [0, v.nbytes]}
            for k, v in weights.items()}  # fmt: skip
    text = json.dumps(head).encode()
    data = struct.pack("<Q", len(text)) + text + b"\0" * 18_000
    (run / "policy.safetensors").write_bytes(data)


def pickled(run: Path) -> None:
    (run / "policy.safetensors").write_bytes(b"\x80\x04cos\nsystem\n(S'touch /tmp/x'\ntR.")


def no_log(run: Path) -> None:
    (run / "log.csv").unlink()


def no_config(run: Path) -> None:
    (run / "config.json").unlink()


def empty_log(run: Path) -> None:
    (run / "log.csv").write_text("")


def binary_log(run: Path) -> None:
    (run / "log.csv").write_bytes(bytes(range(256)) * 100)


def million_columns(run: Path) -> None:
    (run / "log.csv").write_text("Step" + ",a" * 1_000_000 + "\n1" + ",1" * 1_000_000 + "\n")


def million_rows(run: Path) -> None:
    (run / "log.csv").write_text("Step\n" + "1\n" * 1_000_000)


def words_for_numbers(run: Path) -> None:
    edit_log(run, "Critic_Loss", 2, "__import__('os')")


def huge_log(run: Path) -> None:
    with (run / "log.csv").open("r+b") as file:  # sparse: it takes no room
        file.truncate(2**40)


def huge_weights(run: Path) -> None:
    with (run / "policy.safetensors").open("r+b") as file:
        file.truncate(2**40)


def linked_log(run: Path) -> None:
    (run / "log.csv").rename(run / "other.csv")
    (run / "log.csv").symlink_to("other.csv")


def linked_device(run: Path) -> None:
    (run / "policy.safetensors").unlink()
    (run / "policy.safetensors").symlink_to("/dev/zero")


def pipe(run: Path) -> None:
    (run / "config.json").unlink()
    os.mkfifo(run / "config.json")


def folder_for_file(run: Path) -> None:
    (run / "log.csv").unlink()
    (run / "log.csv").mkdir()


def linked_folder(run: Path) -> None:
    run.rename(run.parent / "elsewhere")
    run.symlink_to("elsewhere")


def deep_json(run: Path) -> None:
    (run / "config.json").write_text("[" * 60_000)


def doubled_key(run: Path) -> None:
    text = (run / "config.json").read_text()
    (run / "config.json").write_text(text.replace('"seed": 1', '"seed": 1, "seed": 1'))


def infinite_json(run: Path) -> None:
    text = (run / "config.json").read_text()
    (run / "config.json").write_text(text.replace('"discount": 1.0', '"discount": 1e999'))


def huge_number(run: Path) -> None:
    text = (run / "config.json").read_text()
    (run / "config.json").write_text(text.replace('"seed": 1', '"seed": ' + "9" * 5000))


def listed_setting(run: Path) -> None:
    edit_settings(run, env_name=["CartPole-v0"])


KINDS: list[tuple[Callable[[Path], None], str]] = [
    (beyond_the_task, "impossible"),
    (overflowing, "impossible"),
    (episodes_without_length, "impossible"),
    (not_a_number, "missing"),
    (no_length, "missing"),
    (no_curve, "missing"),
    (steps_of_no_number, "unfinished"),
    (more_steps, "too_many_steps"),
    (cut_off, "unfinished"),
    (planned_short, "too_short"),
    (other_setting, "wrong_setting"),
    (loaded_weights, "wrong_setting"),
    (other_task, "wrong_setting"),
    (easier_task, "wrong_setting"),
    (other_script, "wrong_setting"),
    (random_weights, "weights_below_claim"),
    (weaker_weights, "weights_below_claim"),
    (fresh_weights, "weights_untrained"),
    (one_cell_moved, "weights_untrained"),
    (evaluations_of_a_step, "wrong_setting"),
    (evaluations_of_a_step_before, "wrong_setting"),
    (weights_of_another_task, "weights_do_not_fit"),
    (weights_of_another_type, "weights_do_not_fit"),
    (weights_not_finite, "weights_do_not_fit"),
    (weights_too_many, "weights_do_not_fit"),
    (no_weights, "missing"),
    (lying_header, "weights_do_not_fit"),
    (overlapping_header, "weights_do_not_fit"),
    (pickled, "weights_do_not_fit"),
    (no_log, "missing"),
    (no_config, "missing"),
    (empty_log, "unreadable"),
    (binary_log, "unreadable"),
    (million_columns, "unreadable"),
    (million_rows, "unreadable"),
    (words_for_numbers, "unreadable"),
    (huge_log, "unreadable"),
    (huge_weights, "unreadable"),
    (linked_log, "unreadable"),
    (linked_device, "unreadable"),
    (pipe, "unreadable"),
    (folder_for_file, "unreadable"),
    (linked_folder, "unreadable"),
    (deep_json, "unreadable"),
    (doubled_key, "unreadable"),
    (infinite_json, "unreadable"),
    (huge_number, "unreadable"),
    (listed_setting, "unreadable"),
]
