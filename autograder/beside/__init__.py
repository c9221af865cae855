"""A student's whole agent trains under a script, and leaves numbers to compare with ours."""
