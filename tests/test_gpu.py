"""Training on a GPU: a run is stopped, goes on and is evaluated. Skipped where no GPU is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
import torch

from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import load_script, only_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that torch can use is here"),
]
OFTEN = "--eval_freq 100 --eval_episodes 1 --scalar_log_freq 100 --num_timesteps 400"
RUNS = {
    "run_hw3_dqn": f"--env_name CartPole-v1 --learning_starts 50 --buffer_size 1000 {OFTEN}",
    "run_hw4_sac": f"--env_name Pendulum-v1 --learning_starts 50 --hid 16 -b 32 {OFTEN}",
}


@pytest.mark.parametrize("script", RUNS)
def test_a_run_on_a_gpu_is_stopped_goes_on_and_is_evaluated(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = RL_Trainer.perform_logging

    def stop_in_the_middle(trainer: Any, itr: int, *rest: Any) -> None:
        if itr == 250:
            trainer.run.stop_requested = "stopped by the test"
        real(trainer, itr, *rest)

    main = load_script(script).main
    with monkeypatch.context() as patch:
        patch.setattr(RL_Trainer, "perform_logging", stop_in_the_middle)
        assert main([*RUNS[script].split(), "--data_dir", str(tmp_path)]) == 0
    assert ptu.device.type == "cuda"
    run_dir = only_run(tmp_path)
    assert main(["--resume", str(run_dir)]) == 0
    assert ptu.device.type == "cuda"
    log = read_log(run_dir)
    assert log["Step"].tolist() == [0, 100, 200, 300, 400]
    assert np.isfinite(log["Eval_AverageReturn"]).all()
    for weights in safetensors.numpy.load_file(run_dir / "weights.safetensors").values():
        assert np.isfinite(weights).all()
    ptu.init_gpu(use_gpu=False)
