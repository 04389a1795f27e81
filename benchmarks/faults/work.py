"""Jobs under the same faults: imports, exports and reports, each requested once and followed to its end."""

from __future__ import annotations

import csv
import io
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Final
from uuid import uuid4

from django_htmx.http import HTMX_STOP_POLLING
from openpyxl import load_workbook

from benchmarks.faults.seed import CSRF, Study
from benchmarks.faults.wire import Line, NoAnswer
from scoring.grid.taxonomy import CELL_BY_KEY, SHEET_COLUMNS
from tests.config.deploy.process_set import ProcessSet

IMAGES: Final = 40
KINDS: Final = ("import", "export", "report")
ENDS_WITHIN_SECONDS: Final = 420.0
ASKED_AT_MOST: Final = 4


class Lost(Exception):
    """Accepted, and never ended."""


class Failed(Exception):
    """Ended with a reason, so the client requests it again."""


class Tally:
    """The outcome of the jobs."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.numbers = iter(range(10**9))
        self.asked: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.lost: list[str] = []
        self.half: list[str] = []
        self.imported: set[str] = set()
        self.longest = 0.0


class Asker(threading.Thread):
    """A lead's program that requests jobs one after another and checks their results."""

    def __init__(self, running: ProcessSet, study: Study, tally: Tally, jobs: int) -> None:
        super().__init__(daemon=True)
        self.tally, self.jobs = tally, jobs
        self.web = Line(running, cookie=study.lead)

    def run(self) -> None:
        while (number := self._next()) < self.jobs:
            kind, begun = KINDS[number % len(KINDS)], time.monotonic()
            try:
                self._one(kind, number)
            except Lost as lost:
                self.tally.lost.append(f"{kind} {number}: {lost}")
            with self.tally.lock:
                self.tally.longest = max(self.tally.longest, time.monotonic() - begun)
        self.web.close()

    def _next(self) -> int:
        with self.tally.lock:
            return next(self.tally.numbers)

    def _one(self, kind: str, number: int) -> None:
        does: dict[str, Callable[[int], None]] = {
            "import": self._import,
            "export": self._export,
            "report": self._report,
        }
        with self.tally.lock:
            self.tally.asked[kind] += 1
        for _ in range(ASKED_AT_MOST):
            try:
                does[kind](number)
            except Failed as failed:
                with self.tally.lock:
                    self.tally.failed[str(failed)[:100]] += 1
            else:
                with self.tally.lock:
                    self.tally.done[kind] += 1
                return
        raise Lost(f"failed {ASKED_AT_MOST} times")

    def _import(self, number: int) -> None:
        code, key = f"coder-{number}", str(uuid4())
        row = dict.fromkeys(SHEET_COLUMNS, "")
        image = number % IMAGES + 1
        row |= {"Image Id": f"painter_person_{image:02}", "Model": "painter", "Prompt": "person"}
        row |= {"Pic Num.": str(image), "Annotator": code, CELL_BY_KEY["missing.limbs"].heading: "1/4c"}
        text = io.StringIO()
        csv.DictWriter(text, SHEET_COLUMNS).writeheader()
        csv.DictWriter(text, SHEET_COLUMNS).writerow(row)
        body, kind = _form({"request_key": key, "people": ""}, text.getvalue())
        reading = self._job_of("/projects/studied/rows/answers/", body, kind)
        self._ended(reading)
        body, kind = _form({"request_key": str(uuid4())})
        words = self._ended(self._job_of(f"/projects/studied/rows/answers/{reading}/", body, kind))
        if "Annotations: 1 added" not in words and "1 there already" not in words:
            self.tally.half.append(f"import {number}: {words[:1000]}")
        with self.tally.lock:
            self.tally.imported.add(code)

    def _export(self, number: int) -> None:
        wanted = {"layout": "marks", "format": "xlsx", "drafts": "on", "header": "published"}
        body, kind = _form({**wanted, "request_key": str(uuid4())})
        job = self._job_of("/projects/saves/exports/", body, kind)
        rows = re.search(r"([\d,]+) rows?\.", self._ended(job))
        path = f"/projects/saves/exports/{job}/file/"
        file = self._until(lambda: self.web.ask("GET", path), HTTPStatus.OK)[2]
        lines = len(list(load_workbook(io.BytesIO(file), read_only=True).worksheets[0].rows))
        if rows is None or lines != int(rows[1].replace(",", "")) + 1:
            self.tally.half.append(f"export {number}: {lines} lines, and the page says {rows and rows[1]}")

    def _report(self, number: int) -> None:
        path = "/projects/studied/reports/comparison"
        self._until(lambda: self.web.ask("POST", f"{path}/refresh/", *_form({})), HTTPStatus.FOUND)
        page = self._polled(f"{path}/status/", "the report")
        # Before the first import, a report has nothing to compute.
        if 'data-code="failed"' in page and "annotation" not in page.partition('data-code="failed"')[2][:500]:
            raise Failed(page[:1000])

    def _job_of(self, path: str, body: bytes, kind: str) -> int:
        _, headers, _ = self._until(lambda: self.web.ask("POST", path, body, kind), HTTPStatus.FOUND)
        found = re.fullmatch(r".*/jobs/(\d+)/", headers["Location"])
        if not found:
            raise Failed(f"sent to {headers['Location']}")
        return int(found[1])

    def _ended(self, job: int) -> str:
        """Return the page of a job that is done."""
        page = self._polled(f"/jobs/{job}/status/", f"job {job}")
        if 'data-code="done"' not in page:
            raise Failed(page[:1000])
        return page

    def _polled(self, path: str, what: str) -> str:
        """Ask for a status as its page does, until the work has ended."""
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        while time.monotonic() < deadline:
            status, _, page = self._until(lambda: self.web.ask("GET", path), HTTPStatus.OK, HTMX_STOP_POLLING)
            if status == HTMX_STOP_POLLING:
                return page.decode()
            time.sleep(0.5)
        raise Lost(f"{what} never ended")

    def _until(
        self, ask: Callable[[], tuple[int, dict[str, str], bytes]], *wanted: int
    ) -> tuple[int, dict[str, str], bytes]:
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        last = ""
        while time.monotonic() < deadline:
            try:
                answer = ask()
            except NoAnswer as error:
                last = str(error)
            else:
                if answer[0] in wanted:
                    return answer
                last = f"{answer[0]} {answer[2][:200]!r}"
                if answer[0] < 500 and answer[0] != 429:
                    raise Failed(last)
            time.sleep(0.5)
        raise Lost(f"no answer: {last}")


def _form(fields: dict[str, str], file: str = "") -> tuple[bytes, str]:
    border = uuid4().hex
    parts = [
        f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in {**fields, "csrfmiddlewaretoken": CSRF}.items()
    ]
    if file:
        head = 'Content-Disposition: form-data; name="file"; filename="sheet.csv"\r\nContent-Type: text/csv'
        parts.append(f"--{border}\r\n{head}\r\n\r\n{file}\r\n")
    return f"{''.join(parts)}--{border}--\r\n".encode(), f"multipart/form-data; boundary={border}"
