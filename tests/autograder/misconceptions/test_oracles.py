"""What each blank's probe sees where all is right, computed a second time in NumPy."""

from __future__ import annotations

import numpy as np

from autograder.homeworks.hw3.fakes import agent, transitions
from autograder.homeworks.hw3.fakes.critic import CriticCase
from autograder.homeworks.hw3.fakes.policy import draw_case, other_advantage, update_case
from autograder.homeworks.hw3.fakes.rollouts import BOUND, FRAME
from autograder.homeworks.hw3.fakes.rollouts import drawn as rollout_drawn
from autograder.homeworks.hw3.fakes.stepping import STEPS, reward_of, script
from autograder.homeworks.hw3.fakes.trainer import drawn, settings
from autograder.homeworks.hw3.probes.advantage import cases as advantage_cases
from autograder.homeworks.hw3.probes.argmax import cases as greedy_cases
from autograder.homeworks.hw3.probes.double_q import cases as double_q_cases
from autograder.homeworks.hw3.probes.dqn_targets import cases as target_cases
from autograder.homeworks.hw3.probes.policy_forward import cases as forward_cases
from autograder.homeworks.hw3.probes.policy_forward import points
from autograder.homeworks.hw3.probes.sample_trajectory import cases as rollouts
from tests.autograder.misconceptions.records import SEED, record_of

right = record_of("hw3")


def test_double_q() -> None:
    for trial, case in double_q_cases(SEED).items():
        values = []
        for state in case.next_state[: case.asked]:
            scores = [case.online[action, state] for action in range(len(case.online))]
            values.append(case.target[int(np.argmax(scores)), state])
        np.testing.assert_allclose(right("double_q")[f"{trial}/values"], values, rtol=1e-4)


def errors(case: CriticCase) -> np.ndarray:
    """Target minus prediction, row by row."""
    found = []
    for i in range(len(case.state)):
        best = max(case.target[:, case.next_state[i]])
        future = 0.0 if case.terminal[i] else case.gamma * best
        found.append(case.reward[i] + future - case.online[case.action[i], case.state[i]])
    return np.array(found)


def test_dqn_targets() -> None:
    record = right("dqn_targets")
    for trial, case in target_cases(SEED).items():
        if case.double_q or trial == "clipped":
            continue
        slope = errors(case) if case.squared else np.clip(errors(case), -1, 1)
        slope *= np.broadcast_to(case.scale, case.states)[case.state]
        step = slope / np.linalg.norm(slope)
        np.testing.assert_allclose(record[f"{trial}/step"], step, rtol=1e-3, atol=1e-5)
        assert not record[f"{trial}/others_moved"]
        assert not record[f"{trial}/gradient_of_target"]
    assert not record["clipped/step_beyond_the_clip"]


def test_critic_update() -> None:
    """Two rounds of targets, three steps of one length down the slope of the squared error each."""
    case = transitions.value_case(SEED)
    table, moves = case.table.astype(np.float64), []
    for _ in range(2):
        future = case.gamma * (1 - case.terminal) * table[case.next_state]
        target = case.reward + future
        for _ in range(3):
            error = target - table[case.state]
            move = np.bincount(case.state, error, len(table))
            move /= np.linalg.norm(move)
            table = table + 0.1 * move
            moves.append(move[np.unique(case.state)])
    record = right("critic_update")
    np.testing.assert_allclose(
        record["several targets and steps/moves"], moves, rtol=1e-3, atol=1e-4
    )


def test_advantage() -> None:
    record = right("advantage")
    for trial, case in advantage_cases(SEED).items():
        adv_n = []
        for i, (now, then) in enumerate(zip(case.state, case.next_state, strict=True)):
            future = 0.0 if case.terminal[i] else case.gamma * case.table[then]
            adv_n.append(case.reward[i] + future - case.table[now])
        if trial == "standardized":
            adv_n = list((adv_n - np.mean(adv_n)) / np.std(adv_n))
        np.testing.assert_allclose(record[f"{trial}/adv_n"], adv_n, rtol=1e-4, atol=1e-5)


def test_ac_train() -> None:
    """Each turn's batch begins a row further on; the last one is what is kept."""
    record = dict(right("ac_train"))
    assert record.pop("train/critic_updates").tolist() == [3] * 3
    assert record.pop("train/actor_updates").tolist() == [2] * 3
    assert record.pop("train/critic_updates_before_the_actor's").tolist() == [3] * 6
    case = transitions.larger(transitions.advantage_case(SEED))
    drawn = np.random.default_rng(case.state).normal(0, 9, 7)
    np.testing.assert_allclose(record.pop("train/actor_gets_advantage"), drawn * 10, rtol=1e-4)
    for name in ("critic_gets_action", "actor_gets_action"):
        assert record.pop(f"train/{name}").shape == (7, 5)
    gets = [name for name in record if "_gets_" in name]
    assert len(gets) == 9
    for name in gets:
        array = case.arrays()[name.rpartition("gets_")[2]]
        np.testing.assert_allclose(
            record.pop(name), [array[row - 2] for row in range(7)], rtol=1e-4
        )
    assert not any(flag.any() for flag in record.values())


def test_trainer_train() -> None:
    """Three batches, all of them learned from and logged; the last one is what is kept."""
    record = {name.partition("/")[2]: array for name, array in right("trainer_train").items()}
    assert record.pop("batch_sizes").tolist() == [settings(SEED)["train_batch_size"]]
    assert record.pop("trainings") == record.pop("samples") == 3
    assert record.pop("logs").tolist() == [101, 0, 103]
    for role, array in zip(transitions.TRAIN_ORDER, drawn(SEED, 3), strict=True):
        np.testing.assert_allclose(record.pop(f"train_gets_{role}"), array, rtol=1e-4)
    assert not any(flag.any() for flag in record.values())


def test_argmax() -> None:
    values = greedy_cases(SEED)["each"].qa_values.tolist()
    best = [sorted(range(len(row)), key=row.__getitem__)[-1] for row in values]
    for trial in ("each", "images"):
        assert right("argmax")[f"{trial}/action"].tolist() == best
    assert set(right("argmax")["again/action"].tolist()) == {best[0]}


def test_dqn_sync() -> None:
    updates = [t for t in range(agent.CALLS) if t >= agent.STARTS and t % agent.LEARNING_FREQ == 0]
    record = {name.partition("/")[2]: array for name, array in right("dqn_sync").items()}
    copied = np.arange(0, len(updates), agent.TARGET_FREQ)
    np.testing.assert_array_equal(record.pop("updates_between_copies"), np.unique(np.diff(copied)))
    fraction = record.pop("copied weights, but for whole numbers")
    np.testing.assert_allclose(fraction, [agent.weight(SEED, 0) % 1], rtol=1e-4)
    assert not any(flag.any() for flag in record.values())


def test_dqn_update() -> None:
    """Nothing is to be seen where all is right; any one array tells itself from all others."""
    record = dict(right("dqn_update"))
    sums = [agent.batch(SEED)[role].sum() for role in sorted(transitions.UPDATE_ORDER)]
    found = record.pop("calls/sums of what an update should be given")
    np.testing.assert_allclose(found, sums, rtol=1e-4)
    assert not any(flag.any() for flag in record.values())
    arrays = agent.batch(SEED)
    for role, array in arrays.items():
        changes = [array[::-1], array.clip(-1, 1), abs(array), array.round(), array[:1]]
        whole = {"terminal": 1, "action": 2}.get(role)  # what these changes leave as it is
        changes = changes[:whole] if whole else changes
        for other in [*changes, *(a for r, a in arrays.items() if r != role)]:
            assert not np.array_equal(array, other)


def test_policy_forward() -> None:
    record = right("policy_forward")
    for name, case in forward_cases(SEED).items():
        if case.discrete:
            logits = case.logits[:, case.state].astype(np.float64)
            logits -= logits.max(0)
            log_prob = np.log(np.exp(logits) / np.exp(logits).sum(0))
        else:
            z = (points(case).numpy() - case.mean[:, case.state].T) / case.spread
            log_prob = -(z**2 / 2 + np.log(case.spread) + np.log(2 * np.pi) / 2).sum(-1)
        np.testing.assert_allclose(record[f"{name}/log_prob"], log_prob, rtol=1e-4)
        assert not record[f"{name}/components_apart"]


def test_policy_update() -> None:
    """A step of one length along the sum of A_i * grad log pi(a_i | s_i)."""
    record, case = right("policy_update"), update_case(SEED)
    for when, other in (("", case), (", again", other_advantage(case))):
        logits, mean, logstd = np.zeros((5, 17)), np.zeros((3, 17)), np.zeros(3)
        for i, (s, a) in enumerate(zip(case.state, case.choice, strict=True)):
            p = np.exp(case.logits[:, s]) / np.exp(case.logits[:, s]).sum()
            logits[:, s] += other.advantage[i] * (np.arange(5) == a) - other.advantage[i] * p
            z = (case.move[i] - case.mean[:, s]) / case.spread
            mean[:, s] += other.advantage[i] * z / case.spread
            logstd += other.advantage[i] * (z**2 - 1)
        found = {"discrete": [logits * case.scale], "continuous": [mean * case.scale, logstd]}
        for kind, parts in found.items():
            step = np.concatenate([part.ravel() for part in parts])
            expected = step / np.linalg.norm(step)
            np.testing.assert_allclose(
                record[f"{kind}{when}/change"], expected, rtol=1e-3, atol=1e-5
            )


def test_dqn_act() -> None:
    """Each step stores one frame, the present one, and is random as often as it may be."""
    for name, array in right("dqn_act").items():
        when, _, what = name.partition("/")
        share = 1.0 if when.startswith("before") else float(when.split()[2].strip(","))
        expected = dict.fromkeys(["number", "frame", "its", "shown"], [1])
        expected |= {"epsilon": [0], "time": [0], "share": [share], "random": [0, 1, 2, 4]}
        expected |= {"shown": []} if share == 1 else {}  # the actor need not be asked there
        of_chance = {
            "share of each random action, roughly": [share / 5] * 4,
            "random actions are the same in every run": 0,
            "random actions never are what the actor would choose": 0,
        }
        if what in of_chance:
            np.testing.assert_allclose(array, of_chance[what])
            continue
        if what.startswith("first"):
            asked = not (share and what.endswith("actor"))
            assert array.size == asked and (array > 0).all()
            continue
        assert array.tolist() == expected[what.split()[0]], name


def test_dqn_step() -> None:
    record = right("dqn_step").items()
    short = {name.partition("/")[2].split()[0]: array.tolist() for name, array in record}
    ends = script(SEED)
    assert short.pop("reward") == [reward_of(SEED, step) for step in range(STEPS)]
    assert short.pop("done") == [terminated for terminated, _ in ends]
    assert short.pop("reset") == [any(end) for end in ends]
    assert short.pop("last_obs") == [1 + any(end) for end in ends]
    assert short.pop("number") == [1] * STEPS
    assert not any(any(values) for values in short.values())


def test_policy_action() -> None:
    record, case = right("policy_action"), draw_case(SEED)
    powers = np.exp(case.logits[:, case.state[:2]].T)
    chances = powers / powers.sum(1, keepdims=True)
    shares = record["discrete, many at once/share_of_each_action"][:, :-2]
    np.testing.assert_allclose(shares, chances, rtol=1e-4)
    for flag in ("mean_is_the_policys", "spread_is_the_policys", "by_chance"):
        assert record[f"continuous, many at once/{flag}"]


def test_sample_trajectory() -> None:
    """Frames follow each other, and the first of a path is the one that a reset returned."""
    record = right("sample_trajectory")
    frames, _, rewards = rollout_drawn(SEED)
    for name, episode in rollouts(SEED).items():
        if episode is None:
            continue
        steps = min(episode.end, episode.limit)
        path = {key.split("'")[1]: record[key] for key in record if key.startswith(f"{name}/path")}
        ended = [episode.terminated and t == episode.end for t in range(1, steps + 1)]
        np.testing.assert_array_equal(path["terminal"], ended)
        np.testing.assert_allclose(path["reward"], rewards[1 : steps + 1], rtol=1e-5)
        action = path["action"].clip(-BOUND, BOUND) if episode.components else path["action"]
        np.testing.assert_allclose(action, record[f"{name}/action_taken"], rtol=1e-5)
        if episode.like is not FRAME:
            np.testing.assert_allclose(path["observation"], frames[:steps, :3], rtol=1e-5)
            after = frames[1 : steps + 1, :3]
            np.testing.assert_allclose(path["next_observation"], after, rtol=1e-5)
