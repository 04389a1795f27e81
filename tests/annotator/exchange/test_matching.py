"""Which image a file or a row means."""

from __future__ import annotations

import pytest

from annotator.exchange.formats.manifest import ManifestEntry
from annotator.exchange.formats.report import RejectedFile, RowNote, StudyRefused
from annotator.exchange.formats.sheet import read_sheet
from annotator.exchange.matching import Matching, place_files
from annotator.exchange.study_files import find_files
from annotator.exchange.which_image import ImageIndex, Naming, NoSuchImage, PathIndex
from annotator.models import Image, Project
from tests.annotator.exchange.conftest import StudyFolder, picture, sheet_row
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


HUG = "sdxl_couple hugging"


def plan(study: StudyFolder, *entries: ManifestEntry, rows: tuple[dict[str, str], ...] = ()) -> Matching:
    named = {entry.file: entry for entry in entries}
    files, _, named = find_files(study.path.resolve(), named)
    sheet_rows = read_sheet(study.sheet(*rows)).rows if rows else ()
    return place_files(files, named, sheet_rows, {"couplehugging": "pair"})


def placed(result: Matching) -> dict[str, tuple[str, str, int | None]]:
    return {
        placement.file.parts[-1]: (placement.generator, placement.prompt, placement.number)
        for placement in result.placements
    }


def test_without_annotations_the_folders_speak(study: StudyFolder) -> None:
    study.image("sdXL/couple_hugging/hug_018.png")
    study.image("sdXL/couple_hugging/none.png")
    result = plan(study)
    assert placed(result) == {
        "hug_018.png": ("sdXL", "couple hugging", 18),
        "none.png": ("sdXL", "couple hugging", None),
    }
    assert {placement.prompt_group for placement in result.placements} == {"pair"}
    assert (result.notes, result.rejected) == ((), ())


def test_names_are_spelt_as_the_sheet_spells_them(study: StudyFolder) -> None:
    study.image("stable_cascade/old_couple_in_sauna/SC_sauna_01.png")
    result = plan(study, rows=(sheet_row("stablecascade_Old couple in sauna_01"),))
    assert placed(result) == {"SC_sauna_01.png": ("stablecascade", "Old couple in sauna", 1)}


def test_folders_that_differ_in_spelling_alone_are_one(study: StudyFolder) -> None:
    study.image("SDXL/hug/1.png")
    study.image("sdXL/hug/2.png")
    assert placed(plan(study)) == {"1.png": ("SDXL", "hug", 1), "2.png": ("SDXL", "hug", 2)}


def test_the_one_odd_number_is_taken_for_the_one_missing(study: StudyFolder) -> None:
    for number in ("01", "018", "02"):
        study.image(f"sdXL/couple_hugging/hug_{number}.png")
    result = plan(study, rows=tuple(sheet_row(f"{HUG}_0{number}") for number in (1, 8, 2, 8)))
    assert placed(result) == {
        "hug_01.png": ("sdxl", "couple hugging", 1),
        "hug_018.png": ("sdxl", "couple hugging", 8),
        "hug_02.png": ("sdxl", "couple hugging", 2),
    }
    reason = (
        "treated as number 8: no file of “sdxl”, “couple hugging” has that number, "
        "and this is the only one whose number (018) no row knows"
    )
    assert result.notes == (RowNote(3, "Pic Num.", "hug_018.png", reason),)


@pytest.mark.parametrize(
    ("files", "numbers", "expected"),
    [
        (("018", "028"), (8,), (18, 28)),
        (("018",), (7,), (18,)),
        (("018", "8"), (8,), (18, 8)),
        (("118",), (8, 18), (118,)),
        (("018",), (18, 8), (18,)),
    ],
    ids=["two odd", "other ending", "present", "two missing fit", "number known"],
)
def test_what_is_ambiguous_is_left_alone(
    study: StudyFolder, files: tuple[str, ...], numbers: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    for digits in files:
        study.image(f"sdXL/couple_hugging/hug_{digits}.png")
    result = plan(study, rows=tuple(sheet_row(f"{HUG}_{number}") for number in numbers))
    assert {placement.number for placement in result.placements} == set(expected)
    assert result.notes == ()


def test_two_files_of_one_number_have_none(study: StudyFolder) -> None:
    for name in ("a_1.png", "b_1.png", "c_2.png"):
        study.image(f"sdXL/couple_hugging/{name}")
    result = plan(study, rows=(sheet_row(f"{HUG}_01"),))
    assert {name: number for name, (_, _, number) in placed(result).items()} == {
        "a_1.png": None,
        "b_1.png": None,
        "c_2.png": 2,
    }
    reason = "number 1 is also that of {}: imported without a number; use a manifest to number them"
    assert result.notes == (
        RowNote(2, "Pic Num.", "a_1.png", reason.format("b_1.png")),
        RowNote(2, "Pic Num.", "b_1.png", reason.format("a_1.png")),
    )


def test_copies_of_one_file_keep_their_number(study: StudyFolder) -> None:
    study.image("sdXL/hug/a_1.png", picture(7))
    study.image("sdXL/hug/b_1.png", picture(7))
    result = plan(study)
    assert [placement.number for placement in result.placements] == [1, 1]
    assert result.notes == ()


def test_the_manifest_overrides(study: StudyFolder) -> None:
    study.image("loose.png")
    study.image("sdXL/hug/a_1.png")
    study.image("sdXL/hug/b_1.png")
    entries = (
        ManifestEntry(2, "loose.png", "sdXL", "hug", 5, "two", {"camera": "wide"}),
        ManifestEntry(3, "sdXL/hug/b_1.png", "", "", 2),
        ManifestEntry(4, "sdXL/hug/a_1.png", "", "", None),
    )
    result = plan(study, *entries)
    assert placed(result) == {
        "loose.png": ("sdXL", "hug", 5),
        "a_1.png": ("sdXL", "hug", 1),
        "b_1.png": ("sdXL", "hug", 2),
    }
    loose = result.placements[0]
    assert (loose.prompt_group, loose.attributes, loose.firm) == ("two", {"camera": "wide"}, True)


def test_a_number_of_the_manifest_beats_one_of_a_name(study: StudyFolder) -> None:
    study.image("sdXL/hug/a_1.png")
    study.image("sdXL/hug/b.png")
    result = plan(
        study,
        ManifestEntry(2, "sdXL/hug/b.png", "", "", 1),
        ManifestEntry(3, "sdXL/hug/a_1.png", "", "", None),
    )
    assert placed(result) == {"a_1.png": ("sdXL", "hug", None), "b.png": ("sdXL", "hug", 1)}
    assert [note.text for note in result.notes] == ["a_1.png"]


def test_the_manifest_must_not_contradict_itself(study: StudyFolder) -> None:
    study.image("sdXL/hug/a.png")
    study.image("sdXL/hug/b.png")
    with pytest.raises(StudyRefused) as caught:
        plan(
            study,
            ManifestEntry(2, "sdXL/hug/a.png", "", "", 1),
            ManifestEntry(3, "sdXL/hug/b.png", "SDXL", "Hug", 1),
        )
    assert "Rows 2 and 3 of the manifest" in str(caught.value)
    assert "(SDXL, Hug, 1)" in str(caught.value)


def test_files_without_a_name_to_go_by(study: StudyFolder) -> None:
    study.image("loose.png")
    study.image("__/hug/1.png")
    study.image(f"{'g' * 121}/hug/1.png")
    result = plan(
        study,
        ManifestEntry(2, "loose.png", "sdXL", "", 1),
        ManifestEntry(3, "__/hug/1.png", "", "", None),
        ManifestEntry(4, f"{'g' * 121}/hug/1.png", "", "", None),
    )
    assert result.placements == ()
    assert set(result.rejected) == {
        RejectedFile("images/loose.png", "its prompt is in neither the folders nor the manifest"),
        RejectedFile("images/__/hug/1.png", "its generator is in neither the folders nor the manifest"),
        RejectedFile(f"images/{'g' * 121}/hug/1.png", "the name of its generator or prompt is too long"),
    }


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
