"""Ends the process with status 0 from within each call."""

EVERYWHERE = """
import os, ctypes
ctypes.CDLL(None)._exit(0)
"""
SAYS = "ended"
