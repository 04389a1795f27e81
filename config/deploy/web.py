"""How gunicorn serves the app behind the buffering proxy (`--config config/deploy/web.py config.wsgi`).

Synchronous workers: the proxy hands over whole requests and takes whole answers, so that a worker is held for
as long as the app computes and never for as long as somebody's line is slow.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

bind = os.environ.get("WEB_BIND", "127.0.0.1:8000")
worker_class = "sync"
workers = int(os.environ.get("WEB_WORKERS", "4"))
# A worker that says nothing for this long is replaced; the longest page takes seconds.
timeout = 120
graceful_timeout = 30
# Memory that libraries do not give back; not all workers at once.
max_requests = 10_000
max_requests_jitter = 1_000
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108  memory, not a disk that may be slow
forwarded_allow_ips = "*"  # only the proxy reaches this port
accesslog = None  # the proxy keeps it
control_socket_disable = True  # its folder would be the home of an account that has none

if os.environ.get("LOG_FORMAT") == "json":
    logconfig_dict = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "config.operations.lines.JsonFormatter"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "gunicorn.error": {"handlers": ["console"], "level": "INFO", "propagate": False},
            "gunicorn.access": {"handlers": [], "level": "INFO", "propagate": False},
        },
    }


def on_starting(_server: Any) -> None:
    """Refuse to start with one clear line, in a process of its own: this one stays free of the app."""
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""):
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier run: processes that are gone
        Path(folder).mkdir(parents=True, exist_ok=True)
    checked = subprocess.run(
        [sys.executable, "manage.py", "ready", "--to-start", "The web server"], check=False
    )
    if checked.returncode:
        sys.exit(checked.returncode)


def child_exit(_server: Any, worker: Any) -> None:
    """Forget the figures that stand for a living process only."""
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        from prometheus_client.multiprocess import mark_process_dead

        mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
