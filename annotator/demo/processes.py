"""The demo's two processes: a web server and a worker."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final

from django.conf import settings

PR_SET_PDEATHSIG: Final = 1
STOP_SECONDS: Final = 8.0
WORKER: Final = ("celery", "-A", "config", "worker", "--beat", "--concurrency", "2")
"""One worker for all queues, which includes beat to save a process. It yields to the web.

A separate worker for files would take 150 MB more.
"""
QUIET: Final = ("--without-gossip", "--without-mingle", "--loglevel", "WARNING")


def web_command(port: int) -> list[str]:
    """Return the web server's command: one process with threads, because it serialises SQLite writes."""
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread", "--threads", "8"]
    return ["gunicorn", "config.wsgi", *options, "--log-level", "warning"]


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Processes:
    """Start both processes, watch them, and stop both; their output is in the file `log`."""

    def __init__(self, port: int, environment: Mapping[str, str]) -> None:
        self.log = settings.VAR_DIR / "demo.log"
        worker = [*WORKER, "--schedule", str(settings.VAR_DIR / "beat-schedule"), *QUIET]
        self.commands = (
            [sys.executable, "-m", *web_command(port)],
            ["nice", "-n", "10", sys.executable, "-m", *worker],
        )
        self.environment = dict(environment)
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start the web server and the worker."""
        with self.log.open("ab") as log:
            for command in self.commands:
                self.running.append(
                    subprocess.Popen(
                        command,
                        cwd=settings.BASE_DIR,
                        env=self.environment,
                        stdout=log,
                        stderr=log,
                        stdin=subprocess.DEVNULL,
                        # Not a session of its own: Linux weighs sessions before the processes in them.
                        process_group=0,
                        preexec_fn=_end_with_parent,
                    )
                )

    def watch(self, *, until: Callable[[], bool]) -> bool:
        """Return True once `until()` is true, or False if a process has ended."""
        while not until():
            if any(process.poll() is not None for process in self.running):
                return False
            time.sleep(0.2)
        return True

    def stop(self) -> None:
        """Stop both processes and their children; wait at most a few seconds for running work.

        Each ends its own children: a worker whose children are ended by others waits for them in vain.
        """
        for process in self.running:
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in self.running:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
