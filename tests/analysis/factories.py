"""Submitted answers for tests of reports and exports."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project
from scoring.anatomy.protocol import ANATOMY
from tests.factories import make_assignment, make_batch, make_image, make_member, make_payload

Marks = Iterable[tuple[str, str]]

EARLIER = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def ratings_of(payload: dict[str, Any], project: Project) -> list[list[str]]:
    """The ratings JSON stored at submit."""
    answer = ANATOMY.clean(payload)
    rated = ANATOMY.ratings(answer, project.exact_weights)
    return [[variable, component, str(value)] for variable, component, value in rated]


def make_submitted(
    annotator: Membership, marks: Marks = (("missing.limbs", "1/4c"),), **fields: Any
) -> Annotation:
    """A submitted answer; `image`, `batch` and `assignment` are made unless given."""
    assignment: Assignment = fields.pop("assignment", None) or make_assignment(
        annotator, image=fields.pop("image", None), batch=fields.pop("batch", None), status="done"
    )
    payload = fields.pop("payload", None) or make_payload(marks)
    row = {"status": "submitted", "submitted_at": timezone.now(), "saved_at": timezone.now()}
    return Annotation.objects.create(
        assignment=assignment,
        payload=payload,
        ratings=ratings_of(payload, annotator.project),
        **{**row, **fields},
    )


def make_unread(annotator: Membership, image: Image, batch: Batch | None = None) -> Annotation:
    """An answer as an import leaves it that could read nothing of its row: its stored score says 0."""
    answer = make_submitted(annotator, [], image=image, batch=batch)
    answer.payload |= {"marks": [], "no_errors": False}
    problem = {"row": 2, "column": "2. Extra Error-2.4 Hands", "text": "1/5", "reason": "no severity"}
    answer.source, answer.has_unread_terms = (
        {"cells": {problem["column"]: "1/5"}, "problems": [problem]},
        True,
    )
    answer.save()
    return answer


def make_small_study(project: Project) -> tuple[Membership, Membership]:
    """Two annotators, two generators, four images, three of them judged by both: seven answers."""
    first, second = make_member(project, code="anno1"), make_member(project, code="anno2")
    batch = make_batch(project, name="pilot")
    images = [
        make_image(project, generator=generator, prompt=prompt, prompt_group=group, number=number)
        for generator, prompt, group, number in (
            ("alpha", "jogging", "individual", 1),
            ("alpha", "hugging", "pair", 1),
            ("beta", "jogging", "individual", 1),
            ("beta", "hugging", "pair", 1),
        )
    ]
    answers: list[tuple[Membership, int, Marks]] = [
        (first, 0, [("missing.limbs", "1/4c")]),
        (first, 1, []),
        (first, 2, [("extra.hands", "1/2b"), ("extra.hands", "1/2c")]),
        (first, 3, [("proportion.face", "1/1a")]),
        (second, 0, [("missing.limbs", "1/4b")]),
        (second, 1, [("proportion.torso", "1/2a")]),
        (second, 2, [("extra.hands", "2/2c")]),
    ]
    for annotator, image, marks in answers:
        make_submitted(annotator, marks, image=images[image], batch=batch, submitted_at=EARLIER)
    return first, second
