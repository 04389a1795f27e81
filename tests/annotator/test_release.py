"""The release command: every named annotator gets every image, in an order of their own."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotator.assignments import crossed_rows
from annotator.models import Assignment, Batch, Project
from tests.factories import make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("pilot")
    for code in ("anno1", "anno2"):
        make_member(project, code=code)
    for _ in range(20):
        make_image(project)
    return project


def release(*arguments: str) -> str:
    out = StringIO()
    call_command("release", "--project", "pilot", *arguments, stdout=out)
    return out.getvalue()


def test_everybody_gets_every_image_once(project: Project) -> None:
    assert release("--annotators", "anno1, anno2") == (
        "Released “Batch 1”: 20 images to each of 2 annotators.\n"
    )
    batch = Batch.objects.get()
    assert (int(batch.overlap), batch.coders, batch.seed) == (1, 2, 1)
    queues = [
        list(Assignment.objects.filter(annotator=member).order_by("position").values_list("image", flat=True))
        for member in project.memberships.all()
    ]
    everything = set(project.images.values_list("pk", flat=True))
    assert [set(queue) for queue in queues] == [everything, everything]
    assert [len(queue) for queue in queues] == [20, 20]
    assert queues[0] != queues[1]


def test_the_order_follows_from_the_seed(project: Project) -> None:
    people = list(project.memberships.all())
    images = project.images.all()
    assert crossed_rows(images, people, seed=1) == crossed_rows(images.order_by("-pk"), people, seed=1)
    assert crossed_rows(images, people, seed=1) != crossed_rows(images, people, seed=2)


def test_refusals_are_named(project: Project) -> None:
    with pytest.raises(CommandError, match=r"Not in pilot: anno9\. Known: anno1, anno2\."):
        release("--annotators", "anno1,anno9")
    with pytest.raises(CommandError, match=r"Not in pilot: nobody named\."):
        release("--annotators", " ,")
    with pytest.raises(CommandError, match=r"There is no project 'nowhere'\. Projects: pilot\."):
        call_command("release", "--project", "nowhere", "--annotators", "anno1")
    release("--annotators", "anno1")
    with pytest.raises(CommandError, match="Batch 1"):
        release("--annotators", "anno2")
    assert Batch.objects.count() == 1
