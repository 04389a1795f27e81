"""Two projects of the same shape, with a canary in every text, and every kind of visitor."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.test import Client

from analysis.bundles.bundle_jobs import MAKE
from analysis.bundles.requests import BundleRequest
from analysis.exports.export_jobs import request_export
from analysis.exports.requests import ExportRequest
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.batches.people_jobs import PROPOSE, request_people_job
from annotator.batches.previews import PREVIEW
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.exchange.completed_sheets import request_own_reading
from annotator.exchange.formats.queue_rows import QUEUE_REQUIRED
from annotator.exchange.import_jobs import request_reading
from annotator.exchange.queue_sheet import identity
from annotator.models import (
    Annotation,
    ApiToken,
    Assignment,
    Batch,
    Event,
    Image,
    Invitation,
    Job,
    Membership,
    Plan,
    Project,
    Upload,
    UploadedFile,
    User,
)
from annotator.people import tokens
from annotator.people.invitations import invite, new_secret
from annotator.uploads.receiving import begin_upload, place_file
from annotator.uploads.thumbnails import keep_thumbnail
from annotator.work.jobs import request_job, run_job
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS
from tests.factories import (
    ANNOTATOR,
    LEAD,
    REVIEWER,
    make_assignment,
    make_batch,
    make_member,
    make_payload,
    make_project,
    make_stored_image,
    make_user,
)

MARKS = [("missing.limbs", "1/4c")]


@dataclass(frozen=True)
class Side:
    """One project with everything that has an address. `a` annotates `image`, `b` the image `image_of_b`."""

    number: int
    project: Project
    batch: Batch
    a: Membership
    b: Membership
    lead: Membership
    reviewer: Membership
    off: Membership
    image: Image
    image_of_b: Image
    of_a: Assignment
    of_b: Assignment
    answer_of_a: Annotation
    preview: Job
    proposal: Job
    job: Job
    made: Job
    bundle: Job
    reading: Job
    own_reading: Job
    secret: str
    invitation: Invitation
    upload: Upload
    brought: UploadedFile
    token: ApiToken
    canaries: Mapping[str, str]

    @property
    def slug(self) -> str:
        """The project's slug."""
        return self.project.slug


def make_side(number: int) -> Side:
    """Create a project in which everything has happened once."""
    canaries = {name: f"Canary{number}{name.title().replace(' ', '')}" for name in CANARIES}
    project = make_project(f"side-{number}", name=canaries["project"])
    people = {
        name: make_member(
            project, role, user=make_user(canaries[f"account {name}"]), code=canaries[f"code {name}"]
        )
        for name, role in ROLES.items()
    }
    a, b = people["a"], people["b"]
    batch = make_batch(project, name=canaries["batch"])
    first, second = (make_canary_image(project, canaries, place) for place in (1, 2))
    of_a = make_assignment(a, batch=batch, image=first)
    # Both annotate the first image, or the report would have nothing to compare.
    make_answer(make_assignment(b, batch=batch, image=first), canaries["answer b"])
    of_b = make_assignment(b, batch=batch, image=second)
    answer_of_a = make_answer(of_a, canaries["answer a"])
    make_answer(of_b, canaries["answer b"])
    make_assignment(people["off"], batch=batch, image=second)
    for kind in KEPT_UP_TO_DATE:
        run_report(request_report(project=project, kind=kind).pk)
    plan, preview = make_plans(project, batch, [a, b])
    job = Job.objects.create(project=project, kind="canary", status="failed", error=canaries["job"])
    secret = new_secret()
    invitation = invite(
        project=project,
        role=ANNOTATOR,
        code=canaries["invited code"],
        note=canaries["invited note"],
        secret=secret,
        actor=people["lead"].user,
    )
    token_secret, token = make_token(people["lead"], canaries["token"])
    brought = make_brought(project, canaries["source"])
    return Side(
        number=number,
        project=project,
        batch=batch,
        image=first,
        image_of_b=second,
        of_a=of_a,
        of_b=of_b,
        answer_of_a=answer_of_a,
        preview=preview,
        proposal=make_proposal(batch, people["lead"]),
        job=job,
        made=(made := make_export(project)),
        bundle=make_bundle(made),
        reading=make_reading(project, first),
        own_reading=make_own_reading(of_a),
        secret=secret,
        invitation=invitation,
        upload=brought.upload,
        brought=brought,
        token=token,
        canaries={
            **canaries,
            "plan": plan.certificate,
            "secret": secret,
            "hash of the secret": invitation.secret_sha256,
            "token's secret": token_secret,
            "hash of the token": token.secret_sha256,
            "file": first.sha256,
            "file of b": second.sha256,
        },
        **people,
    )


ROLES = {"a": ANNOTATOR, "b": ANNOTATOR, "lead": LEAD, "reviewer": REVIEWER, "off": LEAD}
CANARIES = (
    "project",
    "batch",
    "generator",
    "source",
    "prompt",
    "group",
    "answer a",
    "answer b",
    "job",
    "token",
    "invited code",
    "invited note",
    *(f"{what} {name}" for what in ("code", "account") for name in ROLES),
)


def make_canary_image(project: Project, canaries: Mapping[str, str], place: int) -> Image:
    """Create an image with a canary in every text and hash."""
    return make_stored_image(
        project,
        generator=f"{canaries['generator']}{place}",
        prompt=f"{canaries['prompt']}{place}",
        prompt_group=canaries["group"],
        source_name=f"{canaries['source']}{place}.png",
        sha256=sha256(f"{canaries['source']}{place}".encode()).hexdigest(),
    )


def make_answer(assignment: Assignment, note: str) -> Annotation:
    """Save a draft, then submit, so that events keep a replaced annotation too."""
    user = assignment.annotator.user
    assert user is not None
    wanted: dict[str, Any] = {
        "assignment": assignment,
        "actor": user,
        "payload": make_payload(MARKS, note=note),
    }
    save_draft(**wanted, replaces=0, request_key=uuid4())
    return submit_annotation(**wanted, replaces=1, request_key=uuid4())


def make_plans(project: Project, batch: Batch, people: list[Membership]) -> tuple[Plan, Job]:
    """Create a plan of the batch, and a finished job that previews another."""
    request = BatchRequest(name="Next", people=tuple(person.pk for person in people), seed=project.pk)
    made = requested_plan(project, request)
    plan = Plan.objects.create(
        batch=batch,
        kind="release",
        seed=made.design.seed,
        algorithm=made.algorithm,
        certificate=made.certificate,
        document=zlib.compress(made.document()),
    )
    job = request_job(project=project, kind=PREVIEW, data={"request": request.as_json()}, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return plan, job


def make_proposal(batch: Batch, joining: Membership) -> Job:
    """Create a finished job that proposes a change of annotators."""
    actor = joining.user
    assert actor is not None
    job = request_people_job(
        kind=PROPOSE, batch=batch, leaving=[], joining=[joining], reason="Why not.", actor=actor
    )
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def make_export(project: Project) -> Job:
    """Create a finished export with its file."""
    job = request_export(project=project, request=ExportRequest("marks"), actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def make_bundle(made: Job) -> Job:
    """Create a finished bundle: a job with an export's file."""
    return Job.objects.create(
        project=made.project,
        kind=MAKE,
        data={"request": BundleRequest().as_json(), "words": "with images"},
        status=Job.Status.DONE,
        result=made.result,
        finished_at=made.finished_at,
    )


def make_token(person: Membership, name: str) -> tuple[str, ApiToken]:
    """Create a token and return its secret."""
    assert person.user is not None
    secret = tokens.new_secret()
    return secret, tokens.create_token(user=person.user, name=name, scope="read", days=1, secret=secret)


def make_brought(project: Project, name: str) -> UploadedFile:
    """Create an incomplete file of an upload, with a thumbnail."""
    upload = begin_upload(project=project, actor=None)
    file = place_file(upload=upload, name=f"{name}.png", size=10)
    keep_thumbnail(file, b"RIFF")
    return file


def make_reading(project: Project, image: Image) -> Job:
    """Create a finished reading of a valid sheet."""
    sheet = csv_of(image)
    job = request_reading(project=project, name="sheet.csv", contents=sheet, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def make_own_reading(assignment: Assignment) -> Job:
    """Create a finished reading of an annotator's own sheet with one row."""
    member = assignment.annotator
    assert member.user
    row = [identity(assignment, member.project.slug), "", *["1/5c"] * len(CELLS)]
    contents = f"{','.join(QUEUE_REQUIRED)}\n{','.join(row)}\n".encode()
    job = request_own_reading(
        member=member, name="queue.csv", contents=contents, actor=member.user, request_key=uuid4()
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


@dataclass(frozen=True)
class World:
    """Both sides, and a signed-in browser's cookies for every visitor."""

    one: Side
    two: Side
    cookies: Mapping[str, str]


def make_world() -> World:
    """Create both sides. Rights are removed after signing in, as in practice."""
    one, two = make_side(1), make_side(2)
    switched_off = make_member(one.project, LEAD, user=make_user("switched off"))
    accounts = {
        "annotator A": one.a.user,
        "annotator B": one.b.user,
        "reviewer": one.reviewer.user,
        "lead": one.lead.user,
        "lead of the other project": two.lead.user,
        "deactivated lead": one.off.user,
        "lead whose account is off": switched_off.user,
        "superuser": make_user("root", is_superuser=True, is_staff=True),
    }
    cookies = {"anonymous": "", **{name: signed_in(user) for name, user in accounts.items()}}
    Membership.objects.filter(pk=one.off.pk).update(is_active=False)
    User.objects.filter(username="switched off").update(is_active=False)
    assert Event.objects.filter(verb="submitted").count() == 6
    return World(one, two, cookies)


def signed_in(user: User | None) -> str:
    """Return a session's cookie."""
    assert user is not None
    client = Client()
    client.force_login(user)
    return client.cookies["anatomark_session"].value
