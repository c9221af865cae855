"""Writes where it must not, so that the kernel ends it, with a core file."""

SAYS = "ended"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, resource
resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)
ctypes.string_at(0)
"""
}
