"""What ends is started again: the supervisor of a process set on one machine.

A program whose first process was killed leaves others behind that keep its port or its data: nginx's workers go on
serving, PostgreSQL's keep the shared memory. They are ended first, as an engine ends a container.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Final

from config.deploy.process_set import ORDER, ProcessSet

LOOKS_EVERY_SECONDS: Final = 0.5
# What cannot start yet (the web without its database) is tried again ever more seldom, but soon enough.
LONGEST_PAUSE_SECONDS: Final = 5.0
STEADY_SECONDS: Final = 20.0


def watch(running: ProcessSet, stop: threading.Event, say: Callable[[str], None]) -> None:
    """Start again what ends by itself, until `stop` is set. What somebody stops by the set's `stop` stays so."""
    failures = dict.fromkeys(ORDER, 0)
    not_before = dict.fromkeys(ORDER, 0.0)
    begun = dict.fromkeys(ORDER, time.monotonic())
    while not stop.wait(LOOKS_EVERY_SECONDS):
        for name in ORDER:
            process = running.running.get(name)
            if process is None or process.poll() is None or time.monotonic() < not_before[name]:
                continue
            say(f"{name} ended with {process.returncode} and is started again.")
            end_leftovers(process)
            running.start(name, wait=False)
            now = time.monotonic()
            failures[name] = failures[name] + 1 if now - begun[name] < STEADY_SECONDS else 0
            begun[name] = now
            not_before[name] = now + min(failures[name], LONGEST_PAUSE_SECONDS)


def end_leftovers(process: subprocess.Popen[bytes], seconds: float = 5.0) -> None:
    """End what is left of an ended process's group, and wait until its ports and files are free."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        time.sleep(0.02)
