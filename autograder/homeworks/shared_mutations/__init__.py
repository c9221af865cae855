"""Mutation points that the blanks of several homeworks share."""
