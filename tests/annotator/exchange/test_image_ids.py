"""One Image Id per image, also where files have the same names."""

from __future__ import annotations

import pytest

from annotator.exchange.which_image import ImageIndex, Naming, NoSuchImage, image_ids
from annotator.models import Annotation, Image, Project
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


def imported(project: Project, image: Image, image_id: str, code: str = "A") -> None:
    """An annotation that was imported with this Image Id."""
    person = project.memberships.filter(code=code).first() or make_member(project, code=code)
    batch = project.batches.first() or make_batch(project)
    answer = make_submitted(person, [], image=image, batch=batch)
    Annotation.objects.filter(pk=answer.pk).update(source={"image_id": image_id, "cells": {}})


def test_images_imported_with_one_id_get_their_own() -> None:
    project = make_project("same")
    places = [(generator, prompt) for generator in ("sdxl", "dall-e3") for prompt in ("waving", "sitting")]
    for generator, prompt in places:
        for number in range(1, 7):
            image = make_image(project, generator=generator, prompt=prompt, number=number)
            imported(project, image, f"img_{number:02d}")
    ids = image_ids(project)
    assert len(set(ids.values())) == 24
    assert set(ids.values()) == {
        f"{generator}_{prompt}_{number:02d}" for generator, prompt in places for number in range(1, 7)
    }


def test_an_imported_id_of_one_image_stays_as_written() -> None:
    project = make_project("own")
    image = make_image(project, generator="sdxl", prompt="waving", number=1)
    other = make_image(project, generator="sdxl", prompt="waving", number=2)
    imported(project, image, "SDXL wave 1")
    for code in ("A", "B"):
        imported(project, other, f"by {code}", code)
    assert image_ids(project) == {image.pk: "SDXL wave 1", other.pk: "sdxl_waving_02"}


def test_files_of_one_name_without_numbers_are_told_apart() -> None:
    project = make_project("unnumbered")
    images = [
        make_image(project, generator="g", prompt="p", number=None, source_name=f"{file}.png")
        for file in ("a/x", "b/x", "c/x", "d/x-3")
    ]
    assert [image_ids(project)[image.pk] for image in images] == ["g_p_x", "g_p_x-2", "g_p_x-4", "g_p_x-3"]


def test_what_a_row_says_beside_its_file_fits_the_image() -> None:
    project = make_project("named")
    first, _ = (
        make_image(project, generator="g", prompt="p", number=at, source_name=f"{at}.png") for at in (1, 2)
    )
    index = ImageIndex(project)
    # An Image Id that the project does not know is the author's own.
    assert index.image_of(Naming(path="1.png", number=1, image_id="mine")).pk == first.pk
    for wrong in (Naming(path="1.png", number=0), Naming(path="1.png", image_id="g_p_02")):
        with pytest.raises(NoSuchImage):
            index.image_of(wrong)
