"""Log lines as JSON with the request id, without secrets and personal data.

Independent of Django, because gunicorn logs through it before the app loads. Error messages often quote rows
with personal data, so only the type of error and the code locations are kept.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the current request, which the proxy creates and logs too."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_HIDDEN: Final = (
    (re.compile(r"(/(?:join|pictures)/)[^/\s\"'?]+"), r"\1-"),
    (re.compile(r"(/[^\s\"'?]*)\?[^\s\"']*"), r"\1"),  # queries
    (re.compile(r"(\w+://)[^/\s@]*@"), r"\1-@"),  # name and password in an address
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "-"),  # email
    (re.compile(r"\banm_[\w-]+"), "anm_-"),
    (
        re.compile(r"(?i)(password|secret|token|authorization|cookie|sessionid)(\"?'?\s*[=:]\s*)[^\s,;]+"),
        r"\1\2-",
    ),
)
_QUOTED_EXCEPTIONS: Final = frozenset({"ImproperlyConfigured", "SystemExit"})


class JsonFormatter(logging.Formatter):
    """Formats one JSON object per line: time, level, logger, message, and request and error if known."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": hidden(_message(record)),
        }
        if name := request_id.get():
            line["request"] = name
        if isinstance(status := getattr(record, "status_code", None), int):
            line["status"] = status
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _error(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def hidden(text: str) -> str:
    """Return a text without secret URLs, queries, passwords, email addresses and tokens."""
    for pattern, instead in _HIDDEN:
        text = pattern.sub(instead, text)
    return text


def _message(record: logging.LogRecord) -> str:
    text = record.getMessage()
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return text
    # Celery's own lines repeat the error message and traceback.
    head = text.split("\nTraceback", 1)[0]
    for words in (repr(error), str(error)):
        if words:
            head = head.replace(words, type(error).__name__)
    return head


def _error(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)[-12:]
    said: dict[str, Any] = {
        "type": type(error).__qualname__,
        "where": [f"{_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, OSError) and error.strerror:
        said["reason"] = error.strerror
    if type(error).__name__ in _QUOTED_EXCEPTIONS:
        said["reason"] = hidden(str(error))
    cause = error.__cause__ or error.__context__
    if cause is not None:
        said["cause"] = type(cause).__qualname__
    return said


def _place(name: str) -> str:
    path = Path(name)
    return path.relative_to(_ROOT).as_posix() if path.is_relative_to(_ROOT) else path.name
