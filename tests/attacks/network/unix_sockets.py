"""Connects to the sockets of services, with paths and in the abstract name space."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, socket

def loot():
    paths = ["\0cs285-@PORT@", "/var/run/docker.sock", "/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0",
             "\0/tmp/.X11-unix/X0", "/run/systemd/private", "/run/containerd/containerd.sock"]
    for folder, _, files in os.walk("/tmp"):
        paths += [os.path.join(folder, name) for name in files]
    found = []
    for path in paths:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                with socket.socket(socket.AF_UNIX, kind) as plug:
                    plug.settimeout(0.3)
                    plug.connect(path)
                    found.append(path)
            except OSError:
                pass
    return found
"""
}
