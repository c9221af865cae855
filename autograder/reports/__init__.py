"""Makes from a gradebook pages and tables, and compares two gradings."""
