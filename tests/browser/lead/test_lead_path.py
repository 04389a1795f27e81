"""A lead's whole path in a real browser: from a folder of images to a bundle."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, expect

from analysis.models import Report
from analysis.reports.lifecycle import run_report
from annotator.images.display import make_displays
from annotator.models import Annotation, Image, Job, Project
from annotator.work.jobs import run_job
from annotator.work.liveness import sign_of_life
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.labelling.labelling_page import press
from tests.browser.lead.test_uploads import PATTERN, draw, drop

IMAGES = 4
SIZE = {"width": 1280, "height": 720}


pytestmark = pytest.mark.usefixtures("own_media")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four pictures, and what lies beside pictures: leftovers of two systems, a copy, a broken one."""
    root = tmp_path / "hands and friends"
    for generator in ("painter", "sculptor"):
        for prompt in ("two_people_dancing", "a_hand"):
            draw(root / prompt / generator / "1.png", f"{generator}{prompt}", 240)
    shutil.copy(root / "a_hand/painter/1.png", root / "a_hand/painter/1 (2).png")
    (root / "a_hand/painter/4.png").write_bytes(b"no picture")
    (root / "a_hand/Thumbs.db").write_bytes(b"thumbs")
    (root / "a_hand/painter/._1.png").write_bytes(b"\x00\x05\x16\x07")
    return root


def work() -> None:
    """What workers do: every job, every picture to be shown, every report that waits."""
    sign_of_life()
    while job := Job.objects.filter(status=Job.Status.QUEUED).order_by("pk").first():
        assert run_job(job.pk)
        job.refresh_from_db()
        assert job.status == Job.Status.DONE, job.error
    for image in Image.objects.filter(display_state=Image.DisplayState.PENDING):
        make_displays([image.pk])
    for report in Report.objects.filter(status=Report.Status.QUEUED):
        run_report(report.pk)


def tab(page: Page, name: str) -> None:
    """Open a page of the project; nothing of it is wider than the window."""
    page.get_by_role("navigation", name="Project").get_by_role("link", name=name).click()
    page.wait_for_load_state()
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZE["width"], name


@pytest.mark.main_path
def test_from_a_folder_to_a_bundle(open_page: OpenPage, pilot: Project, folder: Path, tmp_path: Path) -> None:
    lead = open_page(None, viewport=SIZE)
    sign_in(lead)
    images_come_in(lead, folder)
    groups_are_set(lead)
    ann, ben = (joined(lead, open_page, name) for name in ("ann", "ben"))
    a_batch_is_released(lead)
    labels_all(ann, "ann1", "2 m h b", "0")
    labels_all(ben, "ben1", "2 m h b", "2 m h b", "0")
    reports_are_read(lead)
    assert scores_are_exported(lead).count(b"\r\n") == 1 + 2 * IMAGES
    bundle = a_bundle_is_made(lead, tmp_path / "bundle.zip")
    with ZipFile(bundle) as archive:
        assert sum(name.startswith("images/") for name in archive.namelist()) == IMAGES


def sign_in(page: Page) -> None:
    page.goto("/")
    page.fill("#id_username", "lee")
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="New project").first).to_be_visible()


def images_come_in(page: Page, folder: Path) -> None:
    page.get_by_role("link", name="New project").first.click()
    page.get_by_label("Name").fill("Hands and friends")
    page.get_by_role("button", name="Create project").click()
    expect(page.get_by_text("Choose folder")).to_be_visible()
    drop(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Check names").last.click()
    work()
    expect(page.locator("h1[data-code=ready]")).to_be_visible()
    # The folders' order cannot be known: here the prompt comes first.
    page.locator("[data-code=read-otherwise]").click()
    page.get_by_label(PATTERN).fill("{*}/{prompt}/{generator}/{number}")
    page.get_by_role("button", name="Read names").click()
    work()
    expect(page.locator("tbody th").first).to_have_text("painter")
    page.get_by_role("button", name=f"Store {IMAGES} images").click()
    expect(page.locator("#following strong")).to_be_visible()
    work()
    expect(page.get_by_role("heading", name=f"{IMAGES} images stored")).to_be_visible()
    found = Image.objects.order_by("generator", "prompt", "number").values_list(
        "generator", "prompt", "number"
    )
    assert list(found)[:2] == [("painter", "a hand", 1), ("painter", "two people dancing", 1)]
    assert found.count() == IMAGES


def groups_are_set(page: Page) -> None:
    page.locator("[data-code=sort-prompts]").click()
    page.get_by_label("Group of two people dancing").fill("pair")
    page.get_by_label("Group of a hand").fill("individual")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-code=all-grouped]")).to_be_visible()


def joined(lead: Page, open_page: OpenPage, name: str) -> Page:
    """A page of an annotator who came by the lead's invitation."""
    tab(lead, "People")
    lead.get_by_role("link", name="Invite people").click()
    lead.fill("#invite-lines", f"{name}1")
    lead.get_by_role("button", name="Invite people").click()
    page = open_page(None, viewport=SIZE)
    page.goto(lead.locator("#link-1").input_value())
    for field, text in {"username": name, "password1": "blue-lamp-42", "password2": "blue-lamp-42"}.items():
        page.fill(f"#id_{field}", text)
    page.get_by_role("button", name="Create account and join").click()
    page.wait_for_url("**/queue/")
    return page


def a_batch_is_released(page: Page) -> None:
    tab(page, "People")
    tab(page, "Batches")
    page.get_by_role("link", name="New batch").first.click()
    expect(page.locator("#count")).to_have_text(f"{IMAGES} images")
    page.fill("[name=name]", "First look")
    page.fill("[name=overlap]", "100")
    page.fill("[name=per_image]", "2")
    page.get_by_role("button", name="Preview").last.click()
    expect(page.get_by_role("button", name="Release batch").last).to_be_visible()
    page.get_by_role("button", name="Release batch").last.click()
    work()
    expect(page.get_by_role("heading", name="First look")).to_be_visible()


def labels_all(page: Page, code: str, *keys: str) -> None:
    """Every image of the queue is annotated, by these keys in turn."""
    page.reload()
    page.get_by_role("link", name="Start annotating").first.click()
    submitted = Annotation.objects.filter(status="submitted", assignment__annotator__code=code)
    for number in range(1, IMAGES + 1):
        page.wait_for_selector("main[data-ready]")
        place = page.url
        press(page, f"{keys[number % len(keys)]} Ctrl+Enter")
        page.wait_for_function("place => location.href !== place", arg=place)
        assert submitted.count() == number


def reports_are_read(page: Page) -> None:
    tab(page, "Overview")
    for name in ("Agreement", "Comparison", "Quality"):
        place_of = "People" if name == "Quality" else "Results"
        tab(page, place_of)
        if name != "Comparison":
            page.get_by_role("navigation", name=place_of).get_by_role("link", name=name).click()
        if page.get_by_role("button", name="Refresh").count():
            page.get_by_role("button", name="Refresh").first.click()
        work()
        page.reload()
        # The first screen has the findings; the tables are in the sections folded below.
        page.get_by_role("button", name="Open all").click()
        expect(page.get_by_role("table").first).to_be_visible()


def scores_are_exported(page: Page) -> bytes:
    """The scores of the open project as CSV."""
    tab(page, "Export")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download scores").click()
    return download.value.path().read_bytes()


def a_bundle_is_made(page: Page, path: Path) -> Path:
    page.get_by_label("Licence").fill("CC-BY-4.0")
    page.get_by_role("button", name="Create bundle").click()
    work()
    expect(page.locator("[data-code=done]")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download bundle").click()
    download.value.save_as(path)
    return path
