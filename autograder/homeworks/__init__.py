"""One folder for each homework, and nothing that judges."""
