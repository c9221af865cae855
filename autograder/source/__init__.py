"""A student's files, our files, and which is which."""
