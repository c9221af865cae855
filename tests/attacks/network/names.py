"""Asks name servers: what it knows could leave as names."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import socket

def loot():
    found = []
    for name in ("example.com", "localhost.cs285.example.org", "metadata.google.internal"):
        try:
            found.append(socket.getaddrinfo(name, 80))
        except OSError:
            pass
    return found
"""
}
