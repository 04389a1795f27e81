"""What has happened on each side of the world besides annotating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

from django.utils import timezone

from annotator.annotations.saving import submit_annotation
from annotator.exchange.import_jobs import request_reading, rows_kind
from annotator.models import (
    Annotation,
    Assignment,
    Batch,
    Image,
    Job,
    Membership,
    NormingSession,
    Project,
    RatingForm,
    Recruited,
    Recruitment,
    Reference,
)
from annotator.norming.starting import start_session
from annotator.people.recruiting import recruit
from annotator.people.secrets import new_secret
from annotator.training.qualification_batches import release_qualification
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from tests.factories import make_assignment, make_batch, make_payload, make_stored_image
from tests.permissions.world import Side, make_canary_image, make_thread


def make_norming(people: Sequence[Membership], lead: Membership, name: str) -> NormingSession:
    """Start a session of three new images, in which nobody has answered yet."""
    assert lead.user is not None
    images = [make_stored_image(lead.project, generator="", prompt="") for _ in range(3)]
    return start_session(
        project=lead.project,
        name=f"{name} again",
        protocol="anatomy",
        people=people,
        picked="chosen",
        count=3,
        images=[image.pk for image in images],
        actor=lead.user,
    )


def make_rated(side: Side) -> tuple[Side, Side]:
    """Add a batch of realism; return the side with an image that A and B have rated, and with one that B has.

    A has asked about the first, and can rate the second.
    """
    batch = make_batch(side.project, protocol="realism", name=f"{side.canaries['batch']} rating")
    sides = []
    for place in (5, 6):
        image = make_canary_image(side.project, side.canaries, place)
        of_a, of_b = (make_assignment(person, batch=batch, image=image) for person in (side.a, side.b))
        make_rating(of_b, 3, side.canaries["answer b"])
        sides.append(replace(side, batch=batch, image=image, image_of_b=image, of_a=of_a, of_b=of_b))
    rated, other = sides
    answer = make_rating(rated.of_a, 8, side.canaries["answer a"])
    question = make_thread(rated.of_a, side.lead, side.canaries)
    return replace(rated, answer_of_a=answer, question=question), other


def make_rating(assignment: Assignment, rating: int, note: str) -> Annotation:
    """Submit a rating."""
    user = assignment.annotator.user
    assert user is not None
    payload = {"rating": rating, "invalid": None, "note": note, "flag": None}
    return submit_annotation(
        assignment=assignment, actor=user, payload=payload, replaces=0, request_key=uuid4()
    )


def make_reading(project: Project, image: Image) -> Job:
    """Create a finished reading of a valid sheet."""
    sheet = csv_of(image)
    job = request_reading(project=project, name="sheet.csv", contents=sheet, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def make_face_check(project: Project, image: Image) -> Job:
    """Create a finished check of a file of rectangles with one row."""
    contents = f"sha256,x,y,w,h\n{image.sha256},,,,\n".encode()
    kind = rows_kind("faces")
    job = request_reading(
        project=project, name="faces.csv", contents=contents, actor=None, kind=kind, request_key=uuid4()
    )
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def csv_of(image: Image) -> bytes:
    """Return a sheet with one row for this image."""
    cells = [""] * len(CELLS)
    row = ["", image.generator, image.prompt, str(image.number), "1/5", *cells[1:], "anno1"]
    return f"{','.join(SHEET_COLUMNS)}\n{','.join(row)}\n".encode()


def make_recruitment(
    lead: Membership, joined: Membership, form: RatingForm, canaries: Mapping[str, str]
) -> Recruitment:
    """Create a recruitment link by which an annotator has joined from a panel."""
    link = recruit(
        project=lead.project,
        places=2,
        stem="p",
        completion_code=canaries["completion code"],
        closes_at=timezone.now() + timedelta(days=1),
        secret=new_secret(),
        actor=lead.user,
        questions=form.definition,
    )
    joined.recruitment = link
    joined.save()
    Recruited.objects.create(membership=joined, participant=canaries["panel id"], answers={"quality": 2})
    return link


def make_exam(annotator: Membership, lead: Membership, image: Image, name: str) -> Batch:
    """Release a qualification of one image for one annotator."""
    assert lead.user is not None
    reference = add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload([("missing.face", "1/1a")]),
        origin=Reference.Origin.PLANTED,
        actor=lead.user,
    )
    return release_qualification(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[reference.pk],
        people=[annotator],
        rule={"recall": "0.7"},
        images=1,
        seed=1,
        actor=lead.user,
    )


def make_training(
    annotator: Membership, lead: Membership, image: Image, name: str, rationale: str
) -> tuple[Reference, Assignment]:
    """Release a training batch of one image for one annotator."""
    assert lead.user is not None
    reference = add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload([("missing.face", "1/1a")]),
        origin=Reference.Origin.PLANTED,
        actor=lead.user,
        rationales={"missing.face": rationale},
    )
    release_training(
        project=lead.project,
        name=name,
        protocol="anatomy",
        references=[reference.pk],
        people=[annotator],
        actor=lead.user,
    )
    trained = annotator.assignments.get(image=reference.image)
    return reference, trained
