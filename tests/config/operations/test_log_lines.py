"""Log lines: JSON, with the request's id, without secrets and people."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.db import IntegrityError

from config.operations.log_lines import JsonFormatter, hidden, request_id


def line(message: str, *args: Any, error: BaseException | None = None) -> dict[str, Any]:
    told = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("a.logger", logging.ERROR, __file__, 1, message, args, told)
    return dict(json.loads(JsonFormatter().format(record)))


def test_a_line_is_one_object_with_the_request() -> None:
    token = request_id.set("f" * 32)
    try:
        said = line("Job %s stays\nqueued", 7)
    finally:
        request_id.reset(token)
    assert (said["level"], said["logger"], said["message"]) == ("ERROR", "a.logger", "Job 7 stays\nqueued")
    assert said["request"] == "f" * 32
    assert said["time"].endswith("+00:00")
    assert "request" not in line("later")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Not Found: /join/S3cret-Word/", "Not Found: /join/-/"),
        ("GET /pictures/abc.def failed", "GET /pictures/- failed"),
        ("Not Found: /people/?q=annotator-a", "Not Found: /people/"),
        ("redis://:hunter2@host:1/0 is down", "redis://-@host:1/0 is down"),
        ("mail to person@example.org", "mail to -"),
        ("Bearer anm_abcDEF-123", "Bearer anm_-"),
        ("password=hunter2, next", "password=-, next"),
        ("Job 7 stays queued", "Job 7 stays queued"),
    ],
)
def test_what_nobody_may_read_is_left_out(text: str, kept: str) -> None:
    assert hidden(text) == kept


def test_an_error_is_told_by_its_kind_and_place_not_by_what_it_quotes() -> None:
    try:
        raise IntegrityError("duplicate key\nDETAIL: Key (project_id, code)=(3, code-of-a) already exists.")
    except IntegrityError as error:
        said = line(
            "Task x[1] raised unexpected: %r\nTraceback (most recent call last): code-of-a",
            error,
            error=error,
        )
    assert said["message"] == "Task x[1] raised unexpected: IntegrityError"
    assert said["error"]["type"] == "IntegrityError"
    assert said["error"]["where"][0].startswith("tests/config/operations/test_log_lines.py:")
    assert "code-of-a" not in json.dumps(said)


def test_a_full_disk_is_named() -> None:
    assert line("x", error=OSError(28, "No space left on device", "/who/knows"))["error"]["reason"] == (
        "No space left on device"
    )
