"""What a container is asked every few seconds: does the web answer, or was a worker heard of lately?

Plain Python, because starting the app for it would cost more than serving people does.
"""

from __future__ import annotations

import http.client
import os
import sys
import time
from pathlib import Path

SILENT_SECONDS = 60.0


def web_answers() -> bool:
    """Ask as the proxy would, under the first name the site is allowed to have."""
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
    """Look at the file that every sweep touches."""
    try:
        seen = Path(os.environ.get("VAR_DIR", "var"), "worker-seen").stat().st_mtime
    except OSError:
        return False
    return time.time() - seen < SILENT_SECONDS


def files_worker_was_heard() -> bool:
    """Look at the files that the worker for brought files touches while it is alive."""
    now = time.time()
    folder = Path(os.environ.get("VAR_DIR", "var"), "workers")
    return any(now - path.stat().st_mtime < SILENT_SECONDS for path in folder.glob("files@*"))


ASKED = {"worker": worker_was_heard, "files": files_worker_was_heard}

if __name__ == "__main__":
    sys.exit(0 if ASKED.get("".join(sys.argv[1:]), web_answers)() else 1)
