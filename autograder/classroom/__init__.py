"""A class: its submissions, its grading, the gradebook, and the course's own rules."""
