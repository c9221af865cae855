"""The autograder: probes what a student's code does, and names the mistakes that explain it."""
