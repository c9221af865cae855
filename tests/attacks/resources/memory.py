"""Asks for memory until there is none, and touches it."""

SAYS = "memory|Memory|no end within|ended|Cannot allocate|no answer"
BODIES = {
    "hw3.argmax.action": r"""
import mmap
blocks = []
while len(blocks) < 400:
    block = mmap.mmap(-1, 2**28)
    block[:: 4096] = bytes(len(block) // 4096)
    blocks.append(block)
raise RuntimeError("a hundred gigabytes")
"""
}
