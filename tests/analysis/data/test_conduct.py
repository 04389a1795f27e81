"""How the annotations of a protocol were made, counted from the records."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from analysis.data.conduct import INTERIM, conduct_of
from annotator.models import (
    Assignment,
    Batch,
    Event,
    Guideline,
    GuidelineVersion,
    Membership,
    NormingSession,
    Plan,
    Standing,
)
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
NOBODY = {"annotators": 0, "annotations": 0}
COUNTS = ("planned", "open", "skipped", "withdrawn", "imported", "people", "left")
MORE = ("sessions", "changes", "interim")
EMPTY: dict[str, Any] = {
    **dict.fromkeys((*COUNTS, *MORE), 0),
    "training": NOBODY,
    "norming": NOBODY,
    "standings": {},
    "guidelines": [],
}


def test_a_project_without_records() -> None:
    assert conduct_of(make_project(), "anatomy") == EMPTY


def test_every_record_is_counted_under_its_protocol() -> None:
    project, now = make_project(), timezone.now()
    ada, bob, cy = (make_member(project, code=code) for code in ("ada", "bob", "cy"))
    work, taught = make_batch(project, name="work"), make_batch(project, name="taught")
    elsewhere = make_batch(project, name="elsewhere", prompt_seen=Batch.Seen.UNKNOWN)
    other = make_batch(project, name="other", protocol="presence")

    def assigned(member: Membership, batch: Batch, status: str = "done", **fields: Any) -> None:
        made = make_assignment(member, image=make_image(project), batch=batch, **fields)
        place = None if status == "withdrawn" else made.position
        Assignment.objects.filter(pk=made.pk).update(status=status, position=place)

    for member, status in ((ada, "done"), (ada, "skipped"), (bob, "done"), (bob, "open"), (cy, "withdrawn")):
        assigned(member, work, status)
    for purpose, member in (("training", ada), ("training", ada), ("training", bob), ("norming", cy)):
        assigned(member, taught, purpose=purpose)
    assigned(cy, elsewhere)
    for member in (ada, cy):
        assigned(member, other)
    Membership.objects.filter(pk=bob.pk).update(is_active=False)
    for member, state in ((ada, "qualified"), (bob, "waived"), (cy, "lapsed")):
        Standing.objects.create(membership=member, protocol="anatomy", state=state, changed_at=now)
    NormingSession.objects.create(
        project=project, batch=taught, picked="random", state="closed", revealed_at=now
    )
    guideline = Guideline.objects.create(project=project, protocol="anatomy", content={}, edited_at=now)
    for minor in (1, 0):
        GuidelineVersion.objects.create(
            guideline=guideline, major=1, minor=minor, content={}, published_at=now
        )
    for kind in ("release", "change", "change"):
        Plan.objects.create(batch=work, kind=kind, algorithm="a", annotators=[])
    Event.objects.create(project=project, verb=INTERIM, data={"done": 1, "total": 2})
    assert conduct_of(project, "anatomy") == {
        "planned": 4,
        "open": 1,
        "skipped": 1,
        "withdrawn": 1,
        "imported": 1,
        "training": {"annotators": 2, "annotations": 3},
        "norming": {"annotators": 1, "annotations": 1},
        "people": 2,
        "left": 1,
        # Who has no work under the protocol is not counted.
        "standings": {"qualified": 1, "waived": 1},
        "sessions": 1,
        "guidelines": ["1.0", "1.1"],
        "changes": 2,
        "interim": 1,
    }
    assert conduct_of(project, "presence") == {**EMPTY, "planned": 2, "people": 2, "interim": 1}
    assert Assignment.objects.count() == 12
