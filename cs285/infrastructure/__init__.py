"""The parts that every algorithm needs: environments, memory, the loop, logs, checkpoints."""
