"""Where a student's code runs, and how the grader talks to it."""
