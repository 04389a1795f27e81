"""A led project with one annotator and a batch, people who label at chosen times, and what needs leads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.home.need_row import Need
from analysis.home.needs import needs_of
from analysis.home.project_work import work_of
from analysis.models import Report
from annotator.models import Annotation, Batch, Membership, Project
from tests.analysis.factories import Marks, make_submitted
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_payload, make_project


@dataclass(frozen=True)
class Led:
    """A project with a lead, the annotator `ada`, and an open batch."""

    project: Project
    lead: Membership
    ada: Membership
    batch: Batch


@pytest.fixture
def led(db: None) -> Led:
    project = make_project("led")
    return Led(project, make_member(project, LEAD), make_member(project, code="ada"), make_batch(project))


LIMBS: Marks = (("missing.limbs", "1/4c"),)


def labelled(
    annotator: Membership,
    batch: Batch,
    count: int = 1,
    *,
    days_ago: float = 0,
    seconds: float | None = 30,
    marks: Marks = LIMBS,
) -> list[Annotation]:
    """Submitted annotations of new images, some days old, each made in so many seconds."""
    at = timezone.now() - timedelta(days=days_ago)
    active = None if seconds is None else round(seconds * 1000)
    return [
        make_submitted(annotator, marks, batch=batch, submitted_at=at, saved_at=at, active_ms=active)
        for _ in range(count)
    ]


def drafted(annotator: Membership, batch: Batch, *, days_ago: float) -> Annotation:
    """A draft, last saved some days ago."""
    at = timezone.now() - timedelta(days=days_ago)
    assignment = make_assignment(annotator, batch=batch)
    return Annotation.objects.create(assignment=assignment, payload=make_payload(), saved_at=at)


def back_dated(batch: Batch, days_ago: float) -> None:
    """Release a batch, and let its people join, some days ago."""
    at = timezone.now() - timedelta(days=days_ago)
    Batch.objects.filter(pk=batch.pk).update(created_at=at)
    Membership.objects.filter(project=batch.project_id).update(created_at=at)


def judged_by_quality(project: Project, annotator: Membership, verdict: str, reasons: Sequence[str]) -> None:
    """A quality report with a line on one annotator."""
    line = {
        "annotator": annotator.code,
        "verdict": verdict,
        "reasons": list(reasons),
        "images": [],
        "timed": 20,
        "median_ms": 2_900,
        "fast_share": 0.9,
    }
    result = {"lines": [line], "settings": {"fast_ms": 5_000}}
    Report.objects.create(project=project, kind="quality", status="done", result=result)


def needs(project: Project) -> list[Need]:
    """What needs the leads of one project."""
    return needs_of([project], work_of([project]))[project.pk]


def kinds(project: Project) -> list[str]:
    """The codes of what needs the leads of one project, the worst first."""
    return [need.code for need in needs(project)]
