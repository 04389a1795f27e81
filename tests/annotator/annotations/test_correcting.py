"""Unreadable terms of imports, and their correction by a lead if the annotator has no account."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.correcting import (
    CORRECTED_BY_LEAD,
    CorrectionRefused,
    correct_as_lead,
    is_correctable,
    is_corrected,
)
from annotator.annotations.saving import Conflict, InvalidPayload
from annotator.annotations.summaries import summarise
from annotator.annotations.unreadable import (
    annotations_with_problems,
    annotations_without_numbers,
    says_nothing,
)
from annotator.annotations.versioned_changes import Deleted, StaleVersion
from annotator.models import Annotation, Event, ImageSummary, Membership, User
from annotator.people.invitations import accept_with_new_account, invite
from annotator.people.secrets import new_secret
from annotator.records.image_deletion import delete_image
from annotator.web.views.annotation_details import details_of
from tests.analysis.factories import make_submitted, make_unread
from tests.annotator.racing import race
from tests.factories import LEAD, make_image, make_member, make_payload, make_project

HANDS = make_payload([("extra.hands", "1/3b")])


@pytest.fixture
def unread(db: None, sent: list[int]) -> Annotation:
    """An import of which nothing could be read, by somebody without an account; the lead is `lead`."""
    return make()


def make() -> Annotation:
    project = make_project("pilot")
    make_member(project, LEAD, code="lead", user=User.objects.create_user("lee"))
    annotator = make_member(project, code="anno1")
    found = make_unread(annotator, make_image(project))
    # As an import leaves it: an account that nobody can use until somebody takes the code over.
    User.objects.filter(memberships=annotator).update(is_active=False, password="")
    return fresh(found)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return []


def reason_of_correction(annotation: Annotation) -> str | None:
    events = Event.objects.filter(assignment=annotation.assignment_id, verb=CORRECTED_BY_LEAD).order_by("-pk")
    return events.values_list("data__reason", flat=True).first()


def fresh(annotation: Annotation) -> Annotation:
    related = ("assignment__batch__project", "assignment__image", "assignment__annotator__user")
    return Annotation.objects.select_related(*related).get(pk=annotation.pk)


def correct(annotation: Annotation, payload: object = HANDS, **more: Any) -> Annotation:
    wanted: dict[str, Any] = {
        "annotation": annotation,
        "actor": User.objects.get(username="lee"),
        "payload": payload,
        "reason": " The scan says 1/3b. ",
        "replaces": 1,
        "request_key": uuid4(),
    }
    return correct_as_lead(**(wanted | more))


def test_what_is_stored(unread: Annotation) -> None:
    assert is_correctable(unread)
    before, key = unread.submitted_at, uuid4()
    assert annotations_without_numbers(unread.assignment.batch.project).exists()
    correct(unread, request_key=key)
    row = fresh(unread)
    assert (row.payload, row.version, row.status, row.submitted_at) == (HANDS, 2, "submitted", before)
    assert row.ratings is not None
    assert row.ratings[0] == ["cumulative_score", "", "1/6"]
    assert row.source is not None
    assert (row.source["cells"], row.source["corrected"]) == ({"2. Extra Error-2.4 Hands": "1/5"}, 2)
    event = Event.objects.get(verb="corrected_by_lead")
    assert event.actor == User.objects.get(username="lee")
    assert (event.data["reason"], event.data["version"]) == ("The scan says 1/3b.", 2)
    assert event.data["replaced"]["payload"] == unread.payload
    assert is_corrected(row)
    assert reason_of_correction(row) == "The scan says 1/3b."
    project = unread.assignment.batch.project
    assert not annotations_without_numbers(project).exists()
    assert not annotations_with_problems(project).exists()


def test_the_same_request_twice(unread: Annotation) -> None:
    key = uuid4()
    assert [correct(unread, request_key=key).version for _ in range(2)] == [2, 2]
    assert Event.objects.filter(verb="corrected_by_lead").count() == 1
    # Even once the annotator has an account: it was made before.
    Membership.objects.filter(code="anno1").update(user=User.objects.create_user("ann"))
    assert correct(unread, request_key=key).version == 2


@pytest.mark.parametrize(
    "more",
    [
        {"reason": " "},
        {"reason": "x" * 401},
        {"payload": {"marks": "?"}},
        {"payload": make_payload([], no_errors=False)},
    ],
)
@pytest.mark.few(2)
def test_what_is_refused(unread: Annotation, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidPayload):
        correct(unread, **more)
    assert fresh(unread).version == 1


def test_conflicts(unread: Annotation) -> None:
    correct(unread)
    with pytest.raises(StaleVersion):
        correct(unread, make_payload([]))
    kept = Event.objects.get(verb="refused").data
    assert kept["payload"]["no_errors"] is True
    lead = User.objects.get(username="lee")
    delete_image(image=unread.assignment.image, actor=lead, reason="Withdrawn.")
    with pytest.raises(Deleted):
        correct(unread, replaces=2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(4))
@pytest.mark.few(2)
def test_while_the_account_is_being_linked(turn: int) -> None:
    annotation = make()
    project = annotation.assignment.batch.project
    lead = User.objects.get(username="lee")
    secret = new_secret()
    invitation = invite(project=project, role="annotator", code="anno1", secret=secret, actor=lead)
    join = partial(accept_with_new_account, invitation=invitation, username="ann", password="long enough 17")
    jobs: list[Any] = [join, partial(correct, annotation)]
    outcomes = race(jobs if turn % 2 else jobs[::-1])
    [corrected] = [one for one in outcomes if not isinstance(one, Membership)]
    events = list(
        Event.objects.filter(verb__in=["invitation_accepted", "corrected_by_lead"])
        .order_by("pk")
        .values_list("verb", flat=True)
    )
    if isinstance(corrected, Exception):
        assert isinstance(corrected, CorrectionRefused)
        assert (events, fresh(annotation).version) == (["invitation_accepted"], 1)
    else:
        # Stored before the account was linked, never after.
        assert events == ["corrected_by_lead", "invitation_accepted"]
        assert fresh(annotation).version == 2
    assert not isinstance(corrected, Conflict)


def source(*texts: str) -> dict[str, Any]:
    return {"problems": [{"row": 2, "column": "x", "text": text, "reason": "why"} for text in texts]}


@pytest.mark.django_db
def test_an_answer_of_which_nothing_was_read_has_no_score() -> None:
    project = make_project()
    images = [make_image(project) for _ in range(3)]
    ada, bo = make_member(project, code="A"), make_member(project, code="B")
    make_submitted(ada, [("missing.face", "1/2c")], image=images[0])
    lost = make_unread(bo, images[0])
    alone = make_unread(bo, images[1])
    make_submitted(bo, [("missing.face", "1/2a")], image=images[2])
    none = make_submitted(bo, [], image=make_image(project))
    assert list(annotations_without_numbers(project).order_by("pk")) == [lost, alone]
    assert (says_nothing(lost.payload), says_nothing(none.payload)) == (True, False)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    rows = ImageSummary.objects.filter(code="").order_by("image")
    assert [(row.image_id, row.answers, row.mean) for row in rows] == [
        (images[0].pk, 2, 0.5),
        (images[1].pk, 1, None),
        (images[2].pk, 1, 0.1),
    ]
    assert (details_of(lost).score, details_of(none).score) == ("", "0")
