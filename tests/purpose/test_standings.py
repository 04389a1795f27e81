"""A qualification, its attempts and standings change no number, and no annotator's other pages."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.test import Client

from analysis.data.ratings_table import load_counted
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import computation
from annotator.models import Membership, Project
from annotator.people.standings import waive
from tests.analysis.mixed import make_mixed
from tests.annotator.training.making import Course
from tests.annotator.training.qualifying import WRONG, add, finish, release
from tests.factories import LEAD, make_member, make_stored_image

pytestmark = pytest.mark.django_db


def numbers_of(project: Project) -> Iterator[tuple[str, bytes]]:
    frame, _ = load_counted(project, "anatomy")
    for kind in KEPT_UP_TO_DATE:
        yield kind, json.dumps(computation(kind, "anatomy")(frame)).encode()
    for layout in layouts_of("anatomy").values():
        yield layout.slug, b"".join(Export(project, layout, protocol="anatomy"))


@pytest.fixture
def course(db: None) -> Course:
    project = make_mixed()
    lead = project.memberships.get(role=LEAD)
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    images = [make_stored_image(project, number=90 + number) for number in range(4)]
    return Course(project, lead, ada, bob, images)


@pytest.mark.slow  # every report twice
@pytest.mark.thorough
def test_no_number_changes(course: Course) -> None:
    before = dict(numbers_of(course.project))
    course.references = [add(course, image) for image in course.images]
    batch = release(course, people=[course.ada, course.bob])
    finish(batch, course.ada)
    finish(batch, course.bob, WRONG)
    workers = course.project.memberships.exclude(pk__in=[course.ada.pk, course.bob.pk])
    waive(
        project=course.project,
        protocol="anatomy",
        members=[member.pk for member in workers],
        reason="known",
        actor=course.actor,
    )
    assert dict(numbers_of(course.project)) == before


def test_who_takes_no_qualification_reads_nothing_of_one(course: Course) -> None:
    def read(member: Membership) -> str:
        assert member.user is not None
        client = Client()
        client.force_login(member.user)
        return client.get(f"/projects/{course.project.slug}/queue/").content.decode()

    course.references = [add(course, image) for image in course.images]
    release(course)
    waive(
        project=course.project,
        protocol="anatomy",
        members=[course.bob.pk],
        reason="known",
        actor=course.actor,
    )
    assert "ualification" not in read(course.bob)
    assert "xempt" not in read(course.bob)
    assert "Qualification" in read(course.ada)
