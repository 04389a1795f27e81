"""Answers written by a program: the rules of the annotation page, version, key and all."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.saving import LARGEST_PAYLOAD
from annotator.models import Annotation, Assignment, Batch, Event
from tests.analysis.api.callers import Caller
from tests.analysis.api.conftest import Study
from tests.annotator.acting import HANDS, LIMBS

pytestmark = pytest.mark.django_db


def said(payload: object = LIMBS, version: int = 0, **changes: object) -> dict[str, Any]:
    return {"payload": payload, "version": version, "request_key": str(uuid4()), **changes}


def test_a_draft_then_a_submission(study: Study, ada: Caller) -> None:
    path = f"/assignments/{study.queue[1].pk}"
    first = ada.post(f"{path}/save", said()).json()
    assert (first["version"], first["status"], first["payload"]) == (1, "draft", LIMBS)
    second = ada.post(f"{path}/submit", said(HANDS, 1, capture={"keys": 12})).json()
    assert (second["version"], second["status"], second["payload"]) == (2, "submitted", HANDS)
    row = Annotation.objects.get(pk=second["annotation"])
    assert (row.payload, row.status, row.ratings is not None) == (HANDS, "submitted", True)
    assert row.capture == {"keys": 12}
    assert Assignment.objects.get(pk=study.queue[1].pk).status == "done"
    events = Event.objects.filter(assignment=study.queue[1]).values_list("verb", "actor")
    ada_herself = study.people["ada"].user_id
    assert list(events) == [("draft_saved", ada_herself), ("submitted", ada_herself)]


def test_a_stale_version_changes_nothing_and_is_told_what_is_there(study: Study, ada: Caller) -> None:
    path = f"/assignments/{study.queue[1].pk}/save"
    ada.post(path, said())
    refused = ada.post(path, said(HANDS, 0))
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "stale"
    current = refused.json()["current"]
    assert (current["version"], current["payload"], current["status"]) == (1, LIMBS, "draft")
    assert Annotation.objects.get(assignment=study.queue[1]).payload == LIMBS


def test_the_same_request_twice_is_answered_twice_and_done_once(study: Study, ada: Caller) -> None:
    same = said()
    path = f"/assignments/{study.queue[1].pk}/submit"
    first, second = (ada.post(path, same) for _ in range(2))
    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert Event.objects.filter(assignment=study.queue[1]).count() == 1
    other = ada.post(path, {**same, "payload": HANDS})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")


def test_a_submitted_answer_is_reopened_first(study: Study, ada: Caller) -> None:
    path = f"/assignments/{study.queue[0].pk}"
    assert ada.post(f"{path}/save", said(HANDS, 1)).json()["error"]["code"] == "submitted"
    back = {"version": 1, "request_key": str(uuid4()), "reason": "A slip."}
    opened = ada.post(f"{path}/reopen", back)
    assert (opened.status_code, opened.json()["answer"], opened.json()["version"]) == (200, "reopened", 2)
    assert ada.post(f"{path}/submit", said(HANDS, 2)).json()["version"] == 3
    stale = {"version": 1, "request_key": str(uuid4())}
    assert ada.post(f"{path}/reopen", stale).json()["error"]["code"] == "stale"


def test_skipping_and_taking_up_again(study: Study, ada: Caller) -> None:
    path = f"/assignments/{study.queue[1].pk}"
    why = {"reason": "broken", "note": "Half a picture.", "version": 0, "request_key": str(uuid4())}
    assert ada.post(f"{path}/skip", why).json()["status"] == "skipped"
    assert ada.post(f"{path}/skip", {**why, "reason": "dull", "request_key": str(uuid4())}).status_code == 422
    back = {"version": 0, "request_key": str(uuid4())}
    assert ada.post(f"{path}/reopen", back).json()["status"] == "open"


def test_a_closed_batch_takes_nothing(study: Study, ada: Caller) -> None:
    Batch.objects.update(status="closed")
    answer = ada.post(f"/assignments/{study.queue[1].pk}/save", said())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "closed")
    assert answer.json()["current"]["version"] == 0


def test_an_incomplete_answer_is_no_submission(study: Study, ada: Caller) -> None:
    answer = ada.post(f"/assignments/{study.queue[1].pk}/submit", said({**LIMBS, "marks": []}))
    assert answer.status_code == 422
    assert answer.json()["error"]["fields"]
    assert not Annotation.objects.filter(assignment=study.queue[1]).exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"payload": None}, "payload"),
        ({"payload": "text"}, "payload"),
        ({"version": -1}, "version"),
        ({"version": "0"}, "version"),
        ({"version": True}, "version"),
        ({"version": 2**63}, "version"),
        ({"request_key": "mine"}, "request_key"),
        ({"request_key": 5}, "request_key"),
        ({"extra": 1}, "extra"),
    ],
)
@pytest.mark.few(3)
def test_what_cannot_be_taken_is_named(
    study: Study, ada: Caller, change: dict[str, object], field: str
) -> None:
    answer = ada.post(f"/assignments/{study.queue[1].pk}/save", said(**change))  # type: ignore[arg-type]
    assert answer.status_code == 422
    assert list(answer.json()["error"]["fields"]) == [field]
    assert not Annotation.objects.filter(assignment=study.queue[1]).exists()


class TestBodies:
    """What is not JSON of a bounded size."""

    def ask(self, study: Study, ada: Caller, body: bytes, kind: str = "application/json") -> tuple[int, str]:
        answer = ada.ask("POST", f"/assignments/{study.queue[1].pk}/save", body, kind)
        assert not Annotation.objects.filter(assignment=study.queue[1]).exists()
        return answer.status_code, answer.json()["error"]["code"]

    @pytest.mark.parametrize(
        "body", [b"{", b"\xff", b'{"version": NaN}', b"[" * 100_000, b'{"version": 1,}', b"no"]
    )
    @pytest.mark.few(2)
    def test_that_cannot_be_read(self, study: Study, ada: Caller, body: bytes) -> None:
        assert self.ask(study, ada, body) == (400, "malformed")

    @pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"null", b'"text"', b"5"])
    @pytest.mark.few(2)
    def test_that_is_something_else(self, study: Study, ada: Caller, body: bytes) -> None:
        assert self.ask(study, ada, body) == (422, "invalid")

    @pytest.mark.parametrize(
        "kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"]
    )
    def test_of_another_kind(self, study: Study, ada: Caller, kind: str) -> None:
        assert self.ask(study, ada, b"payload=1", kind) == (415, "unsupported_media_type")

    def test_that_is_too_large(self, study: Study, ada: Caller) -> None:
        assert self.ask(study, ada, b" " * (2 * LARGEST_PAYLOAD + 1)) == (413, "too_large")

    def test_with_half_a_character(self, study: Study, ada: Caller) -> None:
        status, _ = self.ask(
            study,
            ada,
            b'{"payload": {"note": "\\ud800"}, "version": 0, "request_key": "%s"}' % str(uuid4()).encode(),
        )
        assert status == 422


def test_a_reading_token_writes_nothing(study: Study) -> None:
    reader = study.caller("ada", scope="read")
    answer = reader.post(f"/assignments/{study.queue[1].pk}/save", said())
    assert answer.status_code == 403
    assert answer.json()["error"] == {
        "code": "read_only",
        "message": "This token is read-only. Create one that may read and write.",
        "fields": {},
    }
    assert not Annotation.objects.filter(assignment=study.queue[1]).exists()
    assert reader.get("/projects/pilot/queue").status_code == 200


def test_a_session_changes_nothing_here(study: Study) -> None:
    nobody = study.caller("ada")
    user = study.people["ada"].user
    assert user is not None
    nobody.client.force_login(user)
    answer = nobody.client.post(
        f"/api/v1/assignments/{study.queue[1].pk}/save", said(), content_type="application/json"
    )
    assert answer.status_code == 401
