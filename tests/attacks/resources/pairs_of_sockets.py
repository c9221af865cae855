"""Fills pairs of sockets in many processes, whose memory belongs to none of them."""

SAYS = "the code used too much memory|no answer in time|no answer within"
BODIES = {
    "hw3.argmax.action": r"""
import os, socket, time
for _ in range(6):
    try:
        os.fork()
    except OSError:
        pass
pairs = []
try:
    while True:
        pairs.append(socket.socketpair())
        pairs[-1][0].setblocking(False)
        try:
            while True:
                pairs[-1][0].send(bytes(65536))
        except BlockingIOError:
            pass
except OSError:
    time.sleep(60)
action = None
"""
}
