"""What a homework asks of training runs."""
