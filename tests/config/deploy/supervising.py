"""The supervisor of a process set on one machine, which restarts processes that end.

If a program's main process is killed, its children keep the port or the data: nginx's workers continue to
serve, PostgreSQL's keep the shared memory. They are stopped first, as a container engine would.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.config.deploy.process_set import ORDER, ProcessSet

LOOKS_EVERY_SECONDS: Final = 0.5
# Increasing delays between retries of a process that cannot start yet, such as the web without its database.
LONGEST_PAUSE_SECONDS: Final = 5.0
STEADY_SECONDS: Final = 20.0


def watch(running: ProcessSet, stop: threading.Event, say: Callable[[str], None]) -> None:
    """Restart processes that end until `stop` is set, except those stopped by the set itself."""
    failures = dict.fromkeys(ORDER, 0)
    not_before = dict.fromkeys(ORDER, 0.0)
    begun = dict.fromkeys(ORDER, time.monotonic())
    while not stop.wait(LOOKS_EVERY_SECONDS):
        for name in ORDER:
            process = running.running.get(name)
            if process is None or process.poll() is None or time.monotonic() < not_before[name]:
                continue
            say(f"{name} ended with status {process.returncode} and is being restarted.")
            end_leftovers(process, running.home / "postgres" if name == "postgres" else None)
            running.start(name, wait=False)
            now = time.monotonic()
            failures[name] = failures[name] + 1 if now - begun[name] < STEADY_SECONDS else 0
            begun[name] = now
            not_before[name] = now + min(failures[name], LONGEST_PAUSE_SECONDS)


def end_leftovers(process: subprocess.Popen[bytes], data: Path | None = None, seconds: float = 5.0) -> None:
    """Stop the remaining processes of a group, and wait until its ports and files are free.

    PostgreSQL's processes leave the group; they are found by their working folder `data`.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        left = [-process.pid, *(_working_in(data) if data else ())]
        ended = 0
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                ended += 1
        if ended == len(left):
            return
        time.sleep(0.02)


def _working_in(folder: Path) -> list[int]:
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                if (path / "cwd").readlink() == folder:
                    found.append(int(path.name))
    return found
