"""A run: its settings, its folder, its checkpoints, and what every agent is to the trainer."""
