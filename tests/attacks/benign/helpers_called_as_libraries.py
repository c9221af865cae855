"""Has files beside the cs285 folder that are called as libraries, and that nobody imports."""

FILES = {
    name: "raise RuntimeError('a file of the student')\n"
    for name in ("torch.py", "random.py", "numpy.py")
}
