"""Names that whoever runs a whole training writes into its record, and whoever judges it reads."""

AS_GIVEN = " (with the files that were given)"  # ends the name of a trial
CONTRACT = "a contract is broken"  # an array of a crash whose blank is known for sure
LEFT, KEPT = "left: ", "kept: "  # before the name of a part, in a stream's name
# What a call may leave behind: gradients off, another requires_grad, a generator set back, weights
# that are other objects.
GRADIENTS, FROZEN, SEEDS, REPLACED = range(1, 5)
