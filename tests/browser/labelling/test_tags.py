"""A project's tags in Chromium: defined by a lead, ticked by an annotator, found in the gallery."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Membership, Project
from tests.browser.conftest import OpenPage, picture
from tests.browser.labelling.labelling_page import SAVED, click, open_label, press, stored
from tests.browser.looks import VIEWPORTS, two_looks
from tests.browser.test_accessibility import violations
from tests.factories import make_assignment, make_batch


def opened(open_page: OpenPage, who: str, scheme: str, size: str) -> Page:
    """A page of somebody in one of the looks."""
    width, height = VIEWPORTS[size]
    return open_page(who, color_scheme=scheme, viewport={"width": width, "height": height})


@two_looks
@pytest.mark.parametrize("protocol", ["anatomy", "presence", "realism"])
def test_ticks_are_kept_at_once_and_without_a_flag(
    open_page: OpenPage, pilot: Project, ada: Membership, protocol: str, scheme: str, size: str
) -> None:
    Project.objects.filter(pk=pilot.pk).update(tags=["", "twinning", "stereotype"])
    batch = make_batch(pilot, protocol=protocol)
    assignment = make_assignment(ada, batch=batch, image=picture(pilot, 1))
    page = opened(open_page, "ada", scheme, size)
    open_label(page, assignment)
    press(page, "s 7")
    dialog = page.get_by_role("dialog", name="Flag, tag or skip")
    group = dialog.get_by_role("group", name="Tags")
    expect(group.get_by_role("checkbox", name="twinning")).to_be_checked()
    expect(group.get_by_role("checkbox", name="twinning")).to_be_focused()
    page.context.set_offline(True)
    press(page, "Tab Space")
    expect(group.get_by_role("checkbox", name="stereotype")).to_be_checked()
    assert violations(page) == []
    # Without a reason, there is nothing to flag.
    press(page, "Ctrl+Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Flag or tag: twinning, stereotype")).to_be_visible()
    page.context.set_offline(False)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    expect(page.locator("#save-state")).to_have_text(SAVED)
    annotation = stored(assignment)
    assert (annotation.payload["tags"], annotation.payload["flag"], annotation.status) == (
        [2, 3],
        None,
        "draft",
    )
    page.reload()
    page.wait_for_selector("main[data-ready]")
    click(page, "flag")
    press(page, "8 Escape")
    expect(page.locator("#save-state")).to_have_text(SAVED)
    expect(page.get_by_role("button", name="Flag or tag: twinning")).to_be_visible()
