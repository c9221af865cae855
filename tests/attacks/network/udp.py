"""Sends datagrams to the machine outside and to everybody."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import socket

def loot():
    found = []
    for host in ("127.0.0.1", "255.255.255.255", "224.0.0.1", "8.8.8.8"):
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plug:
                plug.settimeout(0.3)
                plug.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                plug.sendto(b"cs285", (host, @PORT@))
                found.append((host, plug.recv(10)))
        except OSError:
            pass
    return found
"""
}
