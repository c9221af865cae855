"""What a run reports: log.csv, events, films, the progress bar, and learning curves."""
