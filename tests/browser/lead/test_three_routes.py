"""24 images, 24 ratings and 24 faces come into a fresh project: by folder, zip and manifest, and commands."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import expect

from annotator.models import Annotation, FaceDecision, Image, Membership, Project
from tests.browser.conftest import OpenPage
from tests.browser.lead.test_uploads import bring, draw, go_on, work
from tests.browser.test_accessibility import violations
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.usefixtures("own_media")

PLACES = [(g, p, n) for g in ("sdxl", "dall-e3") for p in ("waving", "two_people") for n in range(1, 7)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of images, a zip of the same with a manifest, a table of ratings and one of faces."""
    images = tmp_path / "images"
    for generator, prompt, number in PLACES:
        draw(images / generator / prompt / f"{number}.png", f"{generator}{prompt}{number}", 96)
    with ZipFile(tmp_path / "images.zip", "w") as archive:
        for place, (generator, prompt, number) in enumerate(PLACES):
            archive.write(images / generator / prompt / f"{number}.png", f"out/{place:05d}.png")
        rows = [f"{place:05d}.png,{g},{p.replace('_', ' ')},{n}" for place, (g, p, n) in enumerate(PLACES)]
        archive.writestr("out/manifest.csv", "\n".join(["file,generator,prompt,number", *rows]))
    named = [f"{g},{p.replace('_', ' ')},{n}" for g, p, n in PLACES]
    head = "generator,prompt,number"
    ratings = [f"{head},annotator,rating", *(f"{name},r1,7" for name in named)]
    faces = [f"{head},x,y,w,h", *(f"{name},8,8,30,40" for name in named)]
    (tmp_path / "ratings.csv").write_text("\n".join(ratings))
    (tmp_path / "faces.csv").write_text("\n".join(faces))
    return tmp_path


def came_in() -> tuple[int, int, int]:
    return Image.objects.count(), Annotation.objects.count(), FaceDecision.objects.count()


@pytest.mark.parametrize("route", ["images", pytest.param("images.zip", marks=pytest.mark.main_path)])
def test_a_lead_brings_all_by_pages(
    transactional_db: None, files: Path, open_page: OpenPage, route: str
) -> None:
    project = make_project("fresh", name="Fresh")
    make_member(project, Membership.Role.LEAD, user=make_user("lea"))
    page = open_page("lea", viewport={"width": 1280, "height": 720})
    page.goto(reverse("uploads", args=["fresh"]))
    if route == "images":
        bring(page, files / route)
    else:
        page.locator("input[type=file]:not([webkitdirectory])").set_input_files(files / route)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    go_on(page)
    with page.expect_navigation():
        page.get_by_role("button", name="Store 24 images").click()
    work()
    page.reload()
    for kind, file, button, words in (
        ("answers", "ratings.csv", "Store 24 rows", "Annotations: 24 added"),
        ("faces", "faces.csv", "Store the file", "Images changed: 24"),
    ):
        page.goto(reverse("import_rows", args=["fresh", kind]))
        page.get_by_label("File (CSV or XLSX)").set_input_files(files / file)
        if kind == "answers":
            page.get_by_label("Realism of the body").check()
        assert violations(page) == []
        page.get_by_role("button", name="Check file").click()
        work()
        page.reload()
        page.locator("main a", has_text="Show").or_(page.locator("main a.button.primary")).first.click()
        assert violations(page) == []
        page.get_by_role("button", name=button).click()
        work()
        page.reload()
        expect(page.locator("main")).to_contain_text(words)
    assert came_in() == (24, 24, 24)
    assert project.images.values("generator", "prompt").distinct().count() == 4


def test_commands_bring_all(db: None, files: Path) -> None:
    call_command("import_images", str(files / "images"), "--project", "fresh")
    call_command("import_answers", str(files / "ratings.csv"), "--project", "fresh", "--protocol", "realism")
    call_command("import_faces", str(files / "faces.csv"), "--project", "fresh")
    assert came_in() == (24, 24, 24)
    assert Project.objects.get().images.values("generator", "prompt").distinct().count() == 4
