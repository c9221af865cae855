"""The process in which a student's code runs: `python -m autograder.running.worker PACKAGE`.

It imports the slow libraries once. Then, for each request on its standard input, it forks a child
that runs one probe, so that nothing a probe does is left for the next. On other systems than Linux
the probe runs right here, and `session` starts a new worker if it never answers. Answers go out on
the former standard output. The prints of the student's code go nowhere, unless a request asks for
them: at home `check` shows them.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import json
import os
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from autograder.base.checks import Check
from autograder.running import channel, prints, process
from autograder.running.children import Child, serve, write_all
from autograder.running.compiling import compile_files
from autograder.running.last_words import last_words, no_answer
from autograder.running.light_torch import without_compiler
from autograder.running.see import see
from autograder.source.submission import Tree

HEAVY = ("numpy", "torch", "gymnasium", "safetensors.torch")
LOOK = 0.2  # seconds between looks at how much memory is used
TOO_LARGE = "what the code produced is far too large"
CAN_FORK = sys.platform == "linux"  # elsewhere a fork may not survive the libraries' threads


def serve_package(package: Path | None, requests: BinaryIO, answers: int) -> None:
    """Answers requests about one submission, a line of JSON each."""
    tree = Tree(package)
    warm_up(tree)
    gc.freeze()  # a child that looked for garbage in PyTorch would copy the memory of all of it

    def answer_one(line: bytes) -> bytes:
        request = json.loads(line)
        if not CAN_FORK:
            return answer(tree, request)
        compile_files(tree)
        return in_child(tree, request, (requests.fileno(), answers))

    write_all(answers, channel.pack(ready=True))
    serve(requests, answers, answer_one)


def warm_up(tree: Tree) -> None:
    """Imports what probes will need, once, so that the children find it there.

    Besides the heavy ones these are the libraries that the handout's own files import. An
    optimizer's first step imports more of torch.
    """
    import torch

    without_compiler()
    for name in (*HEAVY, *tree.libraries()):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    weight = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    torch.optim.Adam([weight], fused=True)
    weight.sum().backward()
    optimizer.step()


def answer(
    tree: Tree, request: dict[str, Any], too_late: Callable[[bytes], object] | None = None
) -> bytes:
    """Runs a probe and returns the message with its record.

    `too_late` sends a message in place of the one that would come too late, after which this
    process ends.
    """
    check = Check("", "", 0, tuple(request["owners"]), request["probe"])
    tree.replace(request.get("texts", {}))
    package = str(tree.package)
    with contextlib.ExitStack() as stack:
        if too_late:
            stack.enter_context(last_words(package, float(request["limit"]), too_late))
        stack.enter_context(process.bounded())
        printed = stack.enter_context(prints.noted(package)) if request.get("prints") else None
        seen = see(tree, check, int(request["seed"]), bool(request.get("alone")))
    note: dict[str, Any] = {"files": sorted(seen.files or ())}
    if printed:
        note["prints"] = printed.as_note()
    message = channel.pack(seen, **note)
    if len(message) > channel.LIMIT:
        return channel.pack(ended=TOO_LARGE)
    return message


def in_child(tree: Tree, request: dict[str, Any], private: tuple[int, ...]) -> bytes:
    """Runs a probe in a child of its own; see `message_of_child`."""

    def work(writing: int) -> None:
        write_all(writing, answer(tree, request, functools.partial(write_all, writing)))

    return message_of_child(work, float(request["limit"]), private)


def message_of_child(
    work: Callable[[int], object],
    limit: float,
    private: tuple[int, ...],
    exceeded: Callable[[], bool] = lambda: False,
) -> bytes:
    """Lets a child of its own work, and kills it in the end.

    Args:
        work: What it does; takes the file to which it writes its message.
        limit: Seconds, after which it is given up.
        private: Files of this process that it must neither read nor write.
        exceeded: Returns whether it uses too much memory.

    Returns:
        The message, or one that contains why there is none.
    """
    child = Child(work, private)
    data, problem = read_message(child.reading, limit, exceeded)
    child.end()
    return channel.pack(ended=problem) if problem else data


def read_message(
    fd: int,
    limit: float,
    exceeded: Callable[[], bool] = lambda: False,
) -> tuple[bytes, str]:
    """Reads one message; returns it, or why there is none."""
    data = bytearray()
    deadline = time.monotonic() + limit
    while (left := deadline - time.monotonic()) > 0:
        if exceeded():
            return b"", "the code used too much memory"
        if not select.select([fd], [], [], min(left, LOOK))[0]:
            continue
        part = os.read(fd, 1 << 20)
        data += part
        if channel.is_whole(data):
            return bytes(data), ""
        if len(data) > channel.LIMIT + channel.HEAD.size:
            return b"", TOO_LARGE
        if not part:
            return b"", "the code ended the process it ran in"
    return b"", no_answer(limit)


def take_streams() -> tuple[int, int]:
    """Keeps standard input and output for messages, and returns them as other files.

    All that is printed from now on goes nowhere.
    """
    taken = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    return taken


def main() -> None:
    """Serves the process that started this one."""
    package = Path(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1] else None
    requests, answers = take_streams()
    serve_package(package, os.fdopen(requests, "rb"), answers)


if __name__ == "__main__":
    main()
