"""Jobs under the same faults: imports, exports and reports, each requested once and followed to its end."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

from benchmarks.faults.seed import CSRF, Study
from benchmarks.faults.wire import Line, NoAnswer
from config.deploy.process_set import ProcessSet
from scoring.grid.taxonomy import CELL_BY_KEY, SHEET_COLUMNS

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
        self.api = Line(running, token=study.token)

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
        self.api.close()

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
        reading = self._job_of("/projects/studied/answers/", body, kind)
        self._ended(reading)
        body, kind = _form({"request_key": str(uuid4()), "action": "store"})
        words = self._ended(self._job_of(f"/projects/studied/answers/{reading}/", body, kind))["words"]
        if "Annotations: 1 added" not in words and "1 there already" not in words:
            self.tally.half.append(f"import {number}: {words}")
        with self.tally.lock:
            self.tally.imported.add(code)

    def _export(self, number: int) -> None:
        form = ("csv", "jsonl")[number % 2]
        order = {"layout": "marks", "format": form, "drafts": True, "request_key": str(uuid4())}
        said = self._api("POST", "/api/v1/projects/saves/exports", order, 202)
        rows = re.match(r"([\d,]+) rows?\.", self._ended(said["id"])["words"])
        body = self._until(lambda: self.api.ask("GET", f"/api/v1/exports/{said['id']}/file"), 200)[2]
        lines = body.decode("utf-8-sig").splitlines()
        if rows is None or len(lines) != int(rows[1].replace(",", "")) + (form == "csv"):
            self.tally.half.append(
                f"export {number}: {len(lines)} lines of {form}, and said {rows and rows[1]}"
            )

    def _report(self, number: int) -> None:
        path = "/api/v1/projects/studied/reports/annotators"
        self._api("POST", f"{path}/refresh", {}, 202)
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        while time.monotonic() < deadline:
            latest = self._api("GET", f"{path}/status", None, 200)["latest"]
            if latest["status"] == "done":
                return
            if latest["status"] == "failed":
                # Before the first import, a report has nothing to compute.
                if "annotation" in latest["error"].lower():
                    return
                raise Failed(latest["error"])
            time.sleep(0.5)
        raise Lost("the report never ended")

    def _job_of(self, path: str, body: bytes, kind: str) -> int:
        _, headers, _ = self._until(lambda: self.web.ask("POST", path, body, kind), 302)
        found = re.fullmatch(r".*/jobs/(\d+)/", headers["Location"])
        if not found:
            raise Failed(f"sent to {headers['Location']}")
        return int(found[1])

    def _ended(self, job: int) -> dict[str, Any]:
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        while time.monotonic() < deadline:
            said = self._api("GET", f"/api/v1/jobs/{job}", None, 200)
            if said["status"] == "done":
                return said
            if said["status"] in {"failed", "cancelled"}:
                raise Failed(said["error"] or said["status"])
            time.sleep(0.5)
        raise Lost(f"job {job} is still {said['status']}")

    def _api(self, method: str, path: str, sent: object, wanted: int) -> dict[str, Any]:
        body = b"" if sent is None else json.dumps(sent).encode()
        said: dict[str, Any] = json.loads(self._until(lambda: self.api.ask(method, path, body), wanted)[2])
        return said

    def _until(
        self, ask: Callable[[], tuple[int, dict[str, str], bytes]], wanted: int
    ) -> tuple[int, dict[str, str], bytes]:
        deadline = time.monotonic() + ENDS_WITHIN_SECONDS
        last = ""
        while time.monotonic() < deadline:
            try:
                answer = ask()
            except NoAnswer as error:
                last = str(error)
            else:
                if answer[0] == wanted:
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
