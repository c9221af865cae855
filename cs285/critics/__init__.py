"""Critics: learned estimates of how good states and actions are."""
