"""`make test` and `make test-all`: the checks and the tests, and what was skipped, by name.

`make test` runs the style, the types, the environment of the runtime lock, and every test that is not
marked `thorough`: on PostgreSQL where it answers, else on SQLite. What can differ by database (`databases`)
runs on both. `make test-all` runs every test, with ten times as many generated examples and every page at
every size; what stores anything runs again on the other database, of what the browser does the main paths;
every race is run 200 times on both; and the containers. Nothing is tried again: a test that fails has failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.services import missing_services

AT_A_TIME = 2
"""Steps side by side; each pytest has as many workers as there are processors, some of which always wait."""
TELLS_EVERY = 30
"""Seconds between two lines that say how far a step is."""


@dataclass(frozen=True)
class Step:
    """One command; passed where it ends with status 0."""

    name: str
    command: list[str]
    environment: Mapping[str, str]


def main(arguments: list[str]) -> int:
    """Run all steps, say what was skipped by name, and return the exit status."""
    begun = time.monotonic()
    # Before anything of the site is imported, which names its settings in the environment.
    server = dict(os.environ)
    skipped = missing_services()
    steps = steps_of(everything="--all" in arguments, skipped=frozenset(skipped), server=server)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        failed = [step.name for step, passed in zip(steps, pool.map(run, steps), strict=True) if not passed]
    for name, reason in skipped.items():
        print(f"SKIPPED {name}: {reason}")
    if skipped and os.environ.get("NOTHING_SKIPPED"):
        failed.append("services missing: " + ", ".join(skipped))
    ended = f"in {time.monotonic() - begun:.0f} s"
    print(f"FAILED {ended}: {'; '.join(failed)}" if failed else f"All steps passed {ended}.")
    return 1 if failed else 0


def steps_of(*, everything: bool, skipped: frozenset[str], server: dict[str, str]) -> list[Step]:
    """Return what is run. `server` is the environment, which names the services."""
    # Hundreds of processes are started: if none may keep its compiled modules, each compiles them anew.
    server.pop("PYTHONDONTWRITEBYTECODE", None)
    if everything:
        server["THOROUGH"] = "1"
    for service, name in (("PostgreSQL", "DATABASE_URL"), ("Redis", "REDIS_URL")):
        if service in skipped:
            server.pop(name, None)
    embedded = {name: value for name, value in server.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    database = "SQLite" if "PostgreSQL" in skipped else "PostgreSQL"
    steps = [
        _tests(database, server, "" if everything else "not thorough"),
        _module("types", embedded, "mypy", "."),
        _module("style", embedded, "ruff", "check", "."),
        _module("format", embedded, "ruff", "format", "--check", "."),
        _module("what is installed", server, "tests.runtime", *(["--all"] if everything else [])),
    ]
    races = [
        _module(f"races on {name}", server, "benchmarks.races", "--database", name.lower())
        for name in sorted({"SQLite", database})
    ]
    if everything:
        # In one thread most of the time, so beside what keeps all processors busy.
        steps += races
    if database == "PostgreSQL":
        # Not at the start: in a fresh folder the workers of both would compile every library at once.
        # Neither what a page does in the browser differs, nor what more generated examples would find.
        differs = "stores and (main_path or not browser)" if everything else "databases and not thorough"
        again = embedded | {"EXAMPLES": "1"}
        steps.append(_tests("SQLite", again, f"{differs} and not postgres and not redis"))
    if everything:
        steps.append(_module("containers", server, "tests.containers"))
    return steps


def _tests(database: str, environment: Mapping[str, str], kinds: str) -> Step:
    spread = ("-n", str(min(8, os.cpu_count() or 1)), "--dist", "worksteal")
    marked = ("-m", kinds) if kinds else ()
    return _module(f"tests on {database}", environment, "pytest", *spread, *marked)


def _module(name: str, environment: Mapping[str, str], *command: str) -> Step:
    return Step(name, [sys.executable, "-m", *command], environment)


def run(step: Step) -> bool:
    """Run one step, show what it said once it has ended, and return whether it passed."""
    print(f"── {step.name}: begun", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("wb") as output:
            process = subprocess.Popen(
                step.command, env=dict(step.environment), stdout=output, stderr=subprocess.STDOUT
            )
        while True:
            try:
                status = process.wait(timeout=TELLS_EVERY)
                break
            except subprocess.TimeoutExpired:
                print(f"── {step.name}: {how_far(said.read_bytes())}", flush=True)
        words = said.read_text(errors="replace").rstrip()
    # In one piece, so that two steps at once do not mix their lines.
    ended = "passed" if status == 0 else "FAILED"
    print(f"{words}\n── {step.name}: {ended} in {time.monotonic() - begun:.0f} s", flush=True)
    return status == 0


def how_far(said: bytes) -> str:
    """Return the last share that pytest printed, and how many have failed by then."""
    shares = [line for line in said.splitlines() if line.endswith(b"%]")]
    share = shares[-1][-5:-1].decode().strip() if shares else "0%"
    failed = sum(line[:72].count(b"F") + line[:72].count(b"E") for line in shares)
    return f"{share}, {failed} failed" if failed else share


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
