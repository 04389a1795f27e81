"""Health check of a container: does the web process respond, or is a worker alive?

Plain Python, because starting the app every few seconds would cost more than serving requests.
"""

from __future__ import annotations

import http.client
import os
import sys
import time
from pathlib import Path

SILENT_SECONDS = 60.0


def web_answers() -> bool:
    """Send a request as the proxy would, with the first allowed host name."""
    port = int(os.environ.get("WEB_BIND", ":8000").rpartition(":")[2])
    headers = {
        "Host": os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0],
        "X-Forwarded-Proto": "https",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4)
    try:
        connection.request("GET", "/health/live", headers=headers)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def worker_was_heard() -> bool:
    """Check the file that every sweep touches."""
    try:
        seen = Path(os.environ.get("VAR_DIR", "var"), "worker-seen").stat().st_mtime
    except OSError:
        return False
    return time.time() - seen < SILENT_SECONDS


def files_worker_was_heard() -> bool:
    """Check the heartbeat files of the worker for uploads."""
    now = time.time()
    folder = Path(os.environ.get("VAR_DIR", "var"), "workers")
    return any(now - path.stat().st_mtime < SILENT_SECONDS for path in folder.glob("files@*"))


ASKED = {"worker": worker_was_heard, "files": files_worker_was_heard}

if __name__ == "__main__":
    sys.exit(0 if ASKED.get("".join(sys.argv[1:]), web_answers)() else 1)
