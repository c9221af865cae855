"""A run: its folder and checkpoints, segments of play, and what every agent is to the trainer."""
