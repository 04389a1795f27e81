"""Images as rows and files."""

from __future__ import annotations

import errno
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from kombu.exceptions import OperationalError
from PIL import Image as Picture

from annotator.exchange import StudyImport, StudyRefused, import_study
from annotator.exchange.formats.report import RejectedFile
from annotator.models import Event, Image, Project
from tests.annotator.exchange.conftest import StudyFolder, picture, sheet_row
from tests.factories import make_assignment, make_member, make_project
from tests.support.messages import break_broker

pytestmark = pytest.mark.django_db


def counts(report: StudyImport) -> tuple[int, int, list[RejectedFile]]:
    return report.images_added, report.images_existing, report.rejected_files


def shown(project: Project) -> list[tuple[str, str, int | None, str]]:
    rows = project.images.order_by("source_name").values_list("generator", "prompt", "number", "source_name")
    return list(rows)


def test_an_image_is_stored_whole(study: StudyFolder, media: Path, sent: list[int]) -> None:
    contents = picture(1, "JPEG", (30, 20))
    study.image("sdXL/person_jogging/x_03.png", contents)
    project = make_project()
    assert counts(import_study(study.path, project=project)) == (1, 0, [])
    image = project.images.get()
    name = f"originals/{project.pk}/{image.sha256[:2]}/{image.sha256}.jpg"
    assert (image.generator, image.prompt, image.prompt_group, image.number) == (
        "sdXL",
        "person jogging",
        "individual",
        3,
    )
    assert (image.format, image.width, image.height) == ("JPEG", 30, 20)
    assert (image.file.name, image.source_name) == (name, "images/sdXL/person_jogging/x_03.png")
    assert (image.display_state, sent) == ("pending", [image.pk])
    assert (media / name).read_bytes() == contents
    assert list((media / "partial").iterdir()) == []


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_the_three_formats(study: StudyFolder, kind: str) -> None:
    study.image("g/p/1.png", picture(1, kind))
    project = make_project()
    assert counts(import_study(study.path, project=project)) == (1, 0, [])
    assert project.images.get().format == kind


def test_a_second_run_adds_nothing(study: StudyFolder, sent: list[int]) -> None:
    study.image("g/p/1.png")
    study.image("g/p/2.png")
    project = make_project()
    import_study(study.path, project=project)
    sent.clear()
    events = Event.objects.count()
    assert counts(import_study(study.path, project=project)) == (0, 2, [])
    assert (project.images.count(), sent, Event.objects.count()) == (2, [], events)


def test_unreadable_files_are_listed_and_the_rest_goes_in(study: StudyFolder, media: Path) -> None:
    whole = picture(1, "PNG", (300, 300))
    study.image("g/p/1.png")
    study.image("g/p/2.png", whole[: len(whole) // 2])
    study.image("g/p/3.png", b"not a picture at all\n")
    study.image("g/p/4.png", b"")
    project = make_project()
    report = import_study(study.path, project=project)
    assert counts(report) == (
        1,
        0,
        [
            RejectedFile("images/g/p/2.png", "broken: Truncated File Read"),
            RejectedFile("images/g/p/3.png", "not a PNG, JPEG or WebP image"),
            RejectedFile("images/g/p/4.png", "the file is empty"),
        ],
    )
    assert [path.name for path in media.rglob("*") if path.is_file()] == [
        f"{project.images.get().sha256}.png"
    ]


def test_one_content_is_one_image(study: StudyFolder) -> None:
    study.image("g/p/1.png", picture(1))
    study.image("g/p/2.png", picture(1))
    project = make_project()
    for expected in ((1, 0), (0, 1)):
        report = import_study(study.path, project=project)
        assert counts(report) == (
            *expected,
            [RejectedFile("images/g/p/2.png", "the same image as images/g/p/1.png")],
        )


def test_a_number_is_one_picture(study: StudyFolder) -> None:
    path = study.image("g/p/1.png")
    project = make_project()
    import_study(study.path, project=project)
    path.write_bytes(picture(99))
    reason = "another image is already g · p · 1 (images/g/p/1.png)"
    assert counts(import_study(study.path, project=project)) == (
        0,
        0,
        [RejectedFile("images/g/p/1.png", reason)],
    )


def test_a_picture_is_at_one_place(study: StudyFolder) -> None:
    path = study.image("g/p/1.png")
    project = make_project()
    import_study(study.path, project=project)
    study.image("h/p/1.png", path.read_bytes())
    path.unlink()
    reason = "the same image is already in the project as g · p · 1 (images/g/p/1.png)"
    assert counts(import_study(study.path, project=project)) == (
        0,
        0,
        [RejectedFile("images/h/p/1.png", reason)],
    )


def test_two_projects_share_nothing(study: StudyFolder, media: Path) -> None:
    study.image("g/p/1.png")
    for _ in range(2):
        assert counts(import_study(study.path, project=make_project())) == (1, 0, [])
    assert len(list(media.rglob("*.png"))) == 2


def test_a_later_sheet_respells_and_renumbers(study: StudyFolder) -> None:
    for number in ("01", "018"):
        study.image(f"sdXL/couple_hugging/hug_{number}.png")
    project = make_project()
    import_study(study.path, project=project)
    study.sheet(sheet_row("sdxl_Couple hugging_01"), sheet_row("sdxl_Couple hugging_08"))
    assert counts(import_study(study.path, project=project)) == (0, 2, [])
    after = [
        ("sdxl", "Couple hugging", 1, "images/sdXL/couple_hugging/hug_01.png"),
        ("sdxl", "Couple hugging", 8, "images/sdXL/couple_hugging/hug_018.png"),
    ]
    assert shown(project) == after
    data = Event.objects.filter(verb="image_changed").values_list("data__old", "data__new")
    assert list(data) == [({"number": 18}, {"number": 8})]
    respelt = Event.objects.filter(verb="images_respelt").values_list("data", flat=True)
    assert list(respelt) == [
        {"column": "generator", "old": "sdXL", "new": "sdxl", "images": 2},
        {"column": "prompt", "old": "couple hugging", "new": "Couple hugging", "images": 2},
    ]
    # Without the sheet the folders say less than is known: nothing goes back.
    (study.path / "data" / "annotations.csv").unlink()
    import_study(study.path, project=project)
    assert shown(project) == after


def test_new_folders_are_spelt_as_the_project_spells_them(study: StudyFolder) -> None:
    study.image("sdXL/couple_hugging/1.png")
    project = make_project()
    import_study(study.path, project=project)
    study.image("SDXL/couple-hugging/2.png")
    import_study(study.path, project=project)
    assert {row[:3] for row in shown(project)} == {
        ("sdXL", "couple hugging", 1),
        ("sdXL", "couple hugging", 2),
    }


def test_a_later_manifest_moves_what_nobody_has_annotated(study: StudyFolder) -> None:
    for name in ("1", "2", "3"):
        study.image(f"g/p/{name}.png")
    project = make_project()
    import_study(study.path, project=project)
    member = make_member(project)
    make_assignment(member, image=project.images.get(number=2))
    study.file(
        "manifest.csv",
        "file,generator,prompt,number,prompt_group,camera\n"
        "g/p/1.png,h,q,7,alone,wide\ng/p/2.png,,,8,,\ng/p/3.png,,,7,,\n",
    )
    report = import_study(study.path, project=project)
    reason = "it is already annotated as g · p · 2, so its number stays"
    assert counts(report) == (0, 2, [RejectedFile("images/g/p/2.png", reason)])
    moved = project.images.get(generator="h")
    assert (moved.prompt, moved.number, moved.prompt_group, moved.attributes) == (
        "q",
        7,
        "alone",
        {"camera": "wide"},
    )
    assert project.images.get(source_name="images/g/p/3.png").number == 7


def test_spellings_that_collide_are_refused(study: StudyFolder) -> None:
    study.image("sdXL/hug/1.png")
    project = make_project()
    import_study(study.path, project=project)
    Image.objects.create(
        project=project,
        file="x",
        sha256="x",
        source_name="x",
        format="PNG",
        width=1,
        height=1,
        generator="SD-XL",
        prompt="hug",
        number=1,
    )
    study.sheet(sheet_row("sdxl_hug_01"))
    with pytest.raises(StudyRefused) as caught:
        import_study(study.path, project=project)
    assert "with the same numbers. Give them names that differ in more than spelling." in str(caught.value)


def test_a_broker_that_is_down_stops_nothing(study: StudyFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = break_broker(monkeypatch, OperationalError("connection refused"))
    study.image("g/p/1.png")
    study.image("g/p/2.png")
    project = make_project()
    assert counts(import_study(study.path, project=project)) == (2, 0, [])
    assert list(project.images.values_list("display_state", flat=True)) == ["pending", "pending"]
    assert len(tried) == 2  # one message


def test_a_full_disk_leaves_whole_images_only(
    study: StudyFolder, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        study.image(f"g/p/{number}.png")
    project = make_project()
    replace = Path.replace
    calls: list[Path] = []

    def full(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StudyRefused) as caught:
        import_study(study.path, project=project)
    assert str(caught.value) == (
        "images/g/p/2.png could not be stored (No space left on device). 1 new images are stored; "
        "import again to resume."
    )
    image = project.images.get()
    assert [path for path in media.rglob("*") if path.is_file()] == [Path(image.file.path)]
    assert counts(import_study(study.path, project=project)) == (2, 1, [])


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_number_of_files(study: StudyFolder) -> None:
    noise = np.random.default_rng(1)

    def peak(files: int) -> int:
        for number in range(files):
            shades = noise.integers(0, 256, (600, 600, 3), dtype=np.uint8)
            path = study.image(f"g/p/{number}.png", b"")
            Picture.fromarray(shades).save(path, compress_level=0)
        project = make_project()
        tracemalloc.start()
        report = import_study(study.path, project=project)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert report.images_added == files
        return used

    few, many = peak(3), peak(12)
    assert many < few + 1_000_000, (few, many)
