"""The demo's two processes: a web server and a worker."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PR_SET_PDEATHSIG = 1
WORKER_RESTARTS = 5
WORKER_RESTART_WINDOW = 60.0
STOP_SECONDS = 8.0


class PortTaken(RuntimeError):
    """The port is in use."""


def require_free_port(port: int) -> None:
    """Raise PortTaken if 127.0.0.1:port is in use."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} is in use. Stop that process, or choose another port: make demo PORT={port + 1}"
            ) from error


def web_command(port: int) -> list[str]:
    """Return the web server's command: one process with threads, because it serialises SQLite writes."""
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "1", "--worker-class", "gthread", "--threads", "8"]
    return [sys.executable, "-m", "gunicorn", "config.wsgi", *options, "--log-level", "warning"]


def worker_command(schedule: Path) -> list[str]:
    """Return the worker's command, which includes beat to save a process.

    One worker for all queues, with a concurrency of two: at most one reads uploaded files (FILES_AT_ONCE), so
    that the other is free for reports. A separate worker for files would take 150 MB more.
    """
    options = ["--beat", "--schedule", str(schedule), "--concurrency", "2"]
    quiet = ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    return [sys.executable, "-m", "celery", "-A", "config", "worker", *options, *quiet]


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Processes:
    """Start both processes, restart a worker that exits, and stop both."""

    web: list[str]
    worker: list[str]
    environment: Mapping[str, str]
    folder: Path
    log: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    restarts: list[float] = field(default_factory=list)

    def start(self) -> None:
        """Start the web server and the worker, with their output in the log file."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._start("web", self.web)
        self._start("worker", self.worker)

    def _start(self, name: str, command: list[str]) -> None:
        with self.log.open("ab") as log:
            self.running[name] = subprocess.Popen(
                command,
                cwd=self.folder,
                env=dict(self.environment),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )

    def watch(self, *, until: Callable[[], bool], every: float = 0.5) -> str:
        """Return '' once `until()` is true, or a message if a process cannot be kept alive."""
        while not until():
            if self.running["web"].poll() is not None:
                return "The web server ended."
            if self.running["worker"].poll() is not None and not self._restart_worker():
                return f"The worker ended {WORKER_RESTARTS} times within {WORKER_RESTART_WINDOW:.0f} seconds."
            time.sleep(every)
        return ""

    def _restart_worker(self) -> bool:
        now = time.monotonic()
        self.restarts = [then for then in self.restarts if now - then < WORKER_RESTART_WINDOW] + [now]
        if len(self.restarts) > WORKER_RESTARTS:
            return False
        self._start("worker", self.worker)
        return True

    def stop(self) -> None:
        """Stop both processes and their children; wait at most a few seconds for running work.

        Each ends its own children: a worker whose children are ended by others waits for them in vain.
        """
        for process in self.running.values():
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in self.running.values():
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
