"""A team's process set in the environment under test, used over HTTP by a person, a program and workers."""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode
from uuid import uuid4

import openpyxl
import pyarrow.parquet
from django_htmx.http import HTMX_STOP_POLLING

from tests.config.deploy.process_set import ProcessSet, free_ports
from tests.config.deploy.team import SEED, Browser, eventually, interpreter

TOKEN = """
from annotator.people.tokens import create_token
_, secret = create_token(user=people["lead-a"].user, name="check", days=1)
print("token " + secret)
"""


def check(home: Path) -> Iterator[str]:
    """Start everything with the environment in `home` and use it; yields each part that works.

    Raises AssertionError or NotStarted for what does not.
    """
    with started(home) as team:
        yield "web, worker and beat run on PostgreSQL and Redis"
        token = _seeded(team)
        browser = Browser(team)
        eventually(lambda: browser.ask("/health/ready")[0] == 200)
        yield "/health/ready says ready"
        answer(team)
        report(team, token)
        yield "a report requested on its page is computed, and read over the API"
        exports(team, token)
        yield "exports are made: Parquet and XLSX by the worker, CSV over the API"
        for name in ("web", "worker", "beat"):
            assert "Traceback" not in team.log(name).read_text(), team.log(name).read_text()[-3000:]


@contextmanager
def started(home: Path) -> Iterator[ProcessSet]:
    """Run the whole set with the environment in `home`."""
    place = Path(tempfile.mkdtemp(prefix="anatomark-runtime-"))
    place.chmod(0o755)  # the processes are not root's
    python, told = interpreter(home, home / "bin" / "python")
    extra = {
        "PYTHONPATH": "",  # nothing of whoever starts the check
        **told,
        "PYTHONPYCACHEPREFIX": "",  # importing everything has compiled it where it lies
        "WEB_WORKERS": "1",
        "STATIC_COLLECTED": "0",  # compressing them takes seconds and no library
    }
    team = ProcessSet(place, free_ports(), python=python, extra=extra)
    try:
        team.prepare()
        team.start_all()
        yield team
    except AssertionError as failed:
        logs = {name: team.log(name).read_text()[-2000:] for name in ("web", "worker", "beat")}
        said = "\n".join(f"── {name}\n{log}" for name, log in logs.items())
        raise AssertionError(f"{failed}\n{said}") from failed
    finally:
        team.stop_all()
        shutil.rmtree(place, ignore_errors=True)


def _seeded(team: ProcessSet) -> str:
    said = team.manage("shell", "-c", SEED + TOKEN).stdout
    (team.home / "seeded").write_text(said)
    return said.split("token ")[1].strip()


def answer(team: ProcessSet) -> None:
    """Submit one annotation, as the page does."""
    annotator = Browser(team).sign_in("annotator-a")
    first = annotator.assignments("annotator-a")[0]
    said = annotator.answer(first, "submit", version=0)
    assert (said["http"], said.get("status")) == (200, "submitted"), said


def report(team: ProcessSet, token: str) -> None:
    """Request a report on its page, wait for the worker, and read it over the API."""
    lead = Browser(team).sign_in("lead-a")
    _sent(lead, "/projects/team/reports/comparison/refresh/")
    path = "/api/v1/projects/team/reports/comparison"
    status, body = eventually(lambda: _finished(lead, path, token))
    assert (status, json.loads(body)["annotations"]) == (200, 1), body[:2000]


def exports(team: ProcessSet, token: str) -> None:
    """Request the two kinds of file that only a worker makes, wait, and read them; read a third by API."""
    lead = Browser(team).sign_in("lead-a")
    files = {}
    for form in ("parquet", "xlsx"):
        wanted = {"layout": "scores", "format": form, "header": "published", "request_key": str(uuid4())}
        page = _sent(lead, "/projects/team/exports/", **wanted)
        job = re.findall(rb"/jobs/(\d+)/", page)[0].decode()
        ended = eventually(lambda job=job: _page_of_ended(lead, job))
        assert b'data-code="done"' in ended, ended[:2000]
        files[form] = lead.ask(f"/projects/team/exports/{job}/file/")[2]
    assert pyarrow.parquet.read_table(io.BytesIO(files["parquet"])).num_rows == 1
    assert len(list(openpyxl.load_workbook(io.BytesIO(files["xlsx"])).worksheets[0].rows)) == 2
    by_api = lead.ask("/api/v1/projects/team/exports/scores.csv", Authorization=f"Bearer {token}")
    assert (by_api[0], len(by_api[2].splitlines())) == (200, 2)


def _sent(browser: Browser, path: str, **fields: str) -> bytes:
    """Send a form; return the page it leads to."""
    form = urlencode({**fields, "csrfmiddlewaretoken": browser.token()}).encode()
    status, _, page = browser.ask(path, form)
    assert status == 200, (path, status, page[:2000])
    return page


def _finished(browser: Browser, path: str, token: str) -> tuple[int, bytes] | None:
    status, _, body = browser.ask(path, Authorization=f"Bearer {token}")
    return None if status == 404 else (status, body)


def _page_of_ended(browser: Browser, job: str) -> bytes | None:
    status, _, page = browser.ask(f"/jobs/{job}/status/")
    return page if status == HTMX_STOP_POLLING else None
