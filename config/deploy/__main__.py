"""`python -m config.deploy FOLDER`: run the whole process set in one local folder until Ctrl+C."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from pathlib import Path

from config.deploy.process_set import NotStarted, Ports, ProcessSet, missing_programs
from config.deploy.supervising import watch


def main() -> int:
    """Start the set, restart processes that end, stop on Ctrl+C; return the exit status."""
    options = _options()
    if missing := missing_programs():
        print(f"Not installed: {', '.join(missing)}. docs/how-to/deployment.md names the packages.")
        return 1
    told = {name: text for name, text in os.environ.items() if name.startswith(("MEDIA_STORE", "AWS_"))}
    running = ProcessSet(options.folder.resolve(), Ports(https=options.port), user=options.user, extra=told)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        running.prepare()
        running.start_all()
        print(f"Anatomark is ready: https://localhost:{options.port}/", flush=True)
        watch(running, threading.Event(), lambda line: print(line, flush=True))
    except KeyboardInterrupt:
        print("Stopping.", flush=True)
    except NotStarted as error:
        print(error)
        return 1
    finally:
        running.stop_all()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m config.deploy", description=__doc__)
    parser.add_argument("folder", type=Path, help="keeps database, queue, media, secrets and logs")
    parser.add_argument("--port", type=int, default=8443, help="HTTPS port on 127.0.0.1; default 8443")
    parser.add_argument("--user", default="nobody", help="account of the processes if root starts them")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
