"""What every algorithm stands on: environments, memory, the training loop, logs, checkpoints."""
