"""Gunicorn settings behind the buffering proxy (`--config config/deploy/web.py config.wsgi`).

Workers are synchronous: the proxy buffers whole requests and responses, so that a slow connection never
occupies a worker.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

bind = os.environ.get("WEB_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_WORKERS", "4"))
# Seconds after which an unresponsive worker is replaced; the slowest page takes seconds.
timeout = 120
graceful_timeout = 30
# Restart workers, at different times, to free memory that libraries keep.
max_requests = 10_000
max_requests_jitter = 1_000
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108  memory instead of a slow disk
forwarded_allow_ips = "*"  # only the proxy reaches this port
accesslog = None  # the proxy keeps it
control_socket_disable = True  # the account has no home folder for it

if os.environ.get("LOG_FORMAT") == "json":
    logconfig_dict = {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "config.operations.log_lines.JsonFormatter"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "gunicorn.error": {"handlers": ["console"], "level": "INFO", "propagate": False},
            "gunicorn.access": {"handlers": [], "level": "INFO", "propagate": False},
        },
    }


def on_starting(_server: Any) -> None:
    """Check in a separate process whether the app can start, so that this one does not load the app."""
    checked = subprocess.run(
        [sys.executable, "manage.py", "ready", "--to-start", "The web server"], check=False
    )
    if checked.returncode:
        sys.exit(checked.returncode)
