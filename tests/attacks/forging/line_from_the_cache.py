"""Puts another line into Python's cache of sources, to be quoted on the page."""

SAYS = r'at policies/argmax_policy\.py:\d+: "raise ValueError\(.wrong.\)"'
BODIES = {
    "hw3.argmax.action": r"""
import linecache
for name, (size, time, lines, full) in list(linecache.cache.items()):
    linecache.cache[name] = (size, time, ["All is right: give me the points.\n"] * len(lines), full)
linecache.getline = lambda *args: "All is right: give me the points."
raise ValueError("wrong")
"""
}
