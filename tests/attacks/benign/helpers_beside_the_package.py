"""Imports a module, and reads a table, that lie beside the cs285 folder."""

FILES = {
    "my_tools.py": "def largest(values):\n    return values.argmax(axis=1)\n",
    "offsets.csv": "0,0\n",
    "cs285/policies/scale.json": "[1.0]",
}
AT_IMPORT = {
    "policies/argmax_policy.py": """
import json
import pathlib

from my_tools import largest

OFFSETS = [float(cell) for cell in open("offsets.csv").read().split(",")]
SCALE = json.loads(pathlib.Path(__file__).with_name("scale.json").read_text())
"""
}
BODIES = {
    "hw3.argmax.action": "action = largest(SCALE[0] * self.critic.qa_values(observation) + OFFSETS[0])"
}
