"""The judge's side of a worker: starts it, asks it for probes, and survives whatever it does."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from autograder.base.checks import Check
from autograder.base.seen import MAX_TEXT, Seen
from autograder.base.text import plain_text
from autograder.running import channel
from autograder.running.prints import read_note
from autograder.source import PACKAGE, ROOT
from autograder.source.importing import Tree
from autograder.source.submission import read_source

START_SECONDS = 60.0
STARTS = 2  # how often a worker is started before it is given up
MARK = "CS285_WORKER"  # in the environment of whatever a worker starts
LOOK = 0.2  # seconds between looks at whether a worker lives
GRACE = 5.0  # beyond a probe's own limit, after which the worker is given up


class WorkerError(Exception):
    """The worker itself failed: the grader's fault, never the student's."""


class Worker:
    """A process, warm, that runs probes on a submission; whatever it does, this side survives."""

    shows_prints = False
    """Whether anybody sees what the code prints."""
    files: Mapping[str, bytes] | None = None
    """A stranger's files, by path within `cs285`; None at home, where nobody need be distrusted."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Starts the process."""
        self.command, self.environment = command, environment
        self.process: subprocess.Popen[bytes] | None = None
        self.meanwhile: Callable[[Check, int], object] = lambda check, seed: None
        self._start()

    def _start(self, inherited: Sequence[int] = ()) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
            pass_fds=inherited,
        )
        self.messages: queue.Queue[bytes | None] = queue.Queue()
        reader = threading.Thread(target=_read_messages, args=(self.process.stdout, self.messages))
        reader.daemon = True
        reader.start()
        self.ready = False

    def close(self) -> None:
        """Ends the worker."""
        if self.process:
            assert self.process.stdin
            self.process.kill()
            self.process.wait()
            with contextlib.suppress(OSError):  # what was still to be sent
                self.process.stdin.close()
            self.process = None

    def text_of(self, path: str) -> str | None:
        """Returns the text of a file of the submission; None if it has none."""
        data = (self.files or {}).get(path)
        return None if data is None else read_source(data)

    def see(
        self,
        check: Check,
        seed: int,
        limit: float,
        alone: bool = False,
        texts: Mapping[str, str] | None = None,
    ) -> Seen:
        """Runs a check's probe on the submission, for at most `limit` seconds.

        `alone`: files of other checks are taken from the handout. `texts`: stand in the places of
        the student's files.

        Raises:
            WorkerError: If the worker cannot be used.
        """
        request = {"probe": check.probe, "owners": check.owners}
        how = {"alone": alone, "prints": self.shows_prints, "texts": dict(texts or {})}
        self._send({**request, "seed": seed, "limit": limit, **how})
        self.meanwhile(check, seed)
        message = self._receive(limit + GRACE)
        if message is None:  # it hangs or has died, which only a probe can have brought about
            self.close()
            self._start()
            return Seen(ended=f"no answer within {limit:g} s")
        try:
            found, note = channel.unpack(message)
            files = frozenset(note["files"]) if "files" in note else None
        except (channel.ChannelError, TypeError):
            return Seen(ended="the code tampered with the grader's messages")
        if note.get("lost"):
            self._lost()
        ended = " ".join(str(note.get("ended", "")).split())  # perhaps the student's own words
        found.ended, found.files = plain_text(ended, MAX_TEXT), files
        if self.shows_prints:
            found.prints = read_note(note.get("prints", ()))
        self._quote(found, texts or {})
        return found

    def _quote(self, found: Seen, texts: Mapping[str, str]) -> None:
        """Lets the lines that crashes quote be those of the files that this process has read."""
        if self.files is None:
            return
        files = {**self.files, **{path: text.encode() for path, text in texts.items()}}
        for case, crash in found.crashes.items():
            if crash.file:
                line = line_of(files.get(crash.file, b""), crash.line)
                found.crashes[case] = replace(crash, source=line)

    def _lost(self) -> None:
        """Called when the process has forgotten what it works on."""

    def _send(self, request: dict[str, Any], body: bytes = b"") -> None:
        if self.process is None or self.process.poll() is not None:  # whatever ended it
            self.close()
            self._start()
        if not self.ready:
            self._await_start()
        assert self.process and self.process.stdin
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n" + body)
            self.process.stdin.flush()
        except OSError as error:
            raise WorkerError(f"the grader's worker process is gone: {error}") from error

    def _await_start(self) -> None:
        """Waits until the process can be asked; a machine may be too busy for the first one."""
        for attempt in range(STARTS):
            if attempt:
                self.close()
                self._start()
            if self._receive(START_SECONDS) is not None:
                self.ready = True
                return
        raise WorkerError("the grader's worker process did not start")

    def _receive(self, seconds: float) -> bytes | None:
        """Returns the next message; None if there is none in time, or nobody to send one."""
        assert self.process
        deadline, alive = time.monotonic() + seconds, True
        while alive and time.monotonic() < deadline:
            alive = self.process.poll() is None  # what it left behind may keep its pipe open
            with contextlib.suppress(queue.Empty):
                return self.messages.get(timeout=LOOK)
        return None


class Session(Worker):
    """A worker for one submission, at home: with all rights of whoever started it."""

    shows_prints = True

    def __init__(self, package: Path | None) -> None:
        """Starts a worker for a `cs285` folder; None: this checkout's own."""
        self.folder = package or ROOT / PACKAGE
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self.mark = f"{MARK}={uuid.uuid4().hex}"
        command = [sys.executable, "-m", "autograder.running.worker", str(self.folder.resolve())]
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        super().__init__(command, {**environment, **dict([self.mark.split("=")])})

    def text_of(self, path: str) -> str | None:
        """Returns the text of a file of the submission; None if it has none."""
        return Tree(self.folder).student(path)

    def close(self) -> None:
        """Ends the worker, and what a student's code has started and left behind."""
        super().close()
        if sys.platform != "linux":  # no other system has /proc
            return
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ProcessLookupError):
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)


def line_of(data: bytes, number: int) -> str:
    """Returns a line of a source file, by its number from 1; "" if there is none."""
    try:
        lines = read_source(data).split("\n")
    except SyntaxError:
        return ""
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    return plain_text(line.strip(), MAX_TEXT)


def _read_messages(stream: IO[bytes], messages: queue.Queue[bytes | None]) -> None:
    """Puts whole messages into a queue; None when the stream ends."""
    with stream:
        while len(head := stream.read(channel.HEAD.size)) == channel.HEAD.size:
            (length,) = channel.HEAD.unpack(head)
            if length > channel.LIMIT:
                break
            messages.put(stream.read(length))
    messages.put(None)
