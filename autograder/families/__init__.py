"""Mistakes, with their words, that blanks of several agents share. The judge's side alone."""
