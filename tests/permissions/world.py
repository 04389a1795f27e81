"""Two projects of the same shape, with a canary in every text, and every kind of visitor."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.test import Client

from analysis.bundles.bundle_jobs import MAKE
from analysis.bundles.source import BundleRequest
from analysis.exports.requests import ExportRequest, request_export
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.batches.planning import ALGORITHM
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.guidelines.content import Content
from annotator.guidelines.publishing import publish
from annotator.guidelines.publishing import save_draft as save_guideline
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
    NormingSession,
    Plan,
    Project,
    Question,
    Reference,
    SuggestionRun,
    Upload,
    UploadedFile,
    User,
)
from annotator.people import tokens
from annotator.people.invitations import secret_of
from annotator.protocols.rating_form.stored import save_form
from annotator.uploads.receiving import begin_upload
from scoring.rating_form.definition import FormDefinition, Item
from tests.annotator.acting import answered, asked, save, submit
from tests.annotator.invited import invite
from tests.annotator.job_acts import result_of
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
    user_of,
)
from tests.permissions.making import (
    make_exam,
    make_face_check,
    make_norming,
    make_reading,
    make_recruitment,
    make_training,
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
    question: Question
    job: Job
    made: Job
    bundle: Job
    face_check: Job
    suggestions: SuggestionRun
    secret: str
    invitation: Invitation
    recruitment: Invitation
    upload: Upload
    token: ApiToken
    reference: Reference
    trained: Assignment
    exam: Batch
    norming: NormingSession
    canaries: Mapping[str, str]

    @property
    def slug(self) -> str:
        """The project's slug."""
        return self.project.slug

    @property
    def form(self) -> str:
        """The slug of the project's first rating form."""
        return self.project.rating_forms.order_by("pk")[0].slug


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
    make_plans(project, batch, [a, b])
    job = Job.objects.create(project=project, kind="canary", status="failed", error=canaries["job"])
    invitation = invite(
        project=project,
        role=ANNOTATOR,
        code=canaries["invited code"],
        actor=people["lead"].user,
    )
    secret = secret_of(invitation)
    make_guideline(people["lead"], canaries)
    scale = Item("quality", "scale", "How good?", points=((1, ""), (2, "")))
    form = save_form(project, FormDefinition("own", canaries["project"], "quality", (scale,)), people["lead"])
    token_secret, token = make_token(people["lead"], canaries["token"])
    make_reading(project, first)
    third = make_canary_image(project, canaries, 3)
    taught = f"{canaries['batch']} training"
    reference, trained = make_training(a, people["lead"], third, taught, canaries["rationale"])
    make_answer(trained, canaries["answer a"])
    fourth = make_canary_image(project, canaries, 4)
    exam = make_exam(a, people["lead"], fourth, f"{canaries['batch']} qualification")
    return Side(
        number=number,
        project=project,
        batch=batch,
        image=first,
        image_of_b=second,
        of_a=of_a,
        of_b=of_b,
        answer_of_a=answer_of_a,
        question=make_thread(of_a, people["lead"], canaries),
        job=job,
        made=(made := make_export(project)),
        bundle=make_bundle(made),
        face_check=make_face_check(project, first),
        suggestions=SuggestionRun.objects.create(project=project, source=f"counter of {project.slug}"),
        secret=secret,
        invitation=invitation,
        recruitment=make_recruitment(people["lead"], a, form, canaries),
        upload=make_brought(project, canaries["source"]).upload,
        token=token,
        reference=reference,
        trained=trained,
        exam=exam,
        norming=make_norming([a, b], people["lead"], canaries["batch"]),
        canaries={
            **canaries,
            "secret": secret,
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
    "guideline",
    "draft guideline",
    "answer a",
    "answer b",
    "question of a",
    "answer of lead",
    "rationale",
    "job",
    "token",
    "invited code",
    "completion code",
    "panel id",
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
    payload = make_payload(MARKS, note=note)
    save(assignment, payload)
    return submit(assignment, payload, replaces=1)


def make_thread(assignment: Assignment, lead: Membership, canaries: Mapping[str, str]) -> Question:
    """Ask a question on an assignment and have it answered by a lead."""
    return answered(asked(assignment, canaries["question of a"]), lead, canaries["answer of lead"])


def make_plans(project: Project, batch: Batch, people: list[Membership]) -> None:
    """Create a plan of the batch."""
    request = BatchRequest(name="Next", people=tuple(person.pk for person in people), seed=project.pk)
    made = requested_plan(project, request)
    Plan.objects.create(
        batch=batch,
        kind="release",
        algorithm=ALGORITHM,
        annotators=[[one.code, one.capacity] for one in made.design.annotators],
        design=zlib.compress(made.document()),
    )


def make_export(project: Project) -> Job:
    """Create a finished export with its file."""
    job = request_export(project=project, request=ExportRequest("marks"), actor=None)
    result_of(job)
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


def make_guideline(lead: Membership, canaries: Mapping[str, str]) -> None:
    """Publish a guideline, and change its draft afterwards."""
    made: dict[str, Any] = {"project": lead.project, "protocol": "anatomy", "actor": user_of(lead)}
    save_guideline(content=Content({"missing": canaries["guideline"]}), replaces=0, **made)
    publish(major=False, summary=canaries["guideline"], replaces=1, **made)
    save_guideline(content=Content({"missing": canaries["draft guideline"]}), replaces=1, **made)


def make_token(person: Membership, name: str) -> tuple[str, ApiToken]:
    """Create a token and return its secret."""
    token, secret = tokens.create_token(user=user_of(person), name=name, days=1)
    return secret, token


def make_brought(project: Project, name: str) -> UploadedFile:
    """Create a file of an upload."""
    upload = begin_upload(project=project, actor=None)
    return UploadedFile.objects.create(upload=upload, name=f"{name}.png", size=10)


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
    assert Event.objects.filter(verb="submitted").count() == 8
    return World(one, two, cookies)


def signed_in(user: User | None) -> str:
    """Return a session's cookie."""
    assert user is not None
    client = Client()
    client.force_login(user)
    return client.cookies["anatomark_session"].value
