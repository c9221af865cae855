"""A source file that the compiler spends minutes, and gigabytes, on."""

# Each level repeats the finally block of the next: 2^24 copies of one line.
FILES = {
    "cs285/policies/argmax_policy.py": "\n".join(
        line
        for depth in range(18)
        for line in (" " * depth + "try: pass", " " * depth + "finally:")
    )
    + "\n"
    + " " * 18
    + "x = 1\n"
}
BODIES = {"hw3.argmax.action": "pass"}
