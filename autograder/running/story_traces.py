"""Names that whoever runs a story writes into its record, and whoever judges it reads."""

BECAUSE = " because of "
"""Stands between the name of a training that crashed and the blank on whose line that was."""
AS_GIVEN = " (with the files that were given)"
"""Ends the name of a training with the student's blanks alone."""
REWRITTEN = "rewritten"
"""A stream of a crash where given code was rewritten: only a blank's fault counts."""
RAISED_IN = "raised in"
"""A stream of a crash: the number of the innermost part that raised."""
GIVEN, RETURNED, GRADIENT, LEFT = "given", "returned", "gradient", "left"
BEHIND, TRAINED, KEEPS = "left behind", "trained", "keeps"
"""What is noted of a call: the name of a stream is that of the part, and one of these."""
BEFORE = "returned before"
"""What is noted of a call, too: whether it has changed what the one before it had returned."""
WEIGHTS, KINDS, HELD = " weights", " kinds", " self."
"""How such a name goes on: of a network, of kinds of things, of a number that an object holds."""
PROJECTIONS = 16  # of each change of a network
IF_CHANGED = (HELD, BEFORE, f" {LEFT}")
"""In names of streams that have a row only where something is another one than before."""
TIME, NUMBER, CALLER, FIRST = range(4)
"""Columns of a row: updates before it, its own number in time, the part that was running, and the
first one of its own."""
