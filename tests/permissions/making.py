"""Training, a norming session, a recruitment link and read sheets in the world of the permissions' tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import uuid4

from django.utils import timezone

from annotator.exchange.import_jobs import request_reading, rows_kind
from annotator.models import (
    Assignment,
    Batch,
    Image,
    Invitation,
    Job,
    Membership,
    NormingSession,
    Project,
    RatingForm,
    Recruited,
    Reference,
)
from annotator.norming.starting import start_session
from annotator.people.recruiting import recruit
from annotator.training.qualification_batches import release_qualification
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from tests.annotator.job_acts import result_of
from tests.factories import make_payload, make_stored_image, user_of


def make_reference(image: Image, lead: Membership, rationale: str = "") -> Reference:
    """Create a reference of one mark."""
    return add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload([("missing.face", "1/1a")]),
        origin=Reference.Origin.PLANTED,
        actor=user_of(lead),
        rationales={"missing.face": rationale} if rationale else {},
    )


def make_exam(annotator: Membership, lead: Membership, image: Image, name: str) -> Batch:
    """Release a qualification of one image for one annotator."""
    return release_qualification(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[make_reference(image, lead).pk],
        people=[annotator],
        rule={"recall": "0.7"},
        images=1,
        seed=1,
        actor=user_of(lead),
    )


def make_training(
    annotator: Membership, lead: Membership, image: Image, name: str, rationale: str
) -> tuple[Reference, Assignment]:
    """Release a training batch of one image for one annotator."""
    reference = make_reference(image, lead, rationale)
    release_training(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[reference.pk],
        people=[annotator],
        actor=user_of(lead),
    )
    return reference, annotator.assignments.get(image=reference.image)


def make_norming(people: Sequence[Membership], lead: Membership, name: str) -> NormingSession:
    """Start a session of three new images, in which nobody has answered yet."""
    images = [make_stored_image(lead.project, generator="", prompt="") for _ in range(3)]
    return start_session(
        project=lead.project,
        name=f"{name} again",
        protocol="anatomy",
        people=people,
        images=[image.pk for image in images],
        actor=user_of(lead),
    )


def make_recruitment(
    lead: Membership, joined: Membership, form: RatingForm, canaries: Mapping[str, str]
) -> Invitation:
    """Create a recruitment link by which an annotator has joined from a panel."""
    link = recruit(
        project=lead.project,
        places=2,
        stem="p",
        completion_code=canaries["completion code"],
        expires_at=timezone.now() + timedelta(days=1),
        request_key=uuid4(),
        actor=lead.user,
        questions=form.definition,
    )
    joined.recruitment = link
    joined.save()
    Recruited.objects.create(membership=joined, participant=canaries["panel id"], answers={"quality": 2})
    return link


def make_reading(project: Project, image: Image) -> Job:
    """Create a finished reading of a valid sheet."""
    sheet = csv_of(image)
    job = request_reading(project=project, name="sheet.csv", contents=sheet, actor=None)
    result_of(job)
    return job


def make_face_check(project: Project, image: Image) -> Job:
    """Create a finished check of a file of rectangles with one row."""
    contents = f"sha256,x,y,w,h\n{image.sha256},,,,\n".encode()
    kind = rows_kind("faces")
    job = request_reading(
        project=project, name="faces.csv", contents=contents, actor=None, kind=kind, request_key=uuid4()
    )
    result_of(job)
    return job


def csv_of(image: Image) -> bytes:
    """Return a sheet with one row for this image."""
    cells = [""] * len(CELLS)
    row = ["", image.generator, image.prompt, str(image.number), "1/5", *cells[1:], "anno1"]
    return f"{','.join(SHEET_COLUMNS)}\n{','.join(row)}\n".encode()
