"""Answers with nonsense, and lets exceptions vanish before they are kept."""

AT_IMPORT = """
import autograder.running.probing as probing
probing.describe = lambda *args: None
"""
EVERYWHERE = "raise RuntimeError"
