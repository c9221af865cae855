"""A class: what was handed in by whom, its grading, the gradebook, and the course's own rules."""
