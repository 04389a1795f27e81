"""A lead's way from a folder of images to a batch, in a real browser: brought, named, stored."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import Page, Request, Route, expect
from pytest_django.fixtures import Settings

from annotator.images.display import make_displays
from annotator.models import Job, Project, Upload, UploadedFile
from annotator.work.jobs import run_job
from tests.annotator.uploads.bringing import path_of
from tests.browser.conftest import OpenPage, wait_until_served
from tests.factories import ANNOTATOR, make_member, make_user

pytestmark = pytest.mark.usefixtures("own_media")

FOLDER = "Choose folder"
PATTERN = "Name pattern"
GO_ON = "Check names"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve pictures: two generators, two prompts, three numbers."""
    root = tmp_path / "pictures"
    for generator in ("painter", "sculptor"):
        for prompt in ("two_people_dancing", "a_hand"):
            for number in range(1, 4):
                draw(root / generator / prompt / f"{number}.png", f"{generator}{prompt}{number}")
    return root


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


def troubles(page: Page) -> list[str]:
    """The states of the files that are not stored."""
    return page.locator("[data-code=troubles] > li > .tag").all_inner_texts()


def shown(page: Page) -> list[list[str]]:
    """Generator, prompt, group, number of images and numbers."""
    rows = page.locator("table tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("th, td").all()[:5]] for row in rows]


@pytest.mark.main_path
def test_from_a_new_project_to_a_batch(open_page: OpenPage, pilot: Project, folder: Path) -> None:
    page = open_page("lee")
    page.goto("/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill("Hands")
    page.get_by_role("button", name="Create project").click()
    project = Project.objects.get(name="Hands")
    make_member(project, ANNOTATOR, user=make_user("ann"), code="ann")
    shutil.copy(folder / "painter/a_hand/1.png", folder / "painter/a_hand/copy of 1.png")
    (folder / "painter/a_hand/broken.png").write_bytes(b"no picture")
    (folder / "painter/Thumbs.db").write_bytes(b"thumbs")
    bring(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    expect(page.get_by_text("15 of 15 files")).to_be_visible()
    go_on(page)
    assert troubles(page) == ["Rejected", "Duplicate"]
    assert shown(page)[0] == ["painter", "a hand", "–", "3", "1 to 3"]
    page.get_by_role("button", name="Store 12 images").click()
    expect(page.locator("#following strong")).to_contain_text(
        re.compile("Starting soon|Waiting for a worker")
    )
    work()
    expect(page.get_by_role("heading", name="12 images stored")).to_be_visible()
    expect(page.locator("#following [data-part=words]")).to_have_text("Display copies: 0 of 12")
    for image in project.images.all():
        make_displays([image.pk])
    expect(page.locator("h1[data-code=stored]")).to_be_visible()
    page.locator("[data-code=sort-prompts]").click()
    page.get_by_role("group", name="Group of two people dancing").get_by_label("pair", exact=True).check()
    hand = page.get_by_role("group", name="Group of a hand")
    hand.get_by_label("other", exact=True).check()
    hand.get_by_label("Other group of a hand").fill("parts")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-code=all-grouped]")).to_be_visible()
    found = project.images.order_by("generator", "prompt", "number")
    assert list(found.values_list("generator", "prompt", "prompt_group", "number"))[:4] == [
        ("painter", "a hand", "parts", 1),
        ("painter", "a hand", "parts", 2),
        ("painter", "a hand", "parts", 3),
        ("painter", "two people dancing", "pair", 1),
    ]
    page.get_by_role("main").get_by_role("link", name="New batch").click()
    expect(page.locator("#count")).to_have_text("12 images")


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


def test_a_refused_file_is_named_and_the_others_arrive(
    open_page: OpenPage, pilot: Project, photos: Path, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 2000
    (photos / "painter" / "a_hand" / "large.png").write_bytes(b"x" * 3000)
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    bring(page, photos)
    expect(page.locator("#sending-state")).to_have_text("Finished with errors")
    expect(page.locator("[data-part=listed] li")).to_have_count(1)
    assert "3,000 bytes; the limit is 2,000" in page.locator("[data-part=listed]").inner_text()
    assert received() == FILES
