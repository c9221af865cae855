"""Makes board.png, the score board of `check` as a terminal shows it, of a file with two mistakes.

python docs/images/board.py            # needs Chromium
python docs/images/board.py --check    # whether `check` still prints what the picture shows
"""

from __future__ import annotations

import fcntl
import hashlib
import html
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMMAND = "python -m autograder check hw3"
# The right line of cs285/critics/dqn_critic.py, and what a student wrote.
MISTAKES = {
    "self.gamma * (1.0 - terminal_n) * q_tp1": "self.gamma * q_tp1",
    "next_ac_n = self.q_net(": "next_ac_n = self.q_net_target(",
}
PICTURE = HERE / "board.png"
SECONDS = re.compile(r"in [\d.]+ s\b")  # differ from run to run
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; }}
pre {{ margin: 12px; padding: 18px 22px; border-radius: 8px; background: #16181d; color: #d7dae0;
  font: 15px/1.35 "DejaVu Sans Mono", monospace; display: inline-block; }}
.c31 {{ color: #ff7b72; }} .c32 {{ color: #7ee787; }} .c33 {{ color: #e3b341; }}
</style><pre>{text}</pre>"""


def on_a_terminal(words: list[str]) -> str:
    """Returns what a command writes to a terminal of 80 columns, colours included."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 80, 0, 0))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while more := os.read(ours, 65536):
            seen += more
    except OSError:  # Linux says so when the other end is closed
        pass
    process.wait()
    return seen.decode().replace("\r\n", "\n")


def as_html(text: str) -> str:
    """Turns colours of a terminal into those of a page."""
    parts = re.split(r"\x1b\[([\d;]*)m", text)
    out = html.escape(parts[0])
    for code, words in zip(parts[1::2], parts[2::2], strict=True):
        colour = code.rpartition(";")[2]
        escaped = html.escape(words)
        out += f'<span class="c{colour}">{escaped}</span>' if colour not in ("", "0") else escaped
    return out


def screenshot(page: Path, picture: Path, source: str) -> None:
    """Draws a page with Chromium, cuts off the empty rest, and keeps what it was drawn from."""
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={page.parent / 'profile'}", "--window-size=900,1400"]
    command += ["--default-background-color=00000000", "--force-device-scale-factor=1.5"]
    command += ["--disable-background-networking", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    image = Image.open(picture).convert("RGBA")
    kept = PngInfo()
    kept.add_text("Source", source)
    small = image.crop(image.getchannel("A").getbbox()).quantize(64)
    small.save(picture, optimize=True, pnginfo=kept)


def board() -> str:
    """Returns what `check` prints about the file with two mistakes, after its command."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "submission"
        shutil.copytree(ROOT / "cs285", folder / "cs285")
        file = folder / "cs285/critics/dqn_critic.py"
        text = file.read_text()
        for right, wrong in MISTAKES.items():
            assert right in text, right
            text = text.replace(right, wrong)
        file.write_text(text)
        words = [sys.executable, *COMMAND.split()[1:], "--submission", str(folder)]
        return f"$ {COMMAND}\n{on_a_terminal(words)}".rstrip()


def digest(text: str) -> str:
    """Returns a digest of what is printed, whatever time it took."""
    return f"sha256:{hashlib.sha256(SECONDS.sub('in some s', text).encode()).hexdigest()}"


def main(argv: list[str]) -> int:
    """Makes the picture, or checks it; returns the exit status."""
    if argv not in ([], ["--check"]):
        print("error: the one flag is --check", file=sys.stderr)
        return 2
    text = board()
    if not argv:
        with tempfile.TemporaryDirectory() as made:
            page = Path(made) / "board.html"
            page.write_text(PAGE.format(text=as_html(text)))
            screenshot(page, PICTURE, digest(text))
    with Image.open(PICTURE) as image:
        same = image.info.get("Source") == digest(text)
    if not same:
        print("check prints something else: run python docs/images/board.py", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
