"""Sends 60 million numbers, which the judge would go through one by one."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
BODIES = {
    "hw3.argmax.action": r"""
count = 60_000_000
names = ["usual/action", "usual/other_state", "again/action", "inputs/inputs_changed"]
part = count // len(names)
arrays = [["u1", number * part, [part]] for number in range(len(names))]
head = {"u1": {"dtype": "U8", "shape": [count], "data_offsets": [0, count]}}
text = plain(names=[(name, number) for number, name in enumerate(names)], arrays=arrays)
send(message(text, bytes(count), head))
"""
}
