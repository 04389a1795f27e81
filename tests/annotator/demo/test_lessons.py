"""Training with drawn images, in one step."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from annotator.batches.assignments import InvalidBatch
from annotator.batches.designs import Selection, images_of
from annotator.demo.lessons import DRAWN, TAUGHT, train_with_drawings
from annotator.models import Assignment, Project, Reference, User
from annotator.models.images import LESSONS
from annotator.people.secrets import new_secret
from annotator.projects.checklist import image_counts
from annotator.projects.overview import project_counts
from tests.annotator.invited import invite
from tests.factories import make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> None:
    """Originals are written to a folder of their own."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def lead() -> User:
    member = make_member(make_project("pilot"), "lead")
    assert member.user is not None
    return member.user


@pytest.fixture
def project(lead: User) -> Project:
    return Project.objects.get(slug="pilot")


@pytest.mark.parametrize("protocol", TAUGHT)
def test_everybody_invited_gets_twelve_drawings_with_references_and_reasons(
    project: Project, lead: User, protocol: str
) -> None:
    make_member(project, code="ada")
    invite(project=project, role="annotator", code="p1", secret=new_secret(), actor=lead)
    batch = train_with_drawings(project, protocol, lead)
    owed = Assignment.objects.filter(batch=batch, purpose=Assignment.Purpose.TRAINING)
    assert {code: owed.filter(annotator__code=code).count() for code in ("ada", "p1")} == {
        "ada": DRAWN,
        "p1": DRAWN,
    }
    references = Reference.objects.filter(image__project=project, protocol=protocol)
    assert references.count() == DRAWN
    for reference in references:
        marked = reference.payload["marks"] if protocol == "anatomy" else reference.payload["cells"]
        assert bool(marked) == bool(reference.rationales)


def test_the_drawings_stay_apart_from_the_study(project: Project, lead: User) -> None:
    make_member(project, code="ada")
    own = make_image(project)
    train_with_drawings(project, "anatomy", lead)
    assert project.images.filter(generator=LESSONS).count() == DRAWN
    assert list(images_of(project, Selection(), "anatomy")) == [own]
    assert (image_counts(project), project_counts(project).images) == ((1, 1, 1), 1)
    # Repeated, it trains with the same drawings.
    train_with_drawings(project, "anatomy", lead)
    assert project.images.filter(generator=LESSONS).count() == DRAWN


def test_nobody_to_train_is_said(project: Project, lead: User) -> None:
    with pytest.raises(InvalidBatch, match="Choose at least one annotator"):
        train_with_drawings(project, "anatomy", lead)
