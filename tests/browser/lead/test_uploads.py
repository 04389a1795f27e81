"""A lead's way from a folder of images to a batch, in a real browser: brought, named, stored."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image as Picture
from playwright.sync_api import FileChooser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from annotator.images.display import make_displays
from annotator.models import Job, Project
from annotator.work.jobs import run_job
from tests.browser.conftest import OpenPage
from tests.factories import ANNOTATOR, make_member, make_user

FOLDER = "Choose folder"
PATTERN = "Name pattern"
GO_ON = "Check names"


pytestmark = pytest.mark.usefixtures("own_media")


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


def test_all_of_it_by_keyboard(open_page: OpenPage, pilot: Project, folder: Path) -> None:
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    chooser_by_key(page).set_files(folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    press(page, "button", GO_ON)
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name="12 images can be stored")).to_be_visible()
    press(page, "button", "Store 12 images")
    expect(page.locator("#following[data-step=working]")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name="12 images stored")).to_be_visible()


def chooser_by_key(page: Page) -> FileChooser:
    """Open the choice of a folder with a key.

    A browser without a screen, on a busy machine, now and then shows none: then the key is pressed again.
    """
    for patience in (5_000, 10_000, 20_000):
        try:
            with page.expect_file_chooser(timeout=patience) as opened:
                page.get_by_label(FOLDER).press("Enter")
            return opened.value
        except PlaywrightTimeout:
            continue
    raise AssertionError("Enter opens no choice of a folder")


def press(page: Page, role: str, name: str) -> None:
    """Reach something by Tab alone, and press it."""
    wanted = page.get_by_role(role, name=name, exact=True).last  # type: ignore[arg-type]
    expect(wanted).to_be_visible()
    for _ in range(120):
        page.keyboard.press("Tab")
        if wanted.evaluate("each => each === document.activeElement"):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab does not reach {name}")
