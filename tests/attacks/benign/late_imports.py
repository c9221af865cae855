"""Imports parts of libraries late, within its functions."""

BODIES = {
    "hw3.argmax.action": """
import concurrent.futures, decimal, sqlite3, subprocess, xml.dom.minidom
import numpy.testing, numpy.polynomial
import torch.utils.data
np.testing.assert_allclose(1.0, 1.0)
action = self.critic.qa_values(observation).argmax(axis=1)
""",
}
