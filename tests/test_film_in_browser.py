"""A film of `enjoy` plays from beginning to end in a browser."""

from __future__ import annotations

import http.server
import os
import queue
import subprocess
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cs285.infrastructure.logging.films import write_video
from tests.running import CHROMIUM

FRAMES, SIZE = 40, (210, 160)
PAGE = """<!DOCTYPE html><body><video src="videos/%s" muted></video><script>
const video = document.querySelector("video");
const say = text => fetch("/said", {method: "POST", body: text});
video.onerror = () => say("error: " + video.error.message);
video.onended = () => {
  const picture = document.createElement("canvas").getContext("2d");
  picture.drawImage(video, 0, 0);
  const frames = video.getVideoPlaybackQuality().totalVideoFrames;
  say([video.videoWidth, video.videoHeight, frames, ...picture.getImageData(80, 100, 1, 1).data]);
};
video.play();
</script></body>"""


class Server(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what its page says."""

    def __init__(self, reported: queue.Queue[str], *args: Any, **kwargs: Any) -> None:
        self.reported = reported
        super().__init__(*args, **kwargs)

    def do_POST(self) -> None:  # noqa: N802  (the library's name)
        self.reported.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, which is not installed")
def test_a_film_plays_in_chromium(tmp_path: Path) -> None:
    frames = np.zeros((FRAMES, *SIZE, 3), np.uint8)
    frames[FRAMES // 2 :, :, :, 0] = 220  # black, then red
    film = write_video(tmp_path, "episode_1", 1290.0, frames, fps=20)
    (tmp_path / "page.html").write_text(PAGE % film.name)
    reported: queue.Queue[str] = queue.Queue()
    handler = partial(Server, reported, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        words = [
            str(CHROMIUM), "--headless=new", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", f"--user-data-dir={tmp_path / 'profile'}",
            "--autoplay-policy=no-user-gesture-required", "--remote-debugging-port=0",
            f"http://127.0.0.1:{server.server_port}/page.html",
        ]  # fmt: skip
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")  # root has to; the page is our own
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        browser = subprocess.Popen(words, **quiet)
        try:
            answer = reported.get(timeout=120)
        finally:
            browser.terminate()
            browser.wait(30)
            server.shutdown()
    width, height, shown, red, green, blue, _ = map(int, answer.split(","))
    assert (height, width) == SIZE
    assert shown > FRAMES / 2  # a busy machine may leave some out
    assert red > 180 and green < 60 and blue < 60  # the codec is lossy; the last frame is red
