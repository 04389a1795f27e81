"""The images of one prompt in the order of people and of an outside metric."""

from __future__ import annotations

import pytest

from analysis.first_screen.orders import ordered_prompts, orders_of
from analysis.models import ImageMetric
from annotator.annotations.summaries import summarise
from annotator.models import Image, Project
from scoring.anatomy.protocol import ANATOMY
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import adjudicated
from tests.factories import LEAD, make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


def scored(
    project: Project, eighths: list[int], values: list[float | None], prompt: str = "p"
) -> list[Image]:
    """Images of a prompt with so many eighths of a severe error, and with values of a metric."""
    member, batch = make_member(project, code=f"ann {prompt}"), make_batch(project, name=f"by {prompt}")
    images = []
    for number, (count, value) in enumerate(zip(eighths, values, strict=True)):
        image = make_image(project, prompt=prompt, number=number)
        marks = [("missing.limbs", f"{count}/8c")] if count else []
        make_submitted(member, marks, image=image, batch=batch)
        if value is not None:
            ImageMetric.objects.create(project=project, image=image, metric="clip", value=value)
        images.append(image)
    summarise(project.pk, [image.pk for image in images], "anatomy")
    return images


def test_people_go_from_the_best_and_the_metric_from_its_highest_value() -> None:
    project = make_project()
    images = scored(project, [4, 0, 2, 7], [0.25, 0.5, 12.0, None])
    found = orders_of(project, "anatomy", "clip", "p")
    assert found.images == 3
    assert [(placed.image, placed.rank, placed.value) for placed in found.people] == [
        (images[1], 1, "0.00"),
        (images[2], 2, "0.25"),
        (images[0], 3, "0.50"),
    ]
    assert [(placed.image, placed.rank, placed.value) for placed in found.metric] == [
        (images[2], 2, "12"),
        (images[1], 1, "0.5"),
        (images[0], 3, "0.25"),
    ]


def test_adjudicated_values_change_no_order() -> None:
    project = make_project()
    images = scored(project, [1, 2], [0.0, 1.0])
    adjudicated(ANATOMY, images[0], make_member(project, LEAD), make_payload([("extra.face", "1/1c")]))
    summarise(project.pk, [images[0].pk], "anatomy")
    found = orders_of(project, "anatomy", "clip", "p")
    assert [(placed.image, placed.value) for placed in found.people] == [
        (images[0], "0.13"),
        (images[1], "0.25"),
    ]


def test_only_prompts_with_two_values_are_offered() -> None:
    project = make_project()
    scored(project, [1, 2], [0.0, 1.0], "two")
    scored(project, [1, 2], [0.0, None], "one")
    assert ordered_prompts(project, "clip") == ["two"]
    assert ordered_prompts(project, "other") == []
    assert orders_of(project, "presence", "clip", "two").people == []
