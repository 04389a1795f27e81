"""Clients that save unique values one after another and retry until acknowledged."""

from __future__ import annotations

import csv
import io
import json
import random
import threading
import time
from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

from benchmarks.faults.ledger import Ledger
from benchmarks.faults.seed import Person, Study
from benchmarks.faults.wire import Line, NoAnswer
from tests.config.deploy.process_set import ProcessSet

# Four marks encode a value, because the export has marks and no notes.
BASE: Final = 99
PARTS: Final = ("torso", "limbs", "hands", "feet")
GIVES_UP_SECONDS: Final = 180.0
PAUSE_SECONDS: Final = 0.25


class Saver(threading.Thread):
    """One client. Without `key`, retries get new keys; `early` records a save before its response."""

    def __init__(
        self,
        running: ProcessSet,
        person: Person,
        ledger: Ledger,
        numbers: range,
        seed: int,
        *,
        key: bool = True,
        early: bool = False,
    ) -> None:
        super().__init__(daemon=True)
        self.person, self.ledger, self.numbers, self.key, self.early = person, ledger, numbers, key, early
        self.line = Line(running, cookie=person.cookie)
        self.random = random.Random(seed)
        self.versions = dict.fromkeys(person.assignments, 0)
        self.last: dict[int, int] = {}
        self.failed = ""

    def run(self) -> None:
        try:
            for ident in self.numbers:
                self._save(self.random.choice(list(self.versions)), ident)
        except Exception as error:
            self.failed = f"{type(error).__name__}: {error}"
            raise
        finally:
            self.line.close()

    def _save(self, pk: int, ident: int) -> None:
        note, begun = f"value {ident}", time.monotonic()
        sent = {"payload": payload(ident, note), "request_key": str(uuid4()), "version": self.versions[pk]}
        if self.early:
            self._told(pk, self.versions[pk] + 1, ident, note, 0.0)
        first = True
        while time.monotonic() - begun < GIVES_UP_SECONDS:
            if not first:
                self.ledger.repeat()
                time.sleep(PAUSE_SECONDS)
                if not self.key:
                    sent["request_key"] = str(uuid4())
            first = False
            status, said = self._ask("POST", f"/assignments/{pk}/save", sent)
            if status == 200:
                if not self.early:
                    self._told(pk, int(said["version"]), ident, note, time.monotonic() - begun)
                return
            if status == 409:
                self._stale(pk, said)
                sent["version"], sent["request_key"] = self.versions[pk], str(uuid4())
            elif self.early:
                return
            elif status and status < 500:
                self.ledger.remark(f"status {status}")
        raise TimeoutError(f"{note} was not stored within {GIVES_UP_SECONDS:.0f} s")

    def _told(self, pk: int, version: int, ident: int, note: str, waited: float) -> None:
        if version != self.versions[pk] + 1:
            self.ledger.remark("a version that does not follow")
        self.versions[pk], self.last[pk] = version, ident
        self.ledger.acknowledge(pk, version, note, waited)

    def _stale(self, pk: int, said: Mapping[str, Any]) -> None:
        behind = int(said["version"]) < self.versions[pk]
        self.ledger.remark("an older version than acknowledged" if behind else "a newer version than known")
        self.versions[pk] = int(said["version"])

    def _ask(self, method: str, path: str, sent: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        try:
            status, _, body = self.line.ask(method, path, json.dumps(sent).encode())
        except NoAnswer:
            return 0, {}
        try:
            return status, json.loads(body) if status in {200, 409} else {}
        except ValueError:
            return 0, {}


def payload(ident: int, note: str) -> dict[str, Any]:
    """Return an annotation that encodes a number in marks."""
    marks = []
    for place, part in enumerate(PARTS):
        affected = ident // BASE**place % BASE + 1
        mark = {"type": "missing", "part": part, "severity": "a", "affected": affected, "total": BASE}
        marks.append({**mark, "own_total": True, "pins": []})
    return {
        "people": None,
        "counts": {"expected": {}, "visible": {}},
        "counts_set": {"expected": [], "visible": []},
        "marks": marks,
        "no_errors": False,
        "flag": None,
        "note": note,
    }


def exported(running: ProcessSet, study: Study) -> dict[int, int]:
    """Read the numbers back from the export of marks."""
    line = Line(running, token=study.token)
    status, _, body = line.ask("GET", "/api/v1/projects/saves/exports/marks.csv")
    line.close()
    if status != 200:
        raise RuntimeError(f"The export was answered with {status}: {body[:300]!r}")
    places = {
        (person.code, number): pk for person in study.people for pk, number in person.assignments.items()
    }
    found: dict[int, int] = {}
    for row in csv.DictReader(io.StringIO(body.decode("utf-8-sig"))):
        named = {name.lower().replace(" ", "_").rstrip("."): text for name, text in row.items()}
        pk = places[named["annotator"], int(named.get("pic_num") or named["number"])]
        digit = PARTS.index(named["body_part"])
        found[pk] = found.get(pk, 0) + (int(named["affected"]) - 1) * BASE**digit
    return found
