"""What one annotator's browser asks for: the first image's state; then picture, drafts, submission, again.

A walk yields the kind and the bytes of each request and is sent status and body. The loop decides when a
request goes out (`pace`).
"""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

Asked = tuple[str, bytes]
Answered = tuple[int, bytes]
Walk = Generator[Asked, Answered, None]

NEXT: Final = "next"
PICTURE: Final = "picture"
SAVE: Final = "save"
SUBMIT: Final = "submit"
BARE_VIEW: Final = "bare view"
BARE_INSERT: Final = "bare INSERT"

_MARK: Final = {"severity": "b", "affected": 1, "total": 4, "own_total": True, "pins": []}
_CELLS: Final = (("missing", "limbs"), ("missing", "hands"), ("extra", "feet"), ("configuration", "hands"))
PAYLOAD: Final[dict[str, Any]] = {
    "people": None,
    "counts": {"expected": {}, "visible": {}},
    "counts_set": {"expected": [], "visible": []},
    "marks": [{**_MARK, "type": kind, "part": part} for kind, part in _CELLS],
    "no_errors": False,
    "flag": None,
}
_CAPTURE: Final = {
    "opened_at": "2026-01-05T09:00:00.000Z",
    "first_input_at": "2026-01-05T09:00:02.500Z",
    "sent_at": "2026-01-05T09:00:16.400Z",
    "visible_ms": 16400,
    "active_ms": 13900,
    "keys": 22,
    "clicks": 0,
    "taps": 0,
    "undos": 0,
    "first_cell": "missing.limbs",
    "viewport": [1280, 720],
    "image_css": [768, 512],
    "pixel_ratio": 1,
    "surround": "light",
    "score_shown": False,
}
# The browser repeats the same text; here it is made once.
_BEGINS: Final = json.dumps({"capture": _CAPTURE, "payload": PAYLOAD})[:-2]


class Unexpected(Exception):
    """An unexpected response."""


@dataclass
class Person:
    """A signed-in annotator, and their present assignment; None if none is left."""

    cookie: str
    at: int | None
    version: int = 0
    submitted: list[int] = field(default_factory=list)
    saves: int = 0

    def __post_init__(self) -> None:
        self._cookies = f"Cookie: anatomark_session={self.cookie}; anatomark_csrf={CSRF}\r\n"

    def get(self, path: str, accept: str = "application/json") -> bytes:
        """Return the bytes of a GET."""
        return f"GET {path} HTTP/1.1\r\n{_COMMON}{self._cookies}Accept: {accept}\r\n\r\n".encode()

    def post(self, path: str, body: str) -> bytes:
        """Return the bytes of a POST of JSON."""
        head = f"POST {path} HTTP/1.1\r\n{_COMMON}{self._cookies}X-CSRFToken: {CSRF}\r\n"
        kind = f"Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        return f"{head}{kind}\r\n\r\n{body}".encode()


CSRF: Final = "c" * 32
_COMMON: Final = "Host: localhost\r\nReferer: https://localhost/\r\nUser-Agent: load\r\n"


def labelling(person: Person, saves: int, *, pictures: bool = True, already: int = 0) -> Walk:
    """Go through a person's images: picture, so many drafts, submission; ends with their queue.

    The first state is requested, the others come with the submissions, as in the page. Of the first image's
    drafts so many are left out as `already` says: not everybody begins an image at once.
    """
    state: dict[str, Any] | None = None
    while person.at is not None:
        here = f"/assignments/{person.at}"
        if state is None:
            state = _said((yield NEXT, person.get(f"{here}/state")), NEXT)
        person.version = state["version"]
        if pictures:
            answered = yield PICTURE, person.get(state["image"]["src"], "image/webp")
            if answered[0] != 200 or answered[1][8:12] != b"WEBP":
                raise Unexpected(f"{PICTURE}: {answered[0]} {answered[1][:100]!r}")
        left, already = saves - already, 0
        for _ in range(left):
            stored = _said((yield SAVE, person.post(f"{here}/save", _body(person.version))), SAVE)
            _follows(stored, person)
            person.saves += 1
        stored = _said((yield SUBMIT, person.post(f"{here}/submit", _body(person.version))), SUBMIT)
        _follows(stored, person)
        person.submitted.append(person.at)
        state = stored["state"]
        person.at = state["id"] if state else None


def bare(person: Person, *, insert: bool) -> Walk:
    """Request the floor repeatedly: a view that stores one row, or an empty one."""
    kind = BARE_INSERT if insert else BARE_VIEW
    request = person.post("/bare/insert/", "{}") if insert else person.get("/bare/")
    while True:
        _said((yield kind, request), kind)


def _body(version: int) -> str:
    return f'{_BEGINS}, "note": "version {version}"}}, "version": {version}, "request_key": "{uuid4()}"}}'


def _said(answered: Answered, kind: str) -> dict[str, Any]:
    status, body = answered
    if status != 200:
        raise Unexpected(f"{kind}: {status} {body[:200]!r}")
    said: dict[str, Any] = json.loads(body)
    return said


def _follows(stored: dict[str, Any], person: Person) -> None:
    if stored["version"] != person.version + 1:
        raise Unexpected(f"version {stored['version']} after {person.version}")
    person.version += 1
