"""Install a lock file into a virtual environment and show progress: `installing.py PYTHON LOCK`.

Uses only the standard library, because it runs before anything is installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

LOOKS_EVERY = 0.2
"""Seconds between progress checks."""
SAYS_EVERY = 10.0
"""Seconds between progress lines without a terminal."""
LINES_OF_AN_ERROR = 30
INTERRUPTED = 130
PINNED = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*==", re.MULTILINE)
# How pip's lines begin for libraries it has: downloaded, from a folder, already installed.
HELD = ("Collecting ", "Processing ", "Requirement already satisfied")
QUIET = ("--disable-pip-version-check", "--no-compile", "--require-hashes", "--progress-bar", "off")


class Progress:
    """The progress of pip: its output while downloading, then the content of the environment."""

    def __init__(self, python: Path, lock: Path) -> None:
        self._folder = python.parent.parent / "lib"
        self._before = self._there()
        self.total = len(PINNED.findall(lock.read_text(encoding="utf-8")))
        self.lines: list[str] = []
        self._fetched = 0
        self._unpacking = False

    def listen(self, output: IO[str]) -> None:
        """Read pip's output to the end."""
        for line in output:
            self.lines.append(line.rstrip())
            self._fetched += line.startswith(HELD)
            # Needed only by another Python version.
            self.total -= line.startswith("Ignoring ")
            self._unpacking = self._unpacking or line.startswith("Installing collected")

    def __str__(self) -> str:
        if self._unpacking:
            return f"Installing libraries: {self._there() - self._before} of {self.total} unpacked"
        return f"Installing libraries: {self._fetched} of {self.total} downloaded"

    def _there(self) -> int:
        return sum(1 for _ in self._folder.glob("python*/site-packages/*.dist-info"))


def main() -> int:
    """Install; return pip's exit code."""
    python, lock = Path(sys.argv[1]), Path(sys.argv[2])
    begun = time.monotonic()
    progress = Progress(python, lock)
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *QUIET, "-r", str(lock)]
    pip = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert pip.stdout is not None
    listening = threading.Thread(target=progress.listen, args=[pip.stdout])
    listening.start()
    try:
        _follow(progress, lambda: pip.poll() is not None)
    except KeyboardInterrupt:
        print("\nStopped. Run make again to resume.", flush=True)
        pip.terminate()
        pip.wait()
        return INTERRUPTED
    listening.join()
    if pip.returncode:
        print("\n".join(["", *progress.lines[-LINES_OF_AN_ERROR:]]), file=sys.stderr)
        return pip.returncode
    _rewrite(f"Installed {progress.total} libraries in {time.monotonic() - begun:.0f} s.", "\n")
    return 0


def _follow(progress: Progress, ended: Callable[[], bool]) -> None:
    said, said_at = "", -SAYS_EVERY
    while not ended():
        text = str(progress)
        rests = not sys.stdout.isatty() and time.monotonic() - said_at < SAYS_EVERY
        if text != said and not rests:
            _rewrite(text, "" if sys.stdout.isatty() else "\n")
            said, said_at = text, time.monotonic()
        time.sleep(LOOKS_EVERY)


def _rewrite(text: str, end: str = "") -> None:
    print(f"\r\x1b[K{text}" if sys.stdout.isatty() else text, end=end, flush=True)


if __name__ == "__main__":
    sys.exit(main())
