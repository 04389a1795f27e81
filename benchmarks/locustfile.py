"""Annotators who submit image after image, together at a steady rate; `load.py` starts them.

LOAD names a JSON file with `people` (cookies and assignments), `rate` (submissions a second of all together),
`certificate`, and `acknowledged`, the file for assignment and note of every acknowledged submission.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

from locust import HttpUser, constant_throughput, events, task
from locust.exception import StopUser

LOAD: dict[str, Any] = json.loads(Path(os.environ["LOAD"]).read_text(encoding="utf-8"))
PEOPLE = list(LOAD["people"])
ACKNOWLEDGED: list[tuple[int, str]] = []


class Annotator(HttpUser):  # type: ignore[misc]
    """One signed-in annotator with a queue."""

    wait_time = constant_throughput(LOAD["rate"] / len(PEOPLE))

    def on_start(self) -> None:
        """Take one person's session and queue."""
        person = PEOPLE.pop()
        self.client.verify = LOAD["certificate"]
        self.client.headers.update(person["headers"])
        self.queue = iter(person["assignments"])

    @task  # type: ignore[untyped-decorator]
    def submit(self) -> None:
        """Submit the next image; its answer carries the one after it."""
        assignment = next(self.queue, None)
        if assignment is None:
            raise StopUser
        note = str(uuid4())
        sent = {"version": 0, "payload": {**LOAD["payload"], "note": note}, "request_key": str(uuid4())}
        answer = self.client.post(f"/assignments/{assignment}/submit", json=sent, name="submit")
        if answer.status_code == 200 and answer.json()["version"] == 1:
            ACKNOWLEDGED.append((assignment, note))


@events.test_stop.add_listener  # type: ignore[untyped-decorator]
def tell(**_: object) -> None:
    """Write down what was acknowledged."""
    Path(LOAD["acknowledged"]).write_text(json.dumps(ACKNOWLEDGED), encoding="utf-8")
