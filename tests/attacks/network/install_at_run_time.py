"""Installs a package, and clones a repository, while it is graded."""

SAYS = "installed: \\[False, False, False\\]|no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import subprocess, sys
codes = []
for command in ([sys.executable, "-m", "pip", "install", "--target", "/tmp/p", "--timeout", "1", "--retries", "0", "six"],
                ["git", "clone", "-q", "https://github.com/a/b", "/tmp/b"], ["curl", "-sm", "1", "http://1.1.1.1"]):
    try:
        codes.append(subprocess.run(command, timeout=4, capture_output=True).returncode == 0)
    except Exception:
        codes.append(False)
raise RuntimeError(f"installed: {codes}")
"""
}
