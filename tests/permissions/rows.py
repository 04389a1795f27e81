"""More rows of every kind in the world of the permissions' tests."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from uuid import uuid4

from django.utils import timezone

from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Job, Plan, Project, UploadedFile
from annotator.people.recruiting import recruit
from annotator.protocols.rating_form.stored import save_form
from scoring.rating_form.definition import FormDefinition, Item
from tests.annotator.invited import invite
from tests.factories import ANNOTATOR, make_assignment, make_batch, make_member, make_project, user_of
from tests.permissions.making import make_exam, make_norming, make_reading, make_training
from tests.permissions.world import (
    Side,
    make_answer,
    make_brought,
    make_canary_image,
    make_export,
    make_thread,
    make_token,
)

_NUMBERS = count(1)
FULL_EACH = 3
"""Every so many rows of the common kinds come with one of the kinds that take long to make."""


def grow(side: Side, rows: int) -> None:
    """Add so many rows of each kind to a project: people, images, annotations, batches, files, jobs."""
    for _ in range(rows):
        number = next(_NUMBERS)
        _add_annotations(side, number)
        _add_records(side, number)
        if number % FULL_EACH == 0:
            _add_teaching(side, number)


def compute(project: Project) -> None:
    """Bring every report up to date."""
    for kind in KEPT_UP_TO_DATE:
        run_report(request_report(project=project, kind=kind).pk)


def _add_annotations(side: Side, number: int) -> None:
    """Two annotations that differ, a draft, a question and an event of each, in a batch of their own."""
    person = make_member(side.project, ANNOTATOR, code=f"more{number}")
    batch = make_batch(side.project)
    image = make_canary_image(side.project, side.canaries, 100 + number)
    own = make_assignment(side.a, batch=batch, image=image)
    make_answer(own, f"note {number}")
    make_thread(own, side.lead, side.canaries)
    make_answer(make_assignment(person, batch=side.batch, image=image), "")
    make_answer(make_assignment(person, batch=side.batch, image=side.image), "")
    make_assignment(side.a, batch=side.batch)
    plan = side.batch.plans.earliest("pk")
    Plan.objects.create(
        batch=side.batch,
        kind="change",
        algorithm=plan.algorithm,
        annotators=plan.annotators,
        design=plan.design,
    )
    make_assignment(make_member(make_project(), user=side.a.user))


def _add_records(side: Side, number: int) -> None:
    """A file of each kind, a job, an invitation, a link and a token."""
    Job.objects.create(project=side.project, kind="canary", status="failed", error="Broken.")
    make_export(side.project)
    make_brought(side.project, f"brought {number}")
    UploadedFile.objects.create(upload=side.upload, name=f"{number}.png", size=10)
    actor = user_of(side.lead)
    invite(project=side.project, role=ANNOTATOR, code=f"new{number}", actor=actor)
    recruit(
        project=side.project,
        places=2,
        stem=f"r{number}-",
        completion_code="",
        expires_at=timezone.now() + timedelta(days=1),
        request_key=uuid4(),
        actor=actor,
    )
    make_token(side.lead, f"token {number}")
    scale = Item("quality", "scale", "How good?", points=((1, ""), (2, "")))
    form = save_form(side.project, FormDefinition("more", f"Form {number}", "quality", (scale,)), side.lead)
    make_batch(side.project, protocol=form.slug)


def _add_teaching(side: Side, number: int) -> None:
    """A reference with a rationale, a qualification, a norming session and a sheet that was read."""
    first, second = (make_canary_image(side.project, side.canaries, 1000 * at + number) for at in (1, 2))
    make_training(side.a, side.lead, first, f"training {number}", "Because.")
    make_exam(side.b, side.lead, second, f"exam {number}")
    make_norming([side.a, side.b], side.lead, f"session {number}")
    make_reading(side.project, second)
