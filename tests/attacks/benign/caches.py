"""Keeps what it has computed in caches: of functions, of objects, and on the disk."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import functools, os, pickle, tempfile

@functools.lru_cache(maxsize=None)
def table(size):
    file = os.path.join(tempfile.gettempdir(), "table.pkl")
    if not os.path.exists(file):
        with open(file, "wb") as stream:
            pickle.dump(list(range(size)), stream)
    with open(file, "rb") as stream:
        return pickle.load(stream)
"""
}
BODIES = {
    "hw3.argmax.action": """
best = self.critic.qa_values(observation).argmax(axis=1)
action = np.array(table(1000))[best]
""",
}
