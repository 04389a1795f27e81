"""`make test` and `make test-all`: run the checks and the tests, and name missing services.

`make test` checks style, types and the environment of the runtime lock, and runs every test not marked
`thorough`: on PostgreSQL if it responds, otherwise on SQLite. Tests marked `databases` run on both, except
those marked `slow`.

`make test-all` runs every test, with ten times as many generated examples, every combination and every page
at every size. On the other database, it repeats every test marked `databases`, the others that store anything
as `make test` runs them, and the main paths in the browser. It plays every race 200 times on both, and tests
the containers. Failed tests are not retried.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.support.services import missing_services

AT_A_TIME, AT_A_TIME_OF_ALL = 2, 3
"""Steps at a time; each pytest has one worker more than processors, and some of them are always waiting. The
races of `make test-all` wait two thirds of their time."""
ABOUT_DATABASES = re.compile(r"databases|transaction(al_db|=True)|live_server")
TELLS_EVERY = 30
"""Seconds between two lines of progress."""
LOOKS_EVERY = 0.2
"""Seconds between two looks at a running step."""


@dataclass(frozen=True)
class Step:
    """One command, which passes with status 0. The output of a `quiet` one is printed only if it fails."""

    name: str
    command: list[str]
    environment: Mapping[str, str]
    quiet: bool = False
    after: str = ""
    """The step that must have ended before this one starts."""


def main(arguments: list[str]) -> int:
    """Run all steps, name what was skipped, and return the exit status."""
    begun = time.monotonic()
    # Before importing the site, which adds its settings to the environment.
    server = dict(os.environ)
    skipped = missing_services()
    everything = "--all" in arguments
    steps = steps_of(everything=everything, skipped=frozenset(skipped), server=server)
    failed = run_all(steps, AT_A_TIME_OF_ALL if everything else AT_A_TIME)
    for name, reason in skipped.items():
        print(f"SKIPPED {name}: {reason}")
    if skipped and os.environ.get("NOTHING_SKIPPED"):
        failed.append("services missing: " + ", ".join(skipped))
    took = f"in {time.monotonic() - begun:.0f} s"
    print(f"FAILED {took}: {'; '.join(failed)}" if failed else f"All steps passed {took}.")
    return 1 if failed else 0


def steps_of(*, everything: bool, skipped: frozenset[str], server: dict[str, str]) -> list[Step]:
    """Return the steps. `server` is the environment with the services."""
    # Hundreds of processes start: without stored bytecode, each would compile the modules again.
    server.pop("PYTHONDONTWRITEBYTECODE", None)
    if everything:
        server["THOROUGH"] = "1"
    for service, name in (("PostgreSQL", "DATABASE_URL"), ("Redis", "REDIS_URL")):
        if service in skipped:
            server.pop(name, None)
    embedded = {name: value for name, value in server.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    database = "SQLite" if "PostgreSQL" in skipped else "PostgreSQL"
    # Containers add network interfaces, and Chromium aborts connections whenever one is added.
    containers = _module("containers", server, "tests.containers")
    steps = [
        *([containers] if everything else []),
        _module("types", embedded, "mypy", "."),
        _module("style", embedded, "ruff", "check", "."),
        _module("format", embedded, "ruff", "format", "--check", "."),
        # In a new folder, each worker of the tests would compile every module.
        _module("bytecode", server, "pytest", "-p", "no:xdist", "--collect-only", "-q", quiet=True),
    ]
    runtime = _module("runtime environment", server, "tests.runtime", *(["--all"] if everything else []))
    after = containers.name if everything else ""
    tests = [_tests(database, server, "" if everything else "not thorough", after=after)]
    if database == "PostgreSQL":
        # The browser, further generated examples and every combination behave alike on both databases.
        differs = "databases and not (thorough or slow)"
        if everything:
            differs = "(databases or stores and not thorough) and (main_path or not browser)"
        again = {name: value for name, value in embedded.items() if name != "THOROUGH"}
        kinds = f"{differs} and not postgres and not redis"
        places = () if everything else about_databases()
        tests.append(_tests("SQLite", again, kinds, places=places, shared=everything, after=after))
    if not everything:
        return [*steps, tests[0], runtime, *tests[1:]]
    # Mostly one thread, so they run beside steps that use all processors.
    races = [
        _module(f"races on {name}", server, "benchmarks.races", "--database", name.lower())
        for name in sorted({"SQLite", database})
    ]
    return [*steps, races[0], runtime, tests[0], *races[1:], *tests[1:]]


def about_databases() -> list[str]:
    """Return the modules with cases marked `databases`: importing all others takes longer than they run."""
    modules = sorted(Path("tests").rglob("test_*.py"))
    return [str(path) for path in modules if ABOUT_DATABASES.search(path.read_text(encoding="utf-8"))]


def _tests(
    database: str,
    environment: Mapping[str, str],
    kinds: str,
    *,
    places: Collection[str] = (),
    shared: bool = True,
    after: str = "",
) -> Step:
    # One more than processors: browsers and services keep workers waiting. Each worker imports every test, so
    # a few hundred cases are not shared.
    workers = str(min(8, (os.cpu_count() or 1) + 1))
    spread = ("-n", workers, "--dist", "worksteal") if shared else ("-p", "no:xdist")
    marked = ("-m", kinds) if kinds else ()
    return _module(f"tests on {database}", environment, "pytest", *spread, *places, *marked, after=after)


def _module(
    name: str, environment: Mapping[str, str], *command: str, quiet: bool = False, after: str = ""
) -> Step:
    return Step(name, [sys.executable, "-m", *command], environment, quiet, after)


def run_all(steps: Sequence[Step], at_a_time: int) -> list[str]:
    """Run the steps in their order, so many at a time, and return the names of those that failed."""
    ended = {step.name: threading.Event() for step in steps}

    def passed(step: Step) -> bool:
        if step.after:
            ended[step.after].wait()
        try:
            return run(step)
        finally:
            ended[step.name].set()

    with ThreadPoolExecutor(at_a_time) as pool:
        return [step.name for step, good in zip(steps, pool.map(passed, steps), strict=True) if not good]


def run(step: Step) -> bool:
    """Run one step, print its output at the end, and return whether it passed."""
    print(f"── {step.name}: started", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("wb") as output:
            process = subprocess.Popen(
                step.command, env=dict(step.environment), stdout=output, stderr=subprocess.STDOUT
            )
        told = begun
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                break
            time.sleep(LOOKS_EVERY)
            if time.monotonic() - told >= TELLS_EVERY:
                told = time.monotonic()
                print(f"── {step.name}: {how_far(said.read_bytes())}", flush=True)
        words = said.read_text(errors="replace").rstrip()
    # In one write, so that parallel steps do not mix their lines.
    ended = "FAILED" if process.returncode else "passed"
    seconds = f"{time.monotonic() - begun:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processor"
    words = "" if step.quiet and not process.returncode else f"{words}\n"
    print(f"{words}── {step.name}: {ended} in {seconds}", flush=True)
    return process.returncode == 0


def how_far(said: bytes) -> str:
    """Return the last percentage that pytest printed and the failures so far; without one, that it runs."""
    shares = [line for line in said.splitlines() if line.endswith(b"%]")]
    share = shares[-1][-5:-1].decode().strip() if shares else "running"
    failed = sum(line[:72].count(b"F") + line[:72].count(b"E") for line in shares)
    return f"{share}, {failed} failed" if failed else share


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
