"""A project whose images are judged under three protocols: nothing of one belongs to another."""

from __future__ import annotations

from typing import Any

from annotator.models import Adjudication, Annotation, Batch, Image, Membership, Project
from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Protocol
from tests.analysis.factories import EARLIER, make_submitted
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
)
from tests.protocols.stars.rules import STARS

SLUGS = ("anatomy", "presence", "stars")
CODES = ("anno1", "anno2")


def make_mixed(slug: str = "mixed", make: Any = make_image) -> Project:
    """Four images, each judged by two people under each protocol; a draft, one value of each adjudicated."""
    project = make_project(slug, name="Three ways")
    people = [make_member(project, code=code) for code in CODES]
    lead = make_member(project, LEAD, code="lead")
    images = [
        make(project, generator=("alpha", "beta")[place % 2], prompt="jogging", number=place + 1)
        for place in range(4)
    ]
    batches = {name: make_batch(project, name=f"by {name}", protocol=name) for name in SLUGS}
    Batch.objects.filter(pk=batches["stars"].pk).update(settings={"lamp": True})
    for place, image in enumerate(images):
        for number, person in enumerate(people):
            make_submitted(
                person,
                [("missing.limbs", f"1/{place + number + 2}c")],
                image=image,
                batch=batches["anatomy"],
                submitted_at=EARLIER,
                saved_at=EARLIER,
            )
            cells = ["extra.hands", "missing.face"][: (place + number) % 3]
            answered(PRESENCE, person, image, batches["presence"], {"cells": cells, "no_errors": not cells})
            answered(STARS, person, image, batches["stars"], {"stars": place + number + 1})
    begun(people[0], make(project, generator="alpha", prompt="jogging", number=5), batches["presence"])
    adjudicated(ANATOMY, images[0], lead, make_payload([("extra.face", "1/2b")]))
    adjudicated(PRESENCE, images[0], lead, {"cells": ["extra.feet"]})
    adjudicated(STARS, images[1], lead, {"stars": 5})
    return project


def answered(
    protocol: Protocol, person: Membership, image: Image, batch: Batch, payload: dict[str, Any]
) -> Annotation:
    """A submitted answer of a protocol."""
    answer = protocol.clean(payload)
    return Annotation.objects.create(
        assignment=make_assignment(person, image=image, batch=batch, status="done"),
        payload=answer.payload(),
        ratings=rated(protocol, payload, image.project),
        status="submitted",
        submitted_at=EARLIER,
        saved_at=EARLIER,
    )


def begun(person: Membership, image: Image, batch: Batch) -> Annotation:
    """A draft under presence with one cell."""
    payload = PRESENCE.clean({"cells": ["extra.feet"]}, complete=False).payload()
    assignment = make_assignment(person, image=image, batch=batch)
    return Annotation.objects.create(assignment=assignment, payload=payload, saved_at=EARLIER)


def adjudicated(protocol: Protocol, image: Image, lead: Membership, payload: dict[str, Any]) -> Adjudication:
    """A value that a lead adjudicated under a protocol."""
    return Adjudication.objects.create(
        image=image,
        protocol=protocol.slug,
        payload=protocol.clean(payload).payload(),
        ratings=rated(protocol, payload, image.project),
        adjudicated_from=[],
        decided_by=lead,
        decided_at=EARLIER,
    )


def rated(protocol: Protocol, payload: dict[str, Any], project: Project) -> list[list[str]]:
    """Ratings as they are stored."""
    made = protocol.ratings(protocol.clean(payload), project.exact_weights)
    return [[name, part, str(value)] for name, part, value in made]
