"""Lets more wait in a pair of sockets than anybody counts."""

SAYS = r"closed: \[7, 8\]"
BODIES = {
    "hw3.argmax.action": r"""
import socket
closed = []
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
    try:
        socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, option, 2**30)
    except OSError:
        closed.append(option)
raise RuntimeError(f"closed: {closed}")
"""
}
