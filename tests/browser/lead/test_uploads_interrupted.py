"""Sending that does not go straight through: a lost network, a pause, a closed page, a session that ended."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, Route, expect
from pytest_django.fixtures import Settings

from annotator.models import Project, Upload, UploadedFile
from annotator.uploads.receiving import path_of
from tests.browser.conftest import OpenPage, wait_until_served
from tests.browser.lead.test_uploads import bring, draw, go_on

FILES = 20


pytestmark = pytest.mark.usefixtures("own_media")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
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


def digests(folder: Path) -> list[str]:
    """What lies in a folder, by content."""
    return sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*.*"))


def kept(upload: Upload) -> list[str]:
    """What was received, by content."""
    files = upload.files.select_related("upload")
    return sorted(hashlib.sha256(path_of(file).read_bytes()).hexdigest() for file in files)


def test_interrupted_at_60_percent_and_gone_on_with_after_a_reload(
    open_page: OpenPage, pilot: Project, folder: Path
) -> None:
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    lose(page, after=FILES * 6 // 10)
    bring(page, folder)
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
    bring(page, folder)
    expect(page.locator("#sending-state [data-code=done]")).to_be_visible()
    expect(page.get_by_text(f"{there} uploaded before")).to_be_visible()
    assert len(created) == FILES - there
    upload = Upload.objects.get()
    assert kept(upload) == digests(folder)
    go_on(page)
    expect(page.get_by_role("heading", name=f"{FILES} images can be stored")).to_be_visible()


def test_a_refused_file_is_named_and_the_others_arrive(
    open_page: OpenPage, pilot: Project, folder: Path, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 2000
    (folder / "painter" / "a_hand" / "large.png").write_bytes(b"x" * 3000)
    page = open_page("lee")
    page.goto("/projects/pilot/uploads/")
    bring(page, folder)
    expect(page.locator("#sending-state")).to_have_text("Finished with errors")
    expect(page.locator("[data-part=listed] li")).to_have_count(1)
    assert "3,000 bytes; the limit is 2,000" in page.locator("[data-part=listed]").inner_text()
    assert received() == FILES
