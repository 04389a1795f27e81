"""What the pages of reports say of changes since, and of what the import could not read."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from annotator.annotations.reopening import reopen_annotation
from annotator.models import Annotation, Membership, Project
from tests.analysis.web.views.test_views import PAGE, computed, text
from tests.support.codes import codes, numbers


@pytest.fixture(autouse=True)
def _wake_ups_stay_here(sent: list[int]) -> None:
    """No message leaves."""


def test_an_answer_reopened_by_its_annotator_makes_it_stale(
    project: Project, lead: Membership, client: Client
) -> None:
    computed(project)
    annotation = Annotation.objects.filter(assignment__batch__project=project).earliest("pk")
    actor = annotation.assignment.annotator.user
    assert actor is not None
    reopen_annotation(
        assignment=annotation.assignment,
        actor=actor,
        replaces=annotation.version,
        request_key=uuid4(),
    )
    page = text(client, PAGE)
    assert numbers(page, "reopened") == ["1"]
    assert "up-to-date" not in codes(page)


def test_terms_that_could_not_be_read_are_spoken_of(
    project: Project, lead: Membership, client: Client
) -> None:
    report = computed(project)
    assert "not-counted" not in codes(text(client, PAGE))
    report.delete()
    annotation = Annotation.objects.filter(assignment__batch__project=project).earliest("pk")
    source = {"cells": {}, "problems": [{"row": 2, "column": "", "text": "1/5", "reason": ""}]}
    Annotation.objects.filter(pk=annotation.pk).update(source=source, has_unread_terms=True)
    report = computed(project)
    told = 'data-code="not-counted" data-terms-of="{}" data-annotations="{}"'
    assert told.format(1, 0) in text(client, PAGE)
    # Of another one nothing was read: it is missing, which is another thing.
    other = Annotation.objects.filter(assignment__batch__project=project).latest("pk")
    other.payload |= {"marks": [], "no_errors": False}
    other.source, other.has_unread_terms = source, True
    other.save()
    report.delete()
    computed(project)
    page = text(client, PAGE)
    assert told.format(1, 1) in page
    assert "1 unreadable imported annotation" in page
