"""How a saved policy may play: the likeliest actions, or drawn ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from cs285.experiments.saved_policy import drawing, likeliest
from cs285.infrastructure.training.agent import DeterministicPolicy, EpsilonGreedyPolicy
from cs285.policies.deterministic_policy import DeterministicActor
from cs285.policies.MLP_policy import MLPPolicy
from cs285.policies.squashed_policy import SquashedPolicy
from tests.running import load_script, only_run

OBS = np.float32([0.3, -0.2, 1.0])


def actions(policy) -> set[float]:
    return {policy.get_action(OBS)[0].item() for _ in range(5)}


@pytest.mark.parametrize(
    "network", [MLPPolicy(1, 3, 1, 8), SquashedPolicy(3, 1, [8])], ids=["gaussian", "squashed"]
)
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_distribution_is_drawn_from_unless_its_mode_is_wanted(network, wrapped: bool) -> None:
    policy = DeterministicPolicy(network) if wrapped else network
    assert len(actions(drawing(policy))) == 5
    mode = network.mode(torch.from_numpy(OBS)[None]).item()
    assert list(actions(likeliest(policy))) == pytest.approx([mode])


def test_what_is_noise_for_exploration_is_never_played() -> None:
    policy = DeterministicPolicy(DeterministicActor(3, 1, [8], exploration_noise=0.5))
    assert actions(drawing(policy)) == actions(likeliest(policy))


def test_a_greedy_policy_is_as_it_is() -> None:
    class Greedy:
        def get_action(self, obs: np.ndarray) -> np.ndarray:
            return np.array([3])

    greedy = Greedy()
    policy = EpsilonGreedyPolicy(greedy, 0.5, 4)
    assert likeliest(policy) is greedy and drawing(policy) is policy and drawing(greedy) is greedy


TRAINED = {
    "run_hw4_sac": "--num_timesteps 60 --learning_starts 50 -b 8 --eval_freq -1 --threads 1",
    "run_hw5_ppo": "--env_name Pendulum-v1 -n 1 -b 60 -mb 30 --eval_episodes 1",
    "run_hw5_trpo": "--env_name Pendulum-v1 -n 1 -b 60 -mb 30 --eval_episodes 1",
}


@pytest.mark.slow
@pytest.mark.parametrize("script", TRAINED)
def test_the_flag_decides(script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*TRAINED[script].split(), "--ep_len", "30", "--data_dir", str(tmp_path)]
    assert load_script(script).main(words) == 0
    enjoy, scores = load_script("enjoy"), []
    for flags in ("-d", "-d", ""):
        capsys.readouterr()
        assert enjoy.main([str(only_run(tmp_path)), "-n", "1", "--seed", "3", *flags.split()]) == 0
        scores.append(capsys.readouterr().out.splitlines()[-1])
    assert scores[0] == scores[1] != scores[2]
