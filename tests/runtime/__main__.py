"""`python -m tests.runtime`: does the product run with requirements.lock and nothing else?

Exit status 0 where it does. What this machine has no programs for is named as skipped; with NOTHING_SKIPPED
set that is a failure.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from moto.server import ThreadedMotoServer

from config.env import MediaStore
from tests.config.deploy.process_set import NotStarted, missing_programs
from tests.runtime.interpreters import ROOT, Interpreter, NotInstalled, chosen, environment, interpreters
from tests.support.object_store import KEYS, environment_of, new_bucket


class Missing(RuntimeError):
    """A package of the development lock only; the message names it."""


def main() -> int:
    """Check the oldest Python of this machine and the newest; return the exit status."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    found, failed = interpreters(), False
    for python in chosen(found):
        begun = time.monotonic()
        try:
            for part in check(python):
                print(f"Python {python.name}: {part} ({time.monotonic() - begun:.0f} s)", flush=True)
        except (Missing, NotInstalled, NotStarted, AssertionError) as error:
            print(f"Python {python.name}: FAILED\n{error}", flush=True)
            failed = True
    if len({python.version[:2] for python in found}) < 2:
        print("SKIPPED a newer Python: none was found")
        failed = failed or bool(os.environ.get("NOTHING_SKIPPED"))
    if missing := missing_programs():
        print(f"SKIPPED web, worker and beat on PostgreSQL and Redis: {', '.join(missing)} not found")
        failed = failed or bool(os.environ.get("NOTHING_SKIPPED"))
    return 1 if failed else 0


def check(python: Interpreter) -> Iterator[str]:
    """Yield each part that works; raise for the first that does not."""
    home = environment(python)
    yield "requirements.lock is installed"
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        store = MediaStore(new_bucket(address), "team", address, "us-east-1", **KEYS)
        _inside(home, environment_of(store))
    finally:
        server.stop()
    yield "every import and command loads, figures are drawn, a bucket of an S3 server keeps media"
    if not missing_programs():
        from tests.runtime.served import check as served

        yield from served(home)


def _inside(home: Path, told: Mapping[str, str]) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    command = [str(home / "bin" / "python"), "-W", "ignore", "-m", "tests.runtime.inside"]
    with tempfile.TemporaryDirectory(prefix="anatomark-runtime-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "VAR_DIR": folder}
        environment = {**kept, **settings, **told}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{done.stdout.strip()}\n{done.stderr[-3000:]}".strip())


if __name__ == "__main__":
    sys.exit(main())
