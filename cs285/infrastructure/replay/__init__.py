"""What agents remember: frames, transitions, or the paths of an iteration."""
