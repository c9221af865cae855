"""The heart of the grader: what is asked of a blank, and naming mistakes; it knows no homework."""
