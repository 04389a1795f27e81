"""The batch is closed, or the image given to somebody else, while its page is open."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.batches.closing import close_batch, reopen_batch
from annotator.models import Assignment, Event
from tests.browser.labelling.labelling_page import marks_of, open_label, press, stored, target, wait_saved

STATE = "#save-state"
LINE = "#line"


def end(assignment: Assignment, how: str) -> None:
    if how == "closed":
        close_batch(batch=assignment.batch, reason="the study is over", actor=None)
    else:
        Assignment.objects.filter(pk=assignment.pk).update(status="withdrawn", position=None)


WORDS = {
    "closed": ("Batch closed", "This batch is closed"),
    "withdrawn": ("Reassigned", "This image was reassigned to another annotator"),
}


@pytest.mark.parametrize("how", ["closed", "withdrawn"])
def test_the_draft_stays_on_the_device_and_nothing_is_compared(
    page: Page, queue_of_ada: list[Assignment], how: str
) -> None:
    first, (short, long) = queue_of_ada[0], WORDS[how]
    open_label(page, first)
    press(page, "1 h a")
    wait_saved(page)
    end(first, how)
    press(page, "m h b")
    expect(page.locator(STATE)).to_contain_text(f"{short}. Kept on this device")
    expect(page.locator(LINE)).to_contain_text(f"{long}: changes are no longer saved. Your draft is kept")
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
    end(first, "closed")
    press(page, "m h b")
    expect(page.locator(STATE)).to_have_attribute("data-state", "barred")
    reopen_batch(batch=first.batch, reason="one more day", actor=None)
    open_label(page, first)
    wait_saved(page)
    assert len(marks_of(stored(first))) == 2
