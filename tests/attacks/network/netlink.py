"""Asks the kernel over netlink for interfaces, and for events of all processes."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, socket, struct

def loot():
    found = []
    try:
        found += [name for _, name in socket.if_nameindex() if name != "lo"]
    except OSError:
        pass
    for family in (9, 11, 15, 16):  # audit, connector, uevent, generic
        try:
            with socket.socket(16, socket.SOCK_DGRAM, family) as plug:
                plug.settimeout(0.1)
                plug.bind((0, 1))
                if plug.recv(100):
                    found.append(family)
        except OSError:
            pass
    return found
"""
}
