"""A lead brings images in a real browser: a folder, dropped or interrupted, a zip; ratings and faces."""

from __future__ import annotations

import hashlib
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.urls import reverse
from PIL import Image as Picture
from playwright.sync_api import Page, Request, Route, expect

from annotator.models import Annotation, FaceDecision, Image, Job, Membership, Project, Upload, UploadedFile
from annotator.work.jobs import run_job
from tests.annotator.uploads.bringing import path_of
from tests.browser.conftest import OpenPage, wait_until_served
from tests.browser.test_accessibility import violations
from tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.usefixtures("own_media")

FOLDER = "Choose folder"
PATTERN = "Name pattern"
GO_ON = "Check names"


def draw(path: Path, seed: str, size: int = 24) -> None:
    """A small picture that no other seed makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(seed.encode()).digest()
    Picture.frombytes("RGB", (2, 2), digest[:12]).resize((size, size)).save(path, "PNG")


def work() -> None:
    """What a worker does once it hears of the jobs."""
    for job in Job.objects.filter(status=Job.Status.QUEUED).order_by("pk"):
        assert run_job(job.pk)
        job.refresh_from_db()
        assert job.status == Job.Status.DONE, job.error


def bring(page: Page, folder: Path) -> None:
    page.get_by_label(FOLDER).set_input_files(folder)


def go_on(page: Page) -> None:
    """Have it read, and wait for what was understood."""
    with page.expect_navigation():
        page.get_by_role("button", name=GO_ON).last.click()
    work()
    expect(page.locator("h1[data-code=ready]")).to_be_visible()


# The browser gives the entries of a folder a hundred at a time.
PAGES_OF_ENTRIES = 101


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders of this device onto the middle of the page, as a hand would."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 300, "data": data})
    session.detach()


def test_a_dropped_folder_arrives_whole(open_page: OpenPage, pilot: Project, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    draw(folder / "painter" / "a_hand" / "deeper" / "1.png", "deep")
    draw(folder / "手" / "é 2.png", "names in any script")
    (folder / "empty").mkdir()
    many = folder / "many"
    many.mkdir()
    for number in range(PAGES_OF_ENTRIES):
        (many / f"{number}.csv").write_text(f"file\n{number}\n")
    alone = tmp_path / "alone.png"
    draw(alone, "beside the folder")
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    expect(page.get_by_text("Choose folder")).to_be_visible()
    drop(page, folder, alone)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    expect(page.get_by_text(f"{PAGES_OF_ENTRIES + 3} of {PAGES_OF_ENTRIES + 3} files")).to_be_visible()
    files = UploadedFile.objects.filter(upload=Upload.objects.get())
    assert set(files.values_list("name", flat=True)) == {
        "pictures/painter/a_hand/deeper/1.png",
        "pictures/手/é 2.png",
        "alone.png",
        *(f"pictures/many/{number}.csv" for number in range(PAGES_OF_ENTRIES)),
    }
    assert set(files.values_list("state", flat=True)) == {UploadedFile.State.RECEIVED}


FILES = 20


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Twenty pictures of one generator and one prompt."""
    root = tmp_path / "pictures"
    for number in range(1, FILES + 1):
        draw(root / "painter" / "a_hand" / f"{number:02}.png", str(number))
    return root


def received() -> int:
    return UploadedFile.objects.filter(state=UploadedFile.State.RECEIVED).count()


def lose(page: Page, after: int) -> list[str]:
    """Let the network go down after so many files; what is sent from then on is lost on its way."""
    sent: list[str] = []

    def answer(route: Route) -> None:
        sent.append(route.request.url)
        if len(sent) > after:
            route.abort("internetdisconnected")
        else:
            route.continue_()

    page.route("**/files/**", answer)
    return sent


def posts_to(page: Page, end: str) -> list[Request]:
    """Collect the requests to an address that ends so."""
    found: list[Request] = []
    page.on("request", lambda each: found.append(each) if each.url.endswith(end) else None)
    return found


def digests(photos: Path) -> list[str]:
    """What lies in a folder, by content."""
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in photos.rglob("*.*"))


def kept(upload: Upload) -> list[str]:
    """What was received, by content."""
    files = upload.files.select_related("upload")
    return sorted(hashlib.sha256(path_of(file).read_bytes()).hexdigest() for file in files)


def test_interrupted_at_60_percent_and_gone_on_with_after_a_reload(
    open_page: OpenPage, pilot: Project, photos: Path
) -> None:
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    lose(page, after=FILES * 6 // 10)
    bring(page, photos)
    expect(page.locator("#sending-state [data-code=waiting]")).to_be_visible()
    # Files are sent side by side: those sent before the lost one may still be on their way.
    wait_until_served()
    there = received()
    assert there == FILES * 6 // 10
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_role("heading", name=f"{there} files uploaded")).to_be_visible()
    # Not before: the page that is left would retry meanwhile.
    page.unroute("**/files/**")
    created = posts_to(page, "/files/")
    bring(page, photos)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    expect(page.get_by_text(f"{there} uploaded before")).to_be_visible()
    assert len(created) == FILES - there
    upload = Upload.objects.get()
    assert kept(upload) == digests(photos)
    go_on(page)
    expect(page.get_by_role("heading", name=f"{FILES} images can be stored")).to_be_visible()


PLACES = [(g, p, n) for g in ("sdxl", "dall-e3") for p in ("waving", "two_people") for n in range(1, 7)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A zip of 24 images with a manifest, a table of ratings and one of faces."""
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


@pytest.mark.main_path
def test_a_zip_with_a_manifest_ratings_and_faces_come_in_by_pages(
    transactional_db: None, files: Path, open_page: OpenPage
) -> None:
    project = make_project("fresh", name="Fresh")
    make_member(project, Membership.Role.LEAD, user=make_user("lea"))
    page = open_page("lea", viewport={"width": 1280, "height": 720})
    page.goto(reverse("uploads", args=["fresh"]))
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(files / "images.zip")
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
    came_in = Image.objects.count(), Annotation.objects.count(), FaceDecision.objects.count()
    assert came_in == (24, 24, 24)
    assert project.images.values("generator", "prompt").distinct().count() == 4
