"""A student's whole agents beside ours: bodies that were written before the run existed."""
