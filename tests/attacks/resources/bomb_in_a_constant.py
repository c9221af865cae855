"""Unpacks ten gigabytes of zeros from a text in its own source."""

BODIES = {
    "hw3.argmax.action": """
import lzma
packed = lzma.compress(bytes(2**24))
held = []
while True:
    held.append(lzma.decompress(packed) + b"1")
""",
}
SAYS = "memory|Memory|ended|no answer|end"
