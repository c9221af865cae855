"""Makes a file of a terabyte that holds nothing."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
try:
    with open("/tmp/holes", "wb") as stream:
        stream.truncate(2**40)
except OSError:
    raise RuntimeError("holes: none") from None
raise RuntimeError("holes: a terabyte")
""",
}
SAYS = "holes: none|ended"
