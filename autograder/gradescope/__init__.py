"""Grading on Gradescope: the zip that is uploaded there, and what runs when a student hands in."""
