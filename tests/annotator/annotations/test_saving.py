"""Saving, submitting and reopening, one request after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import (
    LARGEST_PAYLOAD,
    AlreadySubmitted,
    InvalidPayload,
    NotSubmitted,
    StaleVersion,
    rate,
)
from annotator.models import Annotation, Assignment, Event
from scoring.anatomy.protocol import ANATOMY
from scoring.protocol import PayloadWarning, Protocol
from tests.annotator.acting import HANDS, LIMBS, person, reopen, save, status_of, submit, verbs
from tests.factories import make_assignment, make_member, make_payload, make_project, make_user

pytestmark = pytest.mark.django_db

# The manual's worked example; it scores 67/60.
WORKED_EXAMPLE = make_payload(
    [
        ("missing.limbs", "1/4c"),
        ("missing.hands", "1/3b"),
        ("missing.face", "2/2a"),
        ("configuration.hands", "1/3b"),
        ("configuration.hands", "1/3c"),
    ]
)
WORKED_RATINGS = [
    ["cumulative_score", "", "67/60"],
    ["error_fraction", "missing.limbs.c", "1/4"],
    ["error_fraction", "missing.hands.b", "1/3"],
    ["error_fraction", "missing.face.a", "1/1"],
    ["error_fraction", "configuration.hands.b", "1/3"],
    ["error_fraction", "configuration.hands.c", "1/3"],
]


# Drafts


def test_first_draft_is_version_one(assignment: Assignment) -> None:
    key = uuid4()
    annotation = save(assignment, LIMBS, key=key)
    assert (annotation.version, annotation.status, annotation.payload) == (1, "draft", LIMBS)
    assert (annotation.ratings, annotation.submitted_at, annotation.warnings) == (None, None, [])
    assert status_of(assignment) == "open"
    event = Event.objects.get()
    assert (event.verb, event.data) == ("draft_saved", {"version": 1, "replaced": None})
    assert (event.project, event.actor, event.request_key) == (
        assignment.batch.project,
        person(assignment),
        key,
    )


def test_each_draft_leaves_an_event_with_what_it_replaced(assignment: Assignment) -> None:
    first = save(assignment, LIMBS)
    second = save(assignment, HANDS, replaces=1)
    assert (second.pk, second.version, second.payload) == (first.pk, 2, HANDS)
    event = Event.objects.filter(assignment=assignment).last()
    assert event is not None
    assert event.data == {
        "version": 2,
        "replaced": {
            "version": 1,
            "status": "draft",
            "payload": LIMBS,
            "warnings": [],
            "ratings": None,
            "saved_at": first.saved_at.isoformat(),
            "submitted_at": None,
        },
    }


def test_a_draft_may_be_empty_and_is_stored_in_canonical_form(assignment: Assignment) -> None:
    assert save(assignment, {}).payload == ANATOMY.empty()


def test_a_draft_of_a_skipped_image_opens_the_assignment(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status="skipped")
    save(assignment)
    assert status_of(assignment) == "open"


def test_a_draft_touches_no_other_assignment(assignment: Assignment) -> None:
    other = make_assignment(assignment.annotator, image=assignment.image)
    save(assignment, LIMBS)
    submit(other, HANDS)
    assert Annotation.objects.get(assignment=assignment).payload == LIMBS
    assert (status_of(assignment), status_of(other)) == ("open", "done")


# Submitting


def test_submit_rates_and_closes(assignment: Assignment) -> None:
    save(assignment, LIMBS)
    annotation = submit(assignment, WORKED_EXAMPLE, replaces=1)
    assert (annotation.version, annotation.status, annotation.payload) == (2, "submitted", WORKED_EXAMPLE)
    assert annotation.ratings == WORKED_RATINGS
    assert annotation.submitted_at is not None
    assert (status_of(assignment), annotation.assignment.status) == ("done", "done")
    assert verbs(assignment) == ["draft_saved", "submitted"]


def test_submit_without_a_draft(assignment: Assignment) -> None:
    annotation = submit(assignment, make_payload([]))
    assert (annotation.version, annotation.ratings) == (1, [["cumulative_score", "", "0/1"]])
    assert Event.objects.get().data == {"version": 1, "replaced": None}


def test_ratings_use_the_weights_of_the_project() -> None:
    project = make_project(weights={"a": "0.1", "b": "1/3", "c": "2"})
    annotation = submit(make_assignment(make_member(project)), WORKED_EXAMPLE)
    # 2/4 + 1/9 + 1/10 + 1/9 + 2/3
    assert annotation.ratings is not None
    assert annotation.ratings[0] == ["cumulative_score", "", "67/45"]
    assert annotation.ratings[1:] == WORKED_RATINGS[1:]


def test_warnings_are_stored(assignment: Assignment) -> None:
    annotation = submit(assignment, make_payload([("extra.limbs", "3/4a"), ("extra.limbs", "2/5b")]))
    assert [(warning["field"], warning["code"]) for warning in annotation.warnings] == [
        ("marks.extra.limbs", "different_totals")
    ]
    assert all(warning["message"] for warning in annotation.warnings)


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


def test_what_fails_after_the_write_undoes_the_submission(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ImproperlyConfigured("no summaries today")

    monkeypatch.setattr("annotator.annotations.versioned_changes.summarise", fail)
    with pytest.raises(ImproperlyConfigured):
        submit(assignment)
    assert (Annotation.objects.count(), Event.objects.count()) == (0, 0)
    assert status_of(assignment) == "open"


# Reopening


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


def test_a_reopened_answer_is_edited_and_submitted_again(assignment: Assignment) -> None:
    submit(assignment, LIMBS)
    reopen(assignment, replaces=1)
    draft = save(assignment, HANDS, replaces=2)
    assert (draft.status, draft.version) == ("reopened", 3)
    final = submit(assignment, HANDS, replaces=3)
    assert (final.status, final.version, final.payload) == ("submitted", 4, HANDS)
    assert final.ratings == [["cumulative_score", "", "1/6"], ["error_fraction", "missing.hands.b", "1/3"]]
    assert status_of(assignment) == "done"
    assert verbs(assignment) == ["submitted", "reopened", "draft_saved", "submitted"]


def test_reopening_names_the_version_too(assignment: Assignment) -> None:
    submit(assignment)
    with pytest.raises(StaleVersion):
        reopen(assignment, replaces=0)
    assert (Annotation.objects.get().status, status_of(assignment)) == ("submitted", "done")


@pytest.mark.parametrize("begun", [True, False])
def test_only_a_submitted_answer_is_reopened(assignment: Assignment, begun: bool) -> None:
    if begun:
        save(assignment)
    with pytest.raises(NotSubmitted):
        reopen(assignment, replaces=int(begun))
    assert "reopened" not in verbs(assignment)


# Ratings and cost


def test_rate_gives_what_submit_stores() -> None:
    assert rate(WORKED_EXAMPLE, ANATOMY, {"a": Fraction(1, 5), "b": Fraction(1, 2), "c": Fraction(1)}) == (
        WORKED_RATINGS
    )
    with pytest.raises(InvalidPayload):
        rate({}, ANATOMY, {})


def test_actors_other_than_the_annotator_are_named(assignment: Assignment) -> None:
    lead = make_user()
    submit(assignment)
    reopen_annotation(assignment=assignment, actor=lead, replaces=1, request_key=uuid4())
    assert Event.objects.get(verb="reopened").actor == lead


@pytest.mark.parametrize("act", [save, submit])
@pytest.mark.parametrize(
    "payload",
    [
        make_payload(note="a\0b"),
        make_payload(note="\ud800"),
        make_payload(note="x" * 3000),
        make_payload(flag={"reason": "other", "note": "\0"}),
        {**make_payload(), "a\0b": 1},
        make_payload(people=2**70),
        make_payload(people=float("nan")),
        {**LIMBS, "marks": [{**LIMBS["marks"][0], "pins": [{"x": float("inf"), "y": 0}]}]},
        {**LIMBS, "marks": LIMBS["marks"] * 2},
        {**LIMBS, "marks": LIMBS["marks"] * 100_000},
        [],
        None,
        "text",
    ],
)
def test_what_cannot_be_stored_is_refused(
    assignment: Assignment, act: Callable[..., Annotation], payload: object
) -> None:
    with pytest.raises(InvalidPayload):
        act(assignment, payload)
    assert (Annotation.objects.count(), Event.objects.count()) == (0, 0)


class _Loose:
    """An answer of a protocol that forgot to check its texts."""

    warnings: tuple[PayloadWarning, ...] = ()
    flagged = False

    def __init__(self, payload: Any) -> None:
        self._payload = payload

    def payload(self) -> Any:
        return self._payload


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({"note": "a\0b"}, "a character that cannot be stored"),
        ({"note": "\\\0"}, "a character that cannot be stored"),
        ({"a\0b": 1}, "a character that cannot be stored"),
        ({"note": "\udc00"}, "cannot be stored as JSON"),
        ({"note": float("nan")}, "cannot be stored as JSON"),
        ({"note": {1, 2}}, "cannot be stored as JSON"),
        ({"note": "é" * (LARGEST_PAYLOAD // 2)}, f"the limit is {LARGEST_PAYLOAD}"),
    ],
)
def test_a_careless_protocol_does_not_reach_the_database(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch, payload: object, message: str
) -> None:
    _use_loose_protocol(monkeypatch, payload)
    with pytest.raises(InvalidPayload, match=message):
        save(assignment)
    assert Annotation.objects.count() == 0


def test_a_backslash_is_no_escape(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    _use_loose_protocol(monkeypatch, {"note": "\\u0000 and \\\\u0000"})
    assert save(assignment).payload == {"note": "\\u0000 and \\\\u0000"}


def _use_loose_protocol(monkeypatch: pytest.MonkeyPatch, payload: object) -> None:
    answer = _Loose(payload)

    def clean(payload: object, *, complete: bool = True) -> _Loose:
        return answer

    def find(slug: str) -> Protocol:
        return replace(ANATOMY, clean=clean)

    monkeypatch.setattr("annotator.annotations.saving.get_protocol", find)
