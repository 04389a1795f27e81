"""What is shown where no answer comes: a page of the site, and nothing that is anybody's is kept for it."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment
from tests.browser.conftest import OpenPage
from tests.browser.labelling.labelling_page import (
    label,
    marks_of,
    open_label,
    press,
    stored,
    target,
    wait_saved,
)


@pytest.fixture
def at_home(open_page: OpenPage, queue_of_ada: list[Assignment]) -> Page:
    """A page in whose browser the worker has come to rest."""
    page = open_page("ada", service_workers="allow", viewport={"width": 1280, "height": 720})
    page.goto("/projects/pilot/queue/")
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("() => navigator.serviceWorker.controller || location.reload()")
    return page


def test_a_draft_entered_offline_outlives_a_reload(at_home: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(at_home, queue_of_ada[0])
    at_home.context.set_offline(True)
    press(at_home, "2 m h a")
    expect(at_home.locator("#save-state")).to_have_attribute("data-state", "offline")
    with at_home.expect_download() as here:
        at_home.click(target("save"))
    at_home.reload()
    expect(at_home.locator("#kept")).to_have_text(
        "Unsaved changes to 1 image are kept on this device. They are saved when you open it again."
    )
    with at_home.expect_download() as there:
        at_home.click("#download")
    for download in (here.value, there.value):
        assert download.suggested_filename == "my-unsent-work.json"
        (copy,) = json.loads(download.path().read_text()).values()
        assert [mark["part"] for mark in copy["payload"]["marks"]] == ["hands"]
    assert at_home.url.endswith(label(queue_of_ada[0]))
    at_home.context.set_offline(False)
    expect(at_home.locator(target("zone:missing.hands.a"))).to_have_class("zone a filled")
    wait_saved(at_home)
    assert marks_of(stored(queue_of_ada[0])) == [("missing.hands", "1/4a", False)]


def test_only_that_page_is_kept(at_home: Page, queue_of_ada: list[Assignment]) -> None:
    open_label(at_home, queue_of_ada[0])
    kept = at_home.evaluate(
        """async () => {
          const names = await caches.keys();
          const caught = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
          return caught.flat().map(({ url }) => new URL(url).pathname).sort();
        }"""
    )
    assert kept == [
        "/offline/",
        "/static/css/base.css",
        "/static/css/tokens.css",
        "/static/fonts/inter-latin.woff2",
        "/static/js/offline.js",
        "/static/js/page/saving/unsent_work.js",
    ]
