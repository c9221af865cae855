"""Connects to the machine outside and to the world over TCP."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import socket

def loot():
    found = []
    for host, port in (("127.0.0.1", @PORT@), ("::1", @PORT@), ("1.1.1.1", 443), ("10.0.0.1", 22), ("169.254.169.254", 80)):
        try:
            socket.create_connection((host, port), 0.5).close()
            found.append(host)
        except OSError:
            pass
    return found
"""
}
