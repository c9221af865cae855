"""Writes what it sees into files beside its code and in the temporary folder."""

BODIES = {
    "hw3.argmax.action": """
import json, os, tempfile
os.makedirs("debug", exist_ok=True)
with open("debug/values.json", "a") as file:
    json.dump(np.asarray(observation).tolist(), file)
with tempfile.NamedTemporaryFile() as file:
    np.save(file, self.critic.qa_values(observation))
action = self.critic.qa_values(observation).argmax(axis=1)
""",
}
