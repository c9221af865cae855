"""A page for each blank: what each misconception changes, depends on, and does to learning."""
