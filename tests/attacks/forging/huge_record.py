"""Sends a record with 60 million numbers, which the judge would go through one by one."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
count = 60_000_000
names = [("each", "size"), ("each", "action"), ("train", "kinds"), ("with epsilon 0.3", "calls")]
head, shapes, at = {}, {}, 0
for trial, name in names:
    part = count // len(names)
    head[f"{trial}/{name}"] = {"dtype": "U8", "shape": [part], "data_offsets": [at, at + part]}
    shapes[f"{trial}/{name}"] = [part]
    at += part
trials = {trial: {"crash": None} for trial, _ in names}
send(message({"trials": trials, "shapes": shapes, "note": {}}, bytes(at), head))
"""
}
