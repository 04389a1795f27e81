"""Saving, submitting and reopening, one request after the other; what is given, no browser changes."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotator.annotations.capture import InvalidCapture, read_capture
from annotator.annotations.versioned_changes import AlreadySubmitted, NotSubmitted
from annotator.models import Annotation, Assignment, Event
from scoring.protocol import InvalidPayload
from tests.annotator.acting import HANDS, LIMBS, person, reopen, save, status_of, submit, verbs
from tests.factories import REFERENCE, make_assignment, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


# The manual's worked example; it scores 67/60.
WORKED_EXAMPLE = make_payload(REFERENCE)
WORKED_RATINGS = [
    ["cumulative_score", "", "67/60"],
    ["error_fraction", "missing.limbs.c", "1/4"],
    ["error_fraction", "missing.hands.b", "1/3"],
    ["error_fraction", "missing.face.a", "1/1"],
    ["error_fraction", "configuration.hands.b", "1/3"],
    ["error_fraction", "configuration.hands.c", "1/3"],
]


def test_first_draft_is_version_one(assignment: Assignment) -> None:
    key = uuid4()
    annotation = save(assignment, LIMBS, key=key)
    assert (annotation.version, annotation.status, annotation.payload) == (1, "draft", LIMBS)
    assert (annotation.ratings, annotation.submitted_at, annotation.warnings) == (None, None, [])
    assert status_of(assignment) == "open"
    event = Event.objects.get()
    assert (event.verb, event.data) == ("draft_saved", {"version": 1, "replaced": None})
    values = (event.project, event.actor, event.request_key)
    assert values == (assignment.batch.project, person(assignment), key)


def test_each_draft_leaves_an_event_with_what_it_replaced(assignment: Assignment) -> None:
    first = save(assignment, LIMBS)
    second = save(assignment, HANDS, replaces=1)
    assert (second.pk, second.version, second.payload) == (first.pk, 2, HANDS)
    event = Event.objects.filter(assignment=assignment).latest("pk")
    kept = {"version": 1, "status": "draft", "payload": LIMBS, "warnings": [], "ratings": None}
    times = {"saved_at": first.saved_at.isoformat(), "submitted_at": None}
    assert event.data == {"version": 2, "replaced": {**kept, **times}}


def test_a_draft_of_a_skipped_image_opens_the_assignment(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status="skipped")
    save(assignment)
    assert status_of(assignment) == "open"


def test_submit_rates_and_closes(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    annotation = submit(assignment, WORKED_EXAMPLE, replaces=1)
    assert (annotation.version, annotation.status, annotation.payload) == (2, "submitted", WORKED_EXAMPLE)
    assert annotation.ratings == WORKED_RATINGS
    assert annotation.submitted_at is not None
    assert (status_of(assignment), annotation.assignment.status) == ("done", "done")
    assert verbs(assignment) == ["draft_saved", "submitted"]


def test_ratings_use_the_weights_of_the_project() -> None:
    project = make_project(weights={"a": "0.1", "b": "1/3", "c": "2"})
    annotation = submit(make_assignment(make_member(project)), WORKED_EXAMPLE)
    # 2/4 + 1/9 + 1/10 + 1/9 + 2/3
    assert annotation.ratings is not None
    assert annotation.ratings[0] == ["cumulative_score", "", "67/45"]
    assert annotation.ratings[1:] == WORKED_RATINGS[1:]


def test_an_incomplete_answer_is_not_submitted(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    with pytest.raises(InvalidPayload):
        submit(assignment, {}, replaces=1)
    assert (Annotation.objects.get().status, status_of(assignment)) == ("draft", "open")
    assert verbs(assignment) == ["draft_saved"]


def test_a_submitted_answer_is_not_edited(assignment: Assignment) -> None:
    submit(assignment, LIMBS)
    before = Annotation.objects.values().get()
    for act in (save, submit):
        for replaces in (0, 1, 2):
            with pytest.raises(AlreadySubmitted) as caught:
                act(assignment, LIMBS, replaces=replaces)
            assert caught.value.current.payload == LIMBS
    assert Annotation.objects.values().get() == before
    assert verbs(assignment) == ["submitted"]


def test_a_later_failure_undoes_a_submission(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImproperlyConfigured("no summaries today")

    monkeypatch.setattr("annotator.annotations.versioned_changes.summarise", fail)
    with pytest.raises(ImproperlyConfigured):
        submit(assignment)
    assert (Annotation.objects.count(), Event.objects.count()) == (0, 0)
    assert status_of(assignment) == "open"


def test_reopening_withdraws_and_keeps_what_was_submitted(assignment: Assignment) -> None:
    submitted = submit(assignment, WORKED_EXAMPLE)
    annotation = reopen(assignment, replaces=1)
    assert (annotation.version, annotation.status, annotation.payload) == (2, "reopened", WORKED_EXAMPLE)
    assert (annotation.ratings, annotation.submitted_at) == (None, None)
    assert status_of(assignment) == "open"
    replaced = Event.objects.get(verb="reopened").data["replaced"]
    assert (replaced["status"], replaced["ratings"]) == ("submitted", WORKED_RATINGS)
    assert submitted.submitted_at is not None
    assert replaced["submitted_at"] == submitted.submitted_at.isoformat()


@pytest.mark.parametrize("begun", [True, False])
def test_only_a_submitted_answer_is_reopened(assignment: Assignment, begun: bool) -> None:
    if begun:
        save(assignment)
    with pytest.raises(NotSubmitted):
        reopen(assignment, replaces=int(begun))
    assert "reopened" not in verbs(assignment)


FIG_8 = {
    "opened_at": "2025-01-14T10:41:20.114Z",
    "first_input_at": "2025-01-14T10:41:43.902Z",
    "sent_at": "2025-01-14T10:42:07.310Z",
    "visible_ms": 47196,
    "active_ms": 21450,
    "keys": 17,
    "clicks": 1,
    "taps": 0,
    "undos": 0,
    "first_cell": "missing.limbs",
    "viewport": [1280, 720],
    "image_css": [592, 395],
    "pixel_ratio": 1,
    "surround": "light",
    "score_shown": False,
}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"first_input_at": None, "visible_ms": 0.25},
        {"visible_ms": 31 * 24 * 60 * 60 * 1000},
        {"image_css": [0, 394.6640625]},
        {"pixel_ratio": 1.25},
        {"opened_at": "2025-01-14T10:41:20Z"},
        {"first_cell": "realism"},
        {"zoom": "loupe", "zoom_ms": 683},
        {"suggestion": 7, "shown_ms": 4000},
        {"confirmed": ["configuration.hands", "missing.feet"], "visited": ["missing.torso"]},
    ],
)
def test_within_bounds(change: dict[str, Any]) -> None:
    assert read_capture({**FIG_8, **change}) == {**FIG_8, **change}


ODD: tuple[object, ...] = ("\0", "x" * 10_000, {}, [[]], -1, float("nan"), 10**400)
MOMENTS: tuple[object, ...] = ("2025-02-30T10:00:00Z", "2025-01-14T10:41:20", "1899-01-14T10:41:20Z")
SIDES: tuple[object, ...] = ([], [1, 2, 3], [1, -1], [1, True], [1, 100_001])
WRONG: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("opened_at", "sent_at"), (True, None, *MOMENTS)),
    "first_input_at": (True, *MOMENTS),
    **dict.fromkeys(("visible_ms", "active_ms"), (True, None, 31 * 24 * 60 * 60 * 1000 + 1)),
    **dict.fromkeys(("keys", "clicks", "taps", "undos"), (True, None, 1.5, 1.0, 1_000_001)),
    **dict.fromkeys(("viewport", "image_css"), (True, None, *SIDES)),
    "pixel_ratio": (True, None, 0, 101),
    "surround": (True, None, "auto"),
    "first_cell": (True, "Missing · Limbs", "", "a." * 4),
    "score_shown": (None,),
}


@pytest.mark.parametrize("key", FIG_8)
def test_what_cannot_be_true_is_dropped_by_name(key: str) -> None:
    for value in (*ODD, *WRONG[key]):
        with pytest.raises(InvalidCapture) as caught:
            read_capture({**FIG_8, key: value})
        assert (value, str(caught.value)) == (value, key)
