"""Answers with nonsense, and lets exceptions vanish from the record."""

AT_IMPORT = """
import autograder.running.probing as probing
probing.describe = lambda error, package: None
"""
EVERYWHERE = "raise RuntimeError"
