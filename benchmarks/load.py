"""Is everything stored, and how long do annotators wait, at 50 submissions a second?

    .venv/bin/python -m benchmarks.load [--rate 50] [--seconds 30]

PostgreSQL, Redis, web, workers, beat and the proxy run on this machine. Eight annotators are locust
(`locustfile.py`), over TLS, on the same cores. Ends with status 1 if a request failed, if less than nine
tenths of the rate was reached, or if what is stored is not what was acknowledged.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, Final

from benchmarks.faults.seed import CLIENTS, CSRF, Person, history, seed
from benchmarks.faults.wire import Line
from tests.config.deploy.process_set import ROOT, ProcessSet, free_ports, missing_programs
from tests.config.deploy.team import interpreter

PAYLOAD: Final[dict[str, Any]] = {
    "people": None,
    "counts": {"expected": {}, "visible": {}},
    "counts_set": {"expected": [], "visible": []},
    "marks": [
        {
            "type": kind,
            "part": part,
            "severity": "b",
            "affected": 1,
            "total": 4,
            "own_total": True,
            "pins": [],
        }
        for kind, part in (("missing", "limbs"), ("missing", "hands"), ("extra", "feet"))
    ],
    "no_errors": False,
    "flag": None,
}


def main() -> int:
    """Start the set, seed it, let locust submit, compare; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rate", type=float, default=50, help="submissions a second; default 50")
    parser.add_argument("--seconds", type=int, default=30, help="default 30")
    options = parser.parse_args()
    if missing := missing_programs():
        print(f"Not found on this machine: {', '.join(missing)}.")
        return 1
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the set ends with this program
    folder = Path(tempfile.mkdtemp(prefix="anatomark-load-"))
    folder.chmod(0o755)  # the processes are not root's
    python, extra = interpreter(folder)
    running = ProcessSet(folder / "set", free_ports(), python=python, extra=extra)
    try:
        running.prepare()
        running.start_all()
        return submit(running, folder, options.rate, options.seconds)
    finally:
        running.stop_all()
        shutil.rmtree(folder, ignore_errors=True)


def submit(running: ProcessSet, folder: Path, rate: float, seconds: int) -> int:
    """Submit at a rate, print locust's summary and the comparison; return the exit status."""
    people = seed(running, ceil(rate * seconds / CLIENTS) + 1, 1).people
    with ThreadPoolExecutor(CLIENTS) as together:  # every web process loads its modules first
        list(together.map(partial(_look, running), people * 2))
    address = f"https://localhost:{running.ports.https}"
    headers = {"Referer": f"{address}/", "X-CSRFToken": CSRF}
    load: dict[str, Any] = {
        "rate": rate,
        "certificate": str(running.home / "secrets" / "tls.crt"),
        "told": str(folder / "told.json"),
        "payload": PAYLOAD,
        "people": [
            {
                "headers": {**headers, "Cookie": f"anatomark_session={person.cookie}; anatomark_csrf={CSRF}"},
                "assignments": list(person.assignments),
            }
            for person in people
        ],
    }
    (folder / "load.json").write_text(json.dumps(load), encoding="utf-8")
    options = ["--headless", "--only-summary", "-u", str(CLIENTS), "-r", str(CLIENTS), "-t", f"{seconds}s"]
    options += ["--stop-timeout", "30"]
    command = [sys.executable, "-m", "locust", "-f", "benchmarks/locustfile.py", "--host", address, *options]
    env = {**os.environ, "LOAD": str(folder / "load.json")}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    told = json.loads(Path(load["told"]).read_text(encoding="utf-8"))
    acknowledged = {tuple(pair) for pair in told["acknowledged"]}
    stored = [(pk, note) for pk, versions in history(running).items() for _, note in versions]
    lost, more = len(acknowledged - set(stored)), len(stored) - len(acknowledged)
    print(f"{len(acknowledged):,} submissions acknowledged, {told['rate']:.1f} a second of {rate:.1f}; ")
    print(f"{lost} of them not stored, {more} stored and not acknowledged")
    return int(done.returncode != 0 or lost > 0 or more != 0 or told["rate"] < 0.9 * rate)


def _look(running: ProcessSet, person: Person) -> None:
    first = next(iter(person.assignments))
    Line(running, cookie=person.cookie).ask("GET", f"/assignments/{first}/state")


if __name__ == "__main__":
    sys.exit(main())
