"""`make test`: every check, the tests on SQLite, and the tests on PostgreSQL with Redis where they answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

# Pure computation, the text of the repository and the embedded demo are the same on every database.
PURE = (
    "tests/scoring",
    "tests/analysis/stats",
    "tests/annotator/demo",
    "tests/annotator/uploads/test_memory.py",
    "tests/config/test_env.py",
    "tests/config/test_transport.py",
    *(f"tests/test_{name}.py" for name in ("architecture", "bundle", "containers", "demo")),
    *(f"tests/test_{name}.py" for name in ("javascript", "repository", "run")),
)
# So do these: they look at pages. What saves, submits and conflicts in a browser runs on both.
LOOKS = tuple(
    f"tests/browser/test_{name}.py"
    for name in (
        *("accessibility", "api_pages", "guide", "health", "labelling_steps"),
        *("markup", "messages", "offline", "replay", "reports", "uploads"),
    )
)
# The process set brings its own PostgreSQL and Redis.
NEEDS_NO_DATABASE = [
    *(f"--ignore={place}" for place in (*PURE, *LOOKS, "tests/config/deploy")),
    *("-m", "not looks and not folder_queue"),
]


LATE_AT_TIMES = ("tests/browser/", "tests/config/deploy/")
AT_MOST_AGAIN = 3
"""So many failed tests of these are tried a second time; more of them say that something is wrong."""


def main() -> int:
    """Run all steps, say what was skipped by name, and return the exit status."""
    # Before anything of the site is imported, which names its settings in the environment.
    server = dict(os.environ)
    # Hundreds of processes are started: if none may keep its compiled modules, each compiles them anew.
    server.pop("PYTHONDONTWRITEBYTECODE", None)
    embedded = {name: value for name, value in server.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    python = [sys.executable, "-m"]
    skipped = missing_services()
    # Tests of PostgreSQL and Redis run with both; where they cannot, pytest names them as skipped.
    deferred = [] if {"PostgreSQL", "Redis"} & set(skipped) else ["-m", "not redis and not postgres"]
    steps: list[tuple[str, list[str], Mapping[str, str]]] = [
        ("style", [*python, "ruff", "check", "."], embedded),
        ("format", [*python, "ruff", "format", "--check", "."], embedded),
        ("types", [*python, "mypy", "."], embedded),
        ("tests on SQLite", [*python, "pytest", *deferred], embedded),
    ]
    if "PostgreSQL" not in skipped:
        if "Redis" in skipped:
            server.pop("REDIS_URL", None)
        steps.append(("tests on PostgreSQL", [*python, "pytest", *NEEDS_NO_DATABASE], server))
    # The two test runs share nothing but the machine: side by side they take little longer than one.
    side_by_side = min(2, os.cpu_count() or 1)
    with ThreadPoolExecutor(side_by_side) as pool:
        passed = list(pool.map(lambda step: run(*step), steps))
    failed = [name for (name, *_), good in zip(steps, passed, strict=True) if not good]
    for name, reason in skipped.items():
        print(f"SKIPPED {name}: {reason}")
    if skipped and os.environ.get("NOTHING_SKIPPED"):
        failed.append("services missing: " + ", ".join(skipped))
    print(f"FAILED: {'; '.join(failed)}" if failed else "All steps passed.")
    return 1 if failed else 0


def run(name: str, command: list[str], environment: Mapping[str, str]) -> bool:
    """Run one step, show what it said once it has ended, and return whether it passed.

    A browser, or a whole set of processes, on a machine that does much else may be late where nothing is
    wrong. What failed there is tried once more, alone, and named; it counts as passed only if it passes then.
    """
    print(f"── {name}: begun", flush=True)
    passed, said = _run(name, command, environment)
    if not passed and (again := to_try_again(said)):
        names = ", ".join(again)
        passed, _ = _run(f"{name}, once more", [*command[:3], *again], environment)
        print(f"── {name}: {names}: failed at first, {'passed' if passed else 'FAILED'} at last", flush=True)
    return passed


def _run(name: str, command: list[str], environment: Mapping[str, str]) -> tuple[bool, str]:
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        ended = subprocess.run(
            command, env=dict(environment), check=False, stdout=output, stderr=subprocess.STDOUT
        )
        output.seek(0)
        said = output.read().rstrip()
    passed = ended.returncode == 0
    # In one piece, so that two steps at once do not mix their lines.
    print(
        f"{said}\n── {name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    return passed, said


def to_try_again(said: str) -> list[str]:
    """Return the tests that pytest's summary names as failed, where they are few and all LATE_AT_TIMES."""
    lines = [line.partition(" ")[2] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    names = list(dict.fromkeys(line.partition(" - ")[0] for line in lines))
    late = all(name.startswith(LATE_AT_TIMES) and "::" in name for name in names)
    return names if late and len(names) <= AT_MOST_AGAIN else []


def missing_services() -> dict[str, str]:
    """Return service → reason for everything the tests could use and do not find."""
    study = os.environ.get("STUDY_DATA", "")
    reasons = {
        "PostgreSQL": _postgresql_reason(os.environ.get("DATABASE_URL", "")),
        "Redis": _redis_reason(os.environ.get("REDIS_URL", "")),
        "Chromium": "" if shutil.which("chromium") else "no `chromium` on the PATH, browser tests not run",
        "Node.js": "" if shutil.which("npm") else "no `npm` on the PATH, the page's scripts were not checked",
        "Team's process set": _process_set_reason(),
        "Published study": "" if os.path.isdir(study) else "STUDY_DATA names no folder",
    }
    return {name: reason for name, reason in reasons.items() if reason}


def _postgresql_reason(url: str) -> str:
    if not url.startswith("postgres"):
        return "DATABASE_URL names no PostgreSQL server, the tests ran on SQLite only"
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.Error as error:
        return f"no connection to DATABASE_URL ({str(error).strip().splitlines()[0]})"
    return ""


def _redis_reason(url: str) -> str:
    if not url:
        return "REDIS_URL is not set, workers were tested on the folder queue only"
    import redis

    try:
        redis.Redis.from_url(url, socket_connect_timeout=3).ping()
    except redis.RedisError as error:
        return f"no answer from REDIS_URL ({error})"
    return ""


def _process_set_reason() -> str:
    from config.deploy.process_set import missing_programs

    missing = ", ".join(missing_programs())
    return f"{missing} not found, the set of a team's server was not started" if missing else ""


if __name__ == "__main__":
    sys.exit(main())
