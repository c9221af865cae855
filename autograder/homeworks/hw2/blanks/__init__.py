"""All about each blank: one file a blank."""
