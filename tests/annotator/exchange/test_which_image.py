"""Which image a row means: what it gives must agree, the longest path decides, a contradiction refuses."""

from __future__ import annotations

import pytest

from annotator.exchange.which_image import ImageIndex, Naming, NoSuchImage, PathIndex
from annotator.models import Image, Project
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """Two generators and two prompts, with the same file names in each folder."""
    found = make_project("same")
    for generator in ("sdxl", "dall-e3"):
        for prompt in ("waving", "sitting"):
            for number in (1, 2):
                name = f"images/{generator}/{prompt}/img_{number:02d}.png"
                make_image(found, generator=generator, prompt=prompt, number=number, source_name=name)
    return found


def image(project: Project, path: str) -> Image:
    return project.images.get(source_name=f"images/{path}")


PATHS = {
    "images/sdxl/waving/img_01.png": "sdxl/waving/img_01.png",
    "./sdxl/sitting/img_02.png": "sdxl/sitting/img_02.png",
    "dall-e3\\waving\\img_01.PNG": "dall-e3/waving/img_01.png",
    "D:\\run\\dall-e3\\waving\\img_02.png": "dall-e3/waving/img_02.png",
}


@pytest.mark.parametrize(("path", "name"), PATHS.items())
def test_the_longest_path_decides(project: Project, path: str, name: str) -> None:
    assert ImageIndex(project).image_of(Naming(path=path)).pk == image(project, name).pk


REFUSED = {
    Naming(path="img_01.png"): (
        "file",
        "“img_01.png” matches 4 images (images/sdxl/waving/img_01.png, images/sdxl/sitting/img_01.png, "
        "images/dall-e3/waving/img_01.png, images/dall-e3/sitting/img_01.png): give generator, prompt and "
        "number",
    ),
    Naming(path="midjourney/standing/img_01.png"): (
        "file",
        "there is no image “midjourney/standing/img_01.png”; images/sdxl/waving/img_01.png, "
        "images/sdxl/sitting/img_01.png, images/dall-e3/waving/img_01.png, images/dall-e3/sitting/img_01.png "
        "has the same name: correct the path",
    ),
    Naming(path="sdxl/waving/img_03.png"): (
        "file",
        "there is no image “sdxl/waving/img_03.png”: import it, or correct the path",
    ),
    Naming(path="sdxl/waving/img_01.png", generator="DALL-E 3"): (
        "file",
        "“sdxl/waving/img_01.png” is the file of images/sdxl/waving/img_01.png, which contradicts generator, "
        "prompt or number: correct one of them",
    ),
    Naming(path="sdxl/waving/img_01.png", image_id="sdxl_waving_02"): (
        "image_id",
        "Image Id and file name different images",
    ),
    Naming(generator="sdxl", prompt="waving"): (
        "number",
        "the number is missing: generator, prompt and number name an image together",
    ),
    Naming(generator="sdxl", prompt="waving", number=1, image_id="sdxl_waving_02"): (
        "image_id",
        "Image Id and generator, prompt and number name different images",
    ),
    Naming(image_id="sdxl_waving_09"): (
        "image_id",
        "there is no image with this Image Id: import it, or correct the Image Id",
    ),
    Naming(): (
        "file",
        "names no image: give its file, its SHA-256, its Image Id, or generator, prompt and number",
    ),
}


@pytest.mark.parametrize(("naming", "told"), REFUSED.items())
def test_a_row_that_names_no_single_image_is_refused(
    project: Project, naming: Naming, told: tuple[str, str]
) -> None:
    with pytest.raises(NoSuchImage) as refused:
        ImageIndex(project).image_of(naming)
    assert (refused.value.column, refused.value.reason) == told


def test_a_path_that_contradicts_the_only_image_of_its_name_is_refused() -> None:
    project = make_project("only")
    for number in range(1, 13):
        make_image(project, generator="sdxl", source_name=f"sdxl/waving/k_{number:02d}.png")
    index = ImageIndex(project)
    with pytest.raises(NoSuchImage) as refused:
        index.image_of(Naming(path="midjourney/waving/k_01.png"))
    assert refused.value.reason == (
        "there is no image “midjourney/waving/k_01.png”; sdxl/waving/k_01.png has the same name: correct the "
        "path"
    )
    assert index.knows(Naming(path="midjourney/waving/k_01.png"))
    assert not index.knows(Naming(path="midjourney/waving/k_13.png"))
    for path in ("sdxl/waving/k_01.png", "waving/k_01.png", "k_01.png", "set/sdxl/waving/k_01.png"):
        assert index.image_of(Naming(path=path)).source_name == "sdxl/waving/k_01.png"


def test_every_way_of_naming_finds_the_image_and_all_must_agree(project: Project) -> None:
    wanted = image(project, "dall-e3/sitting/img_02.png")
    index = ImageIndex(project)
    for naming in (
        Naming(sha256=wanted.sha256.upper()),
        Naming(sha256=wanted.sha256, path="img_02.png", generator="DALL-E3", number=2),
        Naming(generator="dall-e 3", prompt="Sitting", number=2),
        Naming(image_id="dall-e3_sitting_02"),
        Naming(path="img_02.png", image_id="dall-e3_sitting_02"),
        Naming(path="img_02.png", generator="dall-e3", prompt="sitting"),
    ):
        assert index.image_of(naming).pk == wanted.pk
    other = Naming(sha256=wanted.sha256, path="img_01.png")
    with pytest.raises(NoSuchImage) as refused:
        index.image_of(other)
    assert refused.value.reason == (
        "the SHA-256 is that of “images/dall-e3/sitting/img_02.png”: correct the file or the SHA-256"
    )


def test_paths_agree_in_any_unicode_form() -> None:
    index = PathIndex([("run1/ha\u0308nde/01.png", 1), ("run2/ha\u0308nde/01.png", 2)])
    assert index.matches("run2/h\u00e4nde/01.PNG").agreeing == [2]
    assert index.matches("run3/h\u00e4nde/01.png").contradicting == [1, 2]
