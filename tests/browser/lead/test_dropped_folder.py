"""A real folder dropped onto the page, as the browser hands it over: names, depth, more than one reading."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Project, Upload, UploadedFile
from tests.browser.conftest import OpenPage
from tests.browser.lead.test_uploads import draw

# The browser gives the entries of a folder a hundred at a time.
PAGES_OF_ENTRIES = 101


pytestmark = pytest.mark.usefixtures("own_media")


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
