"""Health check of the web container: does it respond to what the proxy would send?

Plain Python, because starting the app every few seconds would cost more than serving requests.
"""

from __future__ import annotations

import os
import sys
from urllib.request import Request, urlopen

if __name__ == "__main__":
    port = os.environ.get("WEB_BIND", ":8000").rpartition(":")[2]
    headers = {
        "Host": os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0],
        "X-Forwarded-Proto": "https",
    }
    request = Request(f"http://127.0.0.1:{port}/health/live", headers=headers)
    try:
        urlopen(request, timeout=4)  # noqa: S310
    except OSError:
        sys.exit(1)
