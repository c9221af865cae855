"""What whoever writes a blank is told about its files: problems, confused pairs, survivors."""
