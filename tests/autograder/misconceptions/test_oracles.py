"""What each blank's probe sees where all is right, computed a second time in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.running.declared import load
from autograder.running.declared_cases import DRAWS
from tests.autograder.misconceptions.records import SEED, record_of

right = record_of("hw3")


def but_draws(name: str) -> dict[str, np.ndarray]:
    """Returns the record of right code without further draws of the usual case."""
    return {n: array for n, array in right(name).items() if not n.startswith(DRAWS)}


def cases(name: str) -> Mapping[str, Any]:
    """The cases of a blank, by name."""
    found: Mapping[str, Any] = load(f"autograder.homeworks.hw3.probes.{name}").cases(SEED)
    return found


def test_double_q() -> None:
    for trial, case in cases("double_q").items():
        values = []
        for ob in case.next_ob_no:
            best = int(np.argmax(case.q_net @ ob))
            values.append((case.q_net_target @ ob)[best])
        np.testing.assert_allclose(right("double_q")[f"{trial}/values"], values, rtol=1e-4)


def bellman(case: Any) -> np.ndarray:
    """Reward plus the discounted largest value, row by row."""
    found = []
    for reward, end, ob in zip(case.reward_n, case.terminal_n, case.next_ob_no, strict=True):
        found.append(reward + (0.0 if end else case.gamma * max(case.q_net_target @ ob)))
    return np.array(found)


def test_dqn_targets() -> None:
    record = right("dqn_targets")
    for trial, case in cases("dqn_targets").items():
        if case.double_q:
            continue
        np.testing.assert_allclose(record[f"{trial}/targets"][0], bellman(case), rtol=1e-4)
        assert not record[f"{trial}/gradient_of_target"].any()
        assert not record[f"{trial}/step_beyond_the_clip"].any()
        if trial == "usual":
            slope = np.zeros((5, 23))
            error = bellman(case) - case.q_net[case.ac_n, range(11)]
            slope[case.ac_n, range(11)] = np.clip(error, -1, 1)
            step = slope.ravel() / np.linalg.norm(slope)
            found = record[f"{trial}/the direction of the step"][0]
            np.testing.assert_allclose(found, step, rtol=1e-3, atol=1e-5)


def test_critic_update() -> None:
    """Two rounds of targets, three steps of one length down the slope of the squared error each."""
    case = cases("critic_update")["several targets and steps"]
    weight, moves = case.v_s.astype(np.float64) / case.scale_s, []
    for _ in range(2):
        future = case.gamma * (1 - case.terminal_n) * (weight * case.scale_s)[case.next_n]
        target = case.reward_n + future
        for _ in range(3):
            move = np.zeros(9)
            move[:7] = (target - (weight * case.scale_s)[:7]) * case.scale_s[:7]
            move /= np.linalg.norm(move)
            weight = weight + 0.1 * move
            moves.append(move)
    record = right("critic_update")
    found = record["several targets and steps/moves"][0]
    np.testing.assert_allclose(found, moves, rtol=1e-3, atol=1e-4)


def test_advantage() -> None:
    record = right("advantage")
    for trial, case in cases("advantage").items():
        adv_n = []
        for reward, end, now, then in zip(
            case.re_n, case.terminal_n, case.v_n, case.next_v_n, strict=True
        ):
            adv_n.append(reward + (0.0 if end else case.gamma * then) - now)
        if trial == "standardized":
            adv_n = list((adv_n - np.mean(adv_n)) / np.std(adv_n))
        np.testing.assert_allclose(record[f"{trial}/adv_n"][0], adv_n, rtol=1e-4, atol=1e-5)


def test_ac_train() -> None:
    """Advantages are those after the last of three updates of the critic in each turn."""
    record, case = but_draws("ac_train"), cases("ac_train")["usual"]
    assert record["usual/critic_updates"].tolist() == [3] * 3
    assert record["usual/actor_updates"].tolist() == [2] * 3
    assert record["usual/critic_updates_before_the_actor's"].tolist() == [[3, 3]] * 3
    for turn, advantage in enumerate(case.adv_tn):
        found = record["usual/actor_gets_advantage"][turn]
        np.testing.assert_allclose(found, advantage * (4 + 3 * turn), rtol=1e-4)
    roles = {"obs": "ob_tno", "action": "ac_tna", "next_obs": "next_ob_tno", "reward": "re_tn"}
    for role, name in roles.items():
        found = record[f"usual/critic_gets_{role}"]
        np.testing.assert_allclose(found, getattr(case, name), rtol=1e-4)
    flags = [name for name in record if "Loss" in name or "losses" in name]
    assert len(flags) == 14 and not any(record[name].any() for name in flags)


def test_trainer_train() -> None:
    """Three batches in each turn, all of them learned from and logged."""
    record, case = right("trainer_train"), cases("trainer_train")["usual"]
    for what in ("trainings", "number of batches that are sampled"):
        assert record[f"usual/{what}"].tolist() == [3] * 3
    assert record["usual/batch_sizes"].tolist() == [[case.params["train_batch_size"]]] * 3
    logs = [[100.0 + n if n % 3 != 1 else 0 for n in range(k, k + 3)] for k in (0, 3, 6)]
    assert record["usual/logs"].tolist() == logs
    last = [2, 5, 8]
    for role, array in {"obs": case.ob_tno, "reward": case.re_tn, "action": case.ac_tna}.items():
        np.testing.assert_allclose(record[f"usual/train_gets_{role}"], array[last], rtol=1e-4)


def test_argmax() -> None:
    values = cases("argmax")["usual"].qa_na.tolist()
    best = [sorted(range(len(row)), key=row.__getitem__)[-1] for row in values]
    for trial in ("usual", "images"):
        assert right("argmax")[f"{trial}/action"].tolist() == best
    assert right("argmax")["several rows/action"].tolist() == [best]
    assert set(right("argmax")["again/action"].tolist()) == {best[0]}


def test_dqn_sync() -> None:
    """A target network is 0 to 5 updates old, each as often as the others."""
    record = but_draws("dqn_sync")
    ages = record.pop("usual/updates since the last copy, in order of size")
    assert ages[:, 0].tolist() == [age for age in range(6) for _ in range(4)]
    assert (ages == ages[:, :1]).all()
    assert record.pop("usual/the target network is copied more than once")
    fraction = record.pop("usual/copied weights, but for whole numbers")
    np.testing.assert_allclose(fraction, [cases("dqn_sync")["usual"].fraction], rtol=1e-4)
    assert not any(flag.any() for flag in record.values())


def test_dqn_update() -> None:
    """Any one array of a batch differs from all others, and from what is made of it."""
    record, case = right("dqn_update"), cases("dqn_update")["usual"]
    assert record["usual/sum of the batch"].shape == (9,)
    for flag in ("updates_missing", "updates_repeated", "other_data", "arguments_swapped"):
        assert not record[f"usual/{flag}"].any()
    for ob, re, next_ob in zip(case.ob_tno, case.re_tn, case.next_ob_tno, strict=True):
        for array in (ob, re, next_ob):
            changes = [array[::-1], array.clip(-1, 1), abs(array), array.round(), array[:1]]
            assert not any(np.array_equal(array, other) for other in changes)
        assert not np.array_equal(ob, next_ob)


def test_policy_forward() -> None:
    record = right("policy_forward")
    for name, case in cases("policy_forward").items():
        rows = len(case.ob_no)
        if case.discrete:
            logits = case.logits_as[:, :rows].astype(np.float64)
            logits -= logits.max(0)
            log_prob = np.log(np.exp(logits) / np.exp(logits).sum(0))
        else:
            z = (case.move_knc - case.mean_cs[:, :rows].T) / np.exp(case.logstd_c)
            log_prob = -(z**2 / 2 + case.logstd_c + np.log(2 * np.pi) / 2).sum(-1)
        np.testing.assert_allclose(record[f"{name}/log_prob"], log_prob, rtol=1e-4, atol=1e-6)


def test_policy_update() -> None:
    """A step of one length along the sum of A_i * grad log pi(a_i | s_i)."""
    record, case = right("policy_update"), cases("policy_update")["usual"]
    for turn, advantage in enumerate((case.adv_n, case.other_n)):
        logits, mean, logstd = np.zeros((5, 17)), np.zeros((3, 17)), np.zeros(3)
        for i, (a, adv) in enumerate(zip(case.choice_n, advantage, strict=True)):
            p = np.exp(case.logits_as[:, i]) / np.exp(case.logits_as[:, i]).sum()
            logits[:, i] += adv * (np.arange(5) == a) - adv * p
            z = (case.move_nc[i] - case.mean_cs[:, i]) / case.spread_c
            mean[:, i] += adv * z / case.spread_c
            logstd += adv * (z**2 - 1)
        found = {"usual": [logits * case.scale_s], "continuous": [mean * case.scale_s, logstd]}
        for kind, parts in found.items():
            step = np.concatenate([part.ravel() for part in parts])
            expected = step / np.linalg.norm(step)
            moved = record[f"{kind}/the direction of the step"][turn]
            np.testing.assert_allclose(moved, expected, rtol=1e-3, atol=1e-5)


def test_dqn_act() -> None:
    """Each step stores one frame, the present one, and is random as often as it may be."""
    every = cases("dqn_act")
    for name, array in right("dqn_act").items():
        when, _, what = name.partition("/")
        share = every[when].share if when in every else 0.0
        expected: dict[str, list[float]] = {
            **dict.fromkeys(["number", "the", "its", "shown"], [1]),
            "random actions": [0, 1, 2, 4] if share else [],
            "share of each": [share / 5] * 4 if share else [0] * 4,
        }
        if what.startswith("share of random"):
            np.testing.assert_allclose(array, share)
        elif what.startswith("share of each"):
            np.testing.assert_allclose(array, expected["share of each"])
        elif what == "random actions":
            assert array.tolist() == expected[what]
        elif what == "first frame stored":
            assert array.size == (share in (0, 1))
        elif what.startswith("shown"):
            assert array.tolist() == ([] if share == 1 else [1])
        elif what.split()[0] in expected:
            assert array.tolist() == expected[what.split()[0]], name
        else:
            assert not array.any(), name


def test_dqn_step() -> None:
    record, case = but_draws("dqn_step").items(), cases("dqn_step")["usual"]
    short = {name.partition("/")[2].split()[0]: array.tolist() for name, array in record}
    np.testing.assert_allclose(np.ravel(short.pop("reward")), case.reward_n, rtol=1e-4)
    assert np.ravel(short.pop("done")).tolist() == [terminated for terminated, _ in case.ends]
    assert short.pop("reset") == [any(end) for end in case.ends]
    assert short.pop("last_obs") == [1 + any(end) for end in case.ends]
    assert short.pop("number") == [1] * len(case.ends)
    assert not any(np.any(values) for values in short.values())


def test_policy_action() -> None:
    record, case = right("policy_action"), cases("policy_action")["discrete, many at once"]
    powers = np.exp(case.logits[:, :2].T)
    chances = powers / powers.sum(1, keepdims=True)
    shares = record["discrete, many at once/share_of_each_action"][:, :-2]
    np.testing.assert_allclose(shares, chances, rtol=1e-4)
    for flag in ("mean_is_the_policys", "spread_is_the_policys", "by_chance"):
        assert record[f"continuous, many at once/{flag}"]


def test_sample_trajectory() -> None:
    """Frames follow each other, and the first of a path is the one that a reset returned."""
    record = right("sample_trajectory")
    for name, case in cases("sample_trajectory").items():
        steps = int(min(case.end, case.limit))
        path = {key.split("'")[1]: record[key] for key in record if key.startswith(f"{name}/path")}
        ended = [case.terminated and t == case.end for t in range(1, steps + 1)]
        np.testing.assert_array_equal(path["terminal"], [ended] * 2)
        rewards = case.reward_n[1 : steps + 1]
        np.testing.assert_allclose(path["reward"], [rewards] * 2, rtol=1e-5)
        action = path["action"].clip(-2, 2) if case.components else path["action"]
        np.testing.assert_allclose(action, record[f"{name}/action_taken"], rtol=1e-5)
        if not case.pixels:
            frames = case.numbers[:, :3]
            np.testing.assert_allclose(path["observation"][0], frames[:steps], rtol=1e-5)
            after = frames[1 : steps + 1]
            np.testing.assert_allclose(path["next_observation"][0], after, rtol=1e-5)
