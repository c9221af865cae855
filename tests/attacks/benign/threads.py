"""Uses a pool of threads for its numbers."""

BODIES = {
    "hw3.argmax.action": """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool:
    action = np.array(list(pool.map(np.argmax, self.critic.qa_values(observation))))
""",
}
