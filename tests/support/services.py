"""Services that the tests can use and do not find, with the reason."""

from __future__ import annotations

import os
import shutil


def missing_services() -> dict[str, str]:
    """Return service → reason for every missing service."""
    study = os.environ.get("STUDY_DATA", "")
    reasons = {
        "PostgreSQL": _postgresql_reason(os.environ.get("DATABASE_URL", "")),
        "Redis": _redis_reason(os.environ.get("REDIS_URL", "")),
        "Chromium": "" if chromium() else "no `chromium` on the PATH, no browser tests",
        "Node.js": "" if shutil.which("npm") else "no `npm` on the PATH, the page's scripts are not checked",
        "Team's process set": _process_set_reason(),
        "Published study": "" if os.path.isdir(study) else "STUDY_DATA names no folder",
    }
    return {name: reason for name, reason in reasons.items() if reason}


def chromium() -> str | None:
    """Return the path of the browser, preferably without windows, which takes half the processor time."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


def _postgresql_reason(url: str) -> str:
    if not url.startswith("postgres"):
        return "DATABASE_URL names no PostgreSQL server, the tests run on SQLite only"
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.Error as error:
        return f"no connection to DATABASE_URL ({str(error).strip().splitlines()[0]})"
    return ""


def _redis_reason(url: str) -> str:
    if not url:
        return "REDIS_URL is not set, workers are tested on the folder queue only"
    import redis

    try:
        redis.Redis.from_url(url, socket_connect_timeout=3).ping()
    except redis.RedisError as error:
        return f"no answer from REDIS_URL ({error})"
    return ""


def _process_set_reason() -> str:
    from config.deploy.process_set import missing_programs

    missing = ", ".join(missing_programs())
    return f"{missing} not found, the set of a team's server is not started" if missing else ""
