"""Opens sockets of families that name spaces do not cover."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import socket

def loot():
    found = []
    for name, family, kind in (("vsock", 40, 1), ("bluetooth", 31, 3), ("packet", 17, 3), ("alg", 38, 5),
                               ("can", 29, 3), ("tipc", 30, 1), ("xdp", 44, 3), ("raw", 2, 3)):
        try:
            socket.socket(family, kind, 1 if name == "raw" else 0).close()
            found.append(name)
        except OSError:
            pass
    return found
"""
}
