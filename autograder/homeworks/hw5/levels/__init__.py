"""The levels above the single blank."""
