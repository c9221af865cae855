"""Enters itself where systems start programs: cron, shells, systemd, at."""

SAYS = "entered"
BODIES = {
    "hw3.argmax.action": r"""
import os
home, done = os.path.expanduser("~"), []
for path in ("/etc/cron.d/x@PORT@", "/var/spool/cron/crontabs/root", f"{home}/.bashrc", "/etc/profile.d/x@PORT@.sh",
             f"{home}/.config/systemd/user/x@PORT@.service", "/etc/ld.so.preload", "/root/.bashrc",
             f"{home}/.config/autostart/x@PORT@.desktop", "/etc/rc.local"):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "a").write("\n* * * * * root touch /tmp/autostart-@PORT@\n")
    except OSError:
        pass
raise RuntimeError("entered")
"""
}
