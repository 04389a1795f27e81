"""The batch ends, or the line is cut, while a page is open: its draft stays on the device."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.closing import close_batch, reopen_batch
from annotator.models import Assignment, Event
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

STATE = "#save-state"


def close(assignment: Assignment) -> None:
    close_batch(batch=assignment.batch, reason="the study is over", actor=None)


def withdraw(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)


@pytest.mark.parametrize(("end", "short"), [(close, "Batch closed"), (withdraw, "Reassigned")])
def test_the_draft_stays_on_the_device_and_nothing_is_compared(
    page: Page, queue_of_ada: list[Assignment], end: Callable[[Assignment], None], short: str
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    press(page, "1 h a")
    wait_saved(page)
    end(first)
    press(page, "m h b")
    expect(page.locator(STATE)).to_contain_text(f"{short}. Kept on this device")
    expect(page.locator("dialog")).to_have_count(0)
    assert "Compare" not in page.locator("main, header").all_inner_texts()[0]
    for name in ("none", "flag", "note", "reopen"):
        expect(page.locator(target(name))).to_be_hidden()
    assert len(marks_of(stored(first))) == 1
    # Nothing more can be entered, and what was refused is also in the history.
    press(page, "m f c")
    expect(page.locator(target("zone:missing.face.c"))).to_have_class("zone c")
    assert Event.objects.filter(verb="refused").count() == 1
    open_label(page, first)
    expect(page.locator(STATE)).to_contain_text(f"{short}. Kept on this device")
    expect(page.locator(target("zone:missing.hands.b"))).not_to_have_class("zone b")


def test_after_the_batch_is_opened_again_the_kept_draft_is_saved(
    page: Page, queue_of_ada: list[Assignment]
) -> None:
    first = queue_of_ada[0]
    open_label(page, first)
    press(page, "1 h a")
    wait_saved(page)
    close(first)
    press(page, "m h b")
    expect(page.locator(STATE)).to_have_attribute("data-state", "barred")
    reopen_batch(batch=first.batch, reason="one more day", actor=None)
    open_label(page, first)
    wait_saved(page)
    assert len(marks_of(stored(first))) == 2


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
        "/static/css/components.css",
        "/static/css/tokens.css",
        "/static/fonts/inter-latin.woff2",
        "/static/js/built/other_pages/offline.js",
    ]
