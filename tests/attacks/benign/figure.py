"""Draws a figure with matplotlib, shows and saves it."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import matplotlib.pyplot as plt
plt.figure()
plt.plot([1, 2, 3])
plt.show(block=False)
plt.savefig("values.png")
"""
}
