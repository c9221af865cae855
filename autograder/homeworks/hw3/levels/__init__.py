"""What judges whole agents."""
