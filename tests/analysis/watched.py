"""A project whose annotators have anchors and repeats among their work."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from annotator.annotations.saving import checked_annotation
from annotator.models import Annotation, Batch, Image, Membership, Project, Reference
from scoring.service import get_protocol
from tests.analysis.factories import EARLIER
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
)

REFERENCE = [("missing.limbs", "1/2b"), ("extra.hands", "1/2b")]
STEADY = (
    [("missing.limbs", "1/2b"), ("extra.hands", "1/2a")],
    [("missing.limbs", "1/2b"), ("extra.hands", "1/2c")],
)
HIGHER = [("missing.limbs", "1/2c"), ("extra.hands", "1/2c"), ("extra.face", "1/1c")]
ANCHORS = 14
DRIFTS_FROM = 8


def judged(
    person: Membership,
    image: Image,
    batch: Batch,
    payload: dict[str, Any],
    at: datetime,
    *,
    purpose: str = "work",
    pass_no: int = 0,
    active_ms: int | None = 30_000,
) -> Annotation:
    """A submitted annotation of any purpose."""
    stored, ratings = checked_annotation(payload, get_protocol(batch.protocol), image.project.exact_weights)
    row = make_assignment(person, image=image, batch=batch, status="done", purpose=purpose, pass_no=pass_no)
    return Annotation.objects.create(
        assignment=row,
        payload=stored,
        ratings=ratings,
        status="submitted",
        active_ms=active_ms,
        submitted_at=at,
        saved_at=at,
    )


def referred(image: Image, protocol: str, payload: dict[str, Any], **fields: Any) -> Reference:
    """An active reference of an image."""
    stored, ratings = checked_annotation(payload, get_protocol(protocol), image.project.exact_weights)
    row = {"origin": "planted", "payload": stored, "ratings": ratings, "made_at": EARLIER, **fields}
    return Reference.objects.create(image=image, protocol=protocol, **row)


def make_watched(make: Any = make_image) -> Project:
    """Three annotators: steady, drifting from the ninth anchor on, and one who rushes and marks nothing."""
    project = make_project("watched", name="Watched")
    make_member(project, LEAD, code="lead")
    people = [make_member(project, code=code) for code in ("steady", "drifting", "rushing")]
    batch = make_batch(project, name="main")
    images = [make(project, generator="painter", prompt="hugging", number=place) for place in range(60)]
    anchors = images[:ANCHORS]
    for image in anchors:
        referred(image, "anatomy", make_payload(REFERENCE))
    for person in people[:2]:
        _work(person, images[ANCHORS : ANCHORS + 30], batch)
        for place, image in enumerate(anchors):
            drifts = person.code == "drifting" and place >= DRIFTS_FROM
            marks = HIGHER if drifts else STEADY[place % 2]
            judged(
                person, image, batch, make_payload(marks), EARLIER + timedelta(days=place), purpose="anchor"
            )
    for image in images[ANCHORS : ANCHORS + 24]:
        judged(people[2], image, batch, make_payload([]), EARLIER, active_ms=2_900)
    return project


def _work(person: Membership, images: Sequence[Image], batch: Batch) -> None:
    """Judge images, and six of them again two days later, a little differently."""
    for place, image in enumerate(images):
        payload = make_payload([("missing.limbs", f"1/{place % 7 + 2}c"), ("extra.face", "1/1a")])
        judged(person, image, batch, payload, EARLIER + timedelta(minutes=place))
    for place, image in enumerate(images[:6]):
        payload = make_payload(
            [("missing.limbs", f"1/{place % 7 + 2}{'cb'[place % 2]}"), ("extra.face", "1/1a")]
        )
        later = EARLIER + timedelta(days=2, minutes=place)
        judged(person, image, batch, payload, later, purpose="repeat", pass_no=1)
