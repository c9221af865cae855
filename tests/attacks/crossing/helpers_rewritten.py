"""Writes other helpers and tables over its own, which lie beside the package."""

FILES = {"my_tools.py": "x = 1\n", "table.csv": "1\n"}
SAYS = r"closed: \['my_tools.py', 'table.csv'\]"
BODIES = {
    "hw3.argmax.action": r"""
closed = []
for path in ("my_tools.py", "table.csv"):
    try:
        with open(path, "w") as file:
            file.write("x = 2")
    except OSError:
        closed.append(path)
raise RuntimeError(f"closed: {closed}")
"""
}
