"""What stands in for a blank's neighbours while a probe runs."""
