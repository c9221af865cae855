"""What comes out of a gradebook: pages, tables, and what a new grading would change."""
