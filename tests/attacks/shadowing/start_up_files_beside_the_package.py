"""Has files beside the package that Python runs when it starts, if they lie where it looks."""

EXPECT = "blank"
FILES = {
    "evil.pth": "import sys; sys.exit(0)\n",
    "usercustomize.py": "raise SystemExit(0)\n",
    "conftest.py": "raise SystemExit(0)\n",
    ".pythonrc.py": "raise SystemExit(0)\n",
}
